"""Fields of a search: arrays with a number or a vector for each point, or for each query, by name."""

import ctypes

import numpy as np

from ._library import address, check, lib, option, reals, suffix, whole


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


def set_pair_field(search, name, rows, values, by_ids=False):
    """Sets a pair field. The arrays are copied."""
    types = np.int64, np.int64 if by_ids else np.int32
    offsets, ids = (whole(array, kind, what) for array, kind, what in zip(rows, types, ("offsets", "ids")))
    values = reals(values, "values")
    total = int(offsets[-1]) - int(offsets[0]) if len(offsets) else 0
    if len(ids) != total:
        raise ValueError(f"there must be {total} ids, as the offsets say, not {len(ids)}")
    if values.ndim not in (1, 2) or len(values) != total:
        raise ValueError(f"values must have {total} rows, as there are ids, not the shape {values.shape}")
    values = np.ascontiguousarray(values)
    components = values.shape[1] if values.ndim == 2 else 1
    function = getattr(lib, f"neargrid_search_set_pair_field{'_by_ids' if by_ids else ''}_{suffix(values.dtype)}")
    rows = max(len(offsets) - 1, 0), address(offsets), address(ids)
    check(function(search, name.encode(), components, *rows, address(values)))


def copy_pair_field(search, name, dtype, by_ids=False):
    """Offsets, ids and values of a pair field, copied."""
    components, n, entries = ctypes.c_int32(), ctypes.c_int64(), ctypes.c_int64()
    check(lib.neargrid_pair_field_size(search, name.encode(), *map(ctypes.byref, (components, n, entries))))
    offsets, ids = np.empty(n.value + 1, np.int64), np.empty(entries.value, np.int64 if by_ids else np.int32)
    shape = (entries.value,) if components.value == 1 else (entries.value, components.value)
    values = np.empty(shape, dtype)
    function = getattr(lib, f"neargrid_pair_field_copy{'_ids' if by_ids else ''}_{suffix(values.dtype)}")
    size = components.value, n.value, entries.value
    check(function(search, name.encode(), *size, address(offsets), address(ids), address(values)))
    return offsets, ids, values


def _bases(array):
    """The addresses of three components of the first point, and the bytes of a point."""
    row = array.itemsize * (1 if array.ndim == 1 else array.shape[1])
    return [ctypes.c_void_p(array.ctypes.data + k * array.itemsize) for k in range(3)] + [row]
