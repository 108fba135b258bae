"""Finds the library, declares its functions, and turns statuses into exceptions.

The library is, in this order: the file that NEARGRID_LIBRARY names, the one in this folder, which wheels have, and the one that the
system's loader finds.
"""

import ctypes
import os
import pathlib
import re
import sys

import numpy as np

from . import _c


class Error(Exception):
    """A call that failed. `status` is its name, such as "BAD_CUTOFF"; the text names the argument, its value and what is allowed."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


def _load():
    named = os.environ.get("NEARGRID_LIBRARY")
    here = pathlib.Path(__file__).parent
    if sys.platform == "darwin":
        names = ["libneargrid.dylib"]
    elif sys.platform == "win32":
        names = ["neargrid.dll"]
    else:
        names = [f"libneargrid.so.{_c.SOVERSION}", "libneargrid.so"]
    beside = [str(here / name) for name in names if (here / name).exists()]
    candidates = [named] if named else beside + names
    failures = []
    for name in candidates:
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            failures.append(str(error))
    raise ImportError(f"the neargrid library was not found; NEARGRID_LIBRARY may name it ({'; '.join(failures)})")


def _declared(library):
    for name, (result, arguments) in _c.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"the neargrid library has no {name}: it is of another version than this package") from None
        function.restype, function.argtypes = result, arguments
    found = library.neargrid_abi_version()
    if found != _c.ABI_VERSION:
        raise ImportError(f"the neargrid library has ABI version {found}; this package needs {_c.ABI_VERSION}")
    return library


lib = _declared(_load())


def version():
    """The version of the library."""
    return lib.neargrid_version().decode()


# Calls in texts of the library whose Python methods have other names.
CALLS = {
    "set_field for queries": "set_query",
    "set_field": "set",
    "set_constant": "Formula.set",
    "set_precision": "precision=",
    "set_include_self": "include_self=",
    "groups_find": "groups",
    "chunks_begin": "chunks",
    "neighbors_take": "take_neighbors",
    "search_create": "Search",
    "formula_create": "Formula",
}
# Names of calls in texts: those above, and full C names such as neargrid_search_set_points_f64. Quoted names stay.
_NAMES = re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, CALLS))}|neargrid_[a-z]\w*)(?![\w'])")


def in_python(text):
    """A text of the library with the Python names of its calls."""
    return _NAMES.sub(lambda match: _renamed(match[0]), text)


def _renamed(name):
    name = name.removeprefix("neargrid_").removesuffix("_f32").removesuffix("_f64")
    return CALLS.get(name) or CALLS.get(name := name.removeprefix("search_").removeprefix("formula_")) or name


def text_of(call):
    """The text that a call with a buffer, its capacity and a length gives."""
    length = ctypes.c_size_t()
    check(call(None, 0, ctypes.byref(length)))
    buffer = ctypes.create_string_buffer(length.value + 1)
    check(call(buffer, len(buffer), ctypes.byref(length)))
    return in_python(buffer.value.decode(errors="replace"))


def check(status):
    """Raises Error unless `status` is OK."""
    if status != _c.CONSTANTS["STATUS_OK"]:
        name = lib.neargrid_status_name(status).decode().removeprefix("NEARGRID_STATUS_")
        text = text_of(lib.neargrid_last_error)
        raise Error(name, "this search is closed: make another one" if text.startswith("search is NULL") else text)


def option(kind, name):
    """The number of an option, such as "full" of the kind NEIGHBORS."""
    prefix = kind + "_"
    words = [key.removeprefix(prefix).lower() for key in _c.CONSTANTS if key.startswith(prefix) and key not in _LIMITS]
    if not isinstance(name, str) or name.lower() not in words:
        allowed = ", ".join(map(repr, words))
        raise ValueError(f"{kind.lower().replace('_', ' ')} = {name!r} is not allowed: it must be one of {allowed}")
    return _c.CONSTANTS[prefix + name.upper()]


_LIMITS = {"KNN_MAX"}  # constants that are no options


def address(array):
    """The address of an array's memory, which the caller keeps alive; NULL for none."""
    return None if array is None else ctypes.c_void_p(array.ctypes.data)


def suffix(dtype):
    """The ending of functions for arrays of a real type."""
    return {np.dtype(np.float32): "f32", np.dtype(np.float64): "f64"}[np.dtype(dtype)]
