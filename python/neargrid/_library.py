"""Finds the library, declares its functions, and turns statuses into exceptions.

The library is, in this order: the file that NEARGRID_LIBRARY names, the one in this folder, which wheels have, and the one that the
system's loader finds.
"""

import ctypes
import os
import pathlib
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


def text_of(call):
    """The text that a call with a buffer, its capacity and a length gives."""
    length = ctypes.c_size_t()
    check(call(None, 0, ctypes.byref(length)))
    buffer = ctypes.create_string_buffer(length.value + 1)
    check(call(buffer, len(buffer), ctypes.byref(length)))
    return buffer.value.decode()


def check(status):
    """Raises Error unless `status` is OK."""
    if status != _c.CONSTANTS["STATUS_OK"]:
        name = lib.neargrid_status_name(status).decode().removeprefix("NEARGRID_STATUS_")
        raise Error(name, text_of(lib.neargrid_last_error))


def option(kind, name):
    """The number of an option, such as "full" of the kind NEIGHBORS."""
    prefix = kind + "_"
    number = _c.CONSTANTS.get(prefix + str(name).upper())
    if number is None:
        allowed = ", ".join(repr(key.removeprefix(prefix).lower()) for key in _c.CONSTANTS if key.startswith(prefix))
        raise ValueError(f"{kind.lower().replace('_', ' ')} = {name!r} is not allowed: it must be one of {allowed}")
    return number


def address(array):
    """The address of an array's memory, which the caller keeps alive; NULL for none."""
    return None if array is None else ctypes.c_void_p(array.ctypes.data)


def suffix(dtype):
    """The ending of functions for arrays of a real type."""
    return "f32" if dtype == np.float32 else "f64"


def reals(values, what):
    """`values` as an array of real32 or real64, in the order of the machine; integers become real64."""
    array = np.asarray(values)
    if array.dtype not in (np.float32, np.float64):
        if array.dtype.kind not in "iufb" or not np.can_cast(array.dtype, np.float64):
            raise TypeError(f"{what} must be real32, real64 or integers, not {array.dtype}")
        array = array.astype(np.float32 if array.dtype == np.float16 else np.float64)
    if not array.flags.aligned or not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return array


def whole(values, dtype, what):
    """`values` as a contiguous array of one dimension, of an integer type that holds them all."""
    array = np.asarray(values)
    if array.ndim != 1 or array.size and array.dtype.kind not in "iub":
        raise TypeError(f"{what} must be an array of integers with one dimension")
    info = np.iinfo(dtype)
    if array.size and not (info.min <= int(array.min()) and int(array.max()) <= info.max):
        raise ValueError(f"{what} must be from {info.min} to {info.max}")
    return np.ascontiguousarray(array, dtype)
