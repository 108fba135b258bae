"""Fields of a search: arrays with a number or a vector for each point, or for each query, by name."""

import ctypes

import numpy as np

from ._library import check, lib, option, reals, suffix


def set_field(search, of, name, values):
    """Sets a field. The array is copied."""
    array = reals(values, name)
    if array.ndim not in (1, 2):
        raise TypeError(f"{name} must have a number or a vector for each point: one dimension or two, not {array.ndim}")
    array = np.ascontiguousarray(array)
    components = array.shape[1] if array.ndim == 2 else 1
    function = getattr(lib, f"neargrid_search_set_field_{suffix(array.dtype)}")
    check(function(search, name.encode(), option("OF", of), components, len(array), *_bases(array)))


def copy_field(search, of, name, dtype):
    """A copy of a field."""
    components, n = ctypes.c_int32(), ctypes.c_int64()
    check(lib.neargrid_field_size(search, name.encode(), option("OF", of), ctypes.byref(components), ctypes.byref(n)))
    shape = (n.value,) if components.value == 1 else (n.value, components.value)
    result = np.empty(shape, dtype)
    function = getattr(lib, f"neargrid_field_copy_{suffix(result.dtype)}")
    check(function(search, name.encode(), option("OF", of), components.value, n.value, *_bases(result)))
    return result


def _bases(array):
    """The addresses of three components of the first point, and the bytes of a point."""
    row = array.itemsize * (1 if array.ndim == 1 else array.shape[1])
    return [ctypes.c_void_p(array.ctypes.data + k * array.itemsize) for k in range(3)] + [row]
