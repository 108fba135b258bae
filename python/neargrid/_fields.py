"""Fields of a search: arrays with a number or a vector for each point, or for each query, by name."""

import ctypes

import numpy as np

from ._arrays import REALS, made, rows_of, taken, text, values_of
from ._library import address, check, lib, option, suffix


def set_field(search, of, name, values):
    """Sets a field. The array is copied."""
    spelled = text(name, "name")
    array = taken(values, f"the field {name!r}", dims=(1, 2))
    components = array.shape[1] if array.ndim == 2 else 1
    function = getattr(lib, f"neargrid_search_set_field_{suffix(array.dtype)}")
    check(function(search, spelled, option("OF", of), components, len(array), *_bases(array)))


def copy_field(search, of, name, dtype):
    """A copy of a field."""
    spelled, made_of = text(name, "name"), made(0, dtype, REALS).dtype
    components, n = ctypes.c_int32(), ctypes.c_int64()
    check(lib.neargrid_field_size(search, spelled, option("OF", of), ctypes.byref(components), ctypes.byref(n)))
    result = made((n.value,) if components.value == 1 else (n.value, components.value), made_of, REALS)
    function = getattr(lib, f"neargrid_field_copy_{suffix(result.dtype)}")
    check(function(search, spelled, option("OF", of), components.value, n.value, *_bases(result)))
    return result


def set_pair_field(search, name, rows, values, by_ids=False):
    """Sets a pair field. The arrays are copied."""
    spelled = text(name, "name")
    offsets, ids = rows_of(rows, "rows", np.int64 if by_ids else np.int32)
    values = values_of(values, "values", len(ids), "one for each id")
    components = values.shape[1] if values.ndim == 2 else 1
    function = getattr(lib, f"neargrid_search_set_pair_field{'_by_ids' if by_ids else ''}_{suffix(values.dtype)}")
    rows = max(len(offsets) - 1, 0), address(offsets), address(ids)
    check(function(search, spelled, components, *rows, address(values)))


def copy_pair_field(search, name, dtype, by_ids=False):
    """Offsets, ids and values of a pair field, copied."""
    spelled, made_of = text(name, "name"), made(0, dtype, REALS).dtype
    components, n, entries = ctypes.c_int32(), ctypes.c_int64(), ctypes.c_int64()
    check(lib.neargrid_pair_field_size(search, spelled, *map(ctypes.byref, (components, n, entries))))
    offsets, ids = made(n.value + 1, np.int64), made(entries.value, np.int64 if by_ids else np.int32)
    values = made((entries.value,) if components.value == 1 else (entries.value, components.value), made_of, REALS)
    function = getattr(lib, f"neargrid_pair_field_copy{'_ids' if by_ids else ''}_{suffix(values.dtype)}")
    size = components.value, n.value, entries.value
    check(function(search, spelled, *size, address(offsets), address(ids), address(values)))
    return offsets, ids, values


def _bases(array):
    """The addresses of three components of the first point, and the bytes of a point."""
    row = array.itemsize * (1 if array.ndim == 1 else array.shape[1])
    return [ctypes.c_void_p(array.ctypes.data + k * array.itemsize) for k in range(3)] + [row]
