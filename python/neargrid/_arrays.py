"""Arrays, numbers and texts that pass between Python and the library. All arrays enter through `taken` and leave through `made`.

Inputs are converted if this changes no value: integers and flags become real64, and other byte orders become that of the machine.
Inputs whose values would be rounded, cut or guessed are refused by name.
"""

import operator

import numpy as np

REALS = (np.float32, np.float64)
RESULTS = (np.int32, np.int64, *REALS)
# Kinds of types that can be converted to each type, and the words for them. Flags are integers.
_SOURCES = {
    np.int32: ("iub", "integers"),
    np.int64: ("iub", "integers"),
    np.float32: ("iubf", "real numbers of at most 64 bits"),
    np.float64: ("iubf", "real numbers of at most 64 bits"),
    None: ("iubf", "real32, real64 or integers"),
}


def taken(values, what, dtype=None, dims=(1,), strided=False):
    """`values` as an aligned array of the machine's `dtype`, contiguous unless it may be `strided`. `dims` has the allowed numbers
    of dimensions, or is None for any. Without a `dtype` real32 stays real32, and other numbers become real64."""
    array = _array(values, what)
    sources, allowed = _SOURCES[dtype]
    if array.dtype.kind == "O" and array.size and all(type(value) is int for value in array.flat):
        raise ValueError(f"{what} has the value {max(array.flat, key=abs)}: integers must fit into 64 bits")
    is_empty = array.size == 0 and array.dtype == np.float64  # the type that numpy gives an empty list
    if not (array.dtype.kind in sources and array.dtype.itemsize <= 8 or is_empty):
        raise TypeError(f"{what} = {_shown(values)} is not allowed: it must be {allowed}")
    if dims is not None and array.ndim not in dims:
        wanted = " or ".join(map(str, dims))
        raise TypeError(f"{what} has {array.ndim} dimensions: it must have {wanted}")
    if dtype is None:
        dtype = np.float32 if array.dtype.kind == "f" and array.dtype.itemsize <= 4 else np.float64
    _check_values(array, what, dtype)
    array = np.require(array, dtype, "A")
    return array if strided or array.ndim == 0 else np.ascontiguousarray(array)


def taken_as_they_are(values, what):
    """`values` as a contiguous array of any type without objects."""
    array = _array(values, what)
    if array.dtype.hasobject:
        raise TypeError(f"{what} = {_shown(values)} is not allowed: its elements must be numbers, texts of one length or records of these")
    return np.ascontiguousarray(array) if array.ndim else array


def made(shape, dtype, allowed=RESULTS):
    """An array for a result. Refuses a `dtype` that is not one of the `allowed` types in the machine's byte order."""
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = None
    if found is None or found not in allowed:
        names = " or ".join(kind.__name__ for kind in allowed)
        raise TypeError(f"dtype = {dtype!r} is not allowed: it must be {names}, in the machine's byte order")
    return np.empty(shape, found)


def rows_of(rows, what, number=np.int32):
    """Offsets and ids of rows, given as a List or (offsets, ids) in any index base. The number of ids must match the offsets."""
    if hasattr(rows, "offsets") and hasattr(rows, "ids"):
        rows = rows.offsets, rows.ids
    if not isinstance(rows, (tuple, list)) or len(rows) != 2:
        raise TypeError(f"{what} = {_shown(rows)} is not allowed: it must be a List or (offsets, ids)")
    offsets, ids = taken(rows[0], f"offsets of {what}", np.int64), taken(rows[1], f"ids of {what}", number)
    total = int(offsets[-1]) - int(offsets[0]) if len(offsets) else 0
    if len(ids) != total:
        raise ValueError(f"{what} must have {total} ids, as the offsets say, not {len(ids)}")
    return offsets, ids


def sized(array, what, n, why):
    """`array`, if it has `n` elements. `why` explains this number."""
    if len(array) != n:
        raise ValueError(f"{what} must have {n} elements, {why}, not {len(array)}")
    return array


def values_of(values, what, n, why):
    """A number or a vector for each of `n` entries."""
    array = taken(values, what, dims=None)
    if array.ndim not in (1, 2) or len(array) != n:
        raise ValueError(f"{what} must have {n} rows, {why}, not the shape {array.shape}")
    return array


def square(values, what, dtype):
    """A table with as many rows as columns."""
    table = taken(values, what, dtype, dims=(2,))
    if table.shape[0] != table.shape[1]:
        raise TypeError(f"{what} must be a square table, not of shape {table.shape}")
    return table


def spread(values, what, shape):
    """`values` repeated to a shape, as a contiguous array."""
    try:
        return np.ascontiguousarray(np.broadcast_to(values, shape))
    except ValueError:
        raise ValueError(f"{what} of shape {values.shape} do not fit: the shape must be {shape}") from None


def flags(values, what):
    """A square table of integers for C. It may be of real numbers that are 0 or 1, as numpy.ones makes them."""
    table = _array(values, what)
    if table.dtype in REALS and np.isin(table, (0, 1)).all():
        table = table.astype(np.int32)
    return square(table, what, np.int32)


def integer(value, what, bits=64):
    """An integer that fits into `bits` bits."""
    try:
        number = None if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{what} = {_shown(value)} is not allowed: it must be an integer")
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise ValueError(f"{what} = {number} is not allowed: it must be from -2^{bits - 1} to 2^{bits - 1} - 1")
    return number


def real(value, what):
    """A number in real64."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{what} = {value!r} is not allowed: it must be a real number")
    return float(taken(value, what, np.float64, dims=(0,)))


def flag(value, what):
    """True or False as an integer for C."""
    if not isinstance(value, (bool, np.bool_)) and not (isinstance(value, (int, np.integer)) and value in (0, 1)):
        raise TypeError(f"{what} = {_shown(value)} is not allowed: it must be True or False")
    return int(value)


def text(value, what):
    """A text as bytes for C, where a text ends at the first NUL."""
    if not isinstance(value, str):
        raise TypeError(f"{what} = {_shown(value)} is not allowed: it must be a str")
    if "\0" in value:
        raise ValueError(f"{what} has a NUL as character {value.index(chr(0)) + 1}: remove it")
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} = {value!a} is not allowed: {error.reason}") from None


def _array(values, what):
    """The caller's values as an array. Refuses masked elements, which have no meaning here."""
    if np.ma.is_masked(values):
        raise ValueError(f"{what} has masked elements: fill them, or remove them")
    try:
        return np.asarray(values)
    except (ValueError, TypeError) as error:
        raise type(error)(f"{what} is no array: {error}") from None


def _check_values(array, what, dtype):
    """Refuses values that a type cannot hold exactly."""
    if array.size == 0 or array.dtype == dtype:
        return
    if array.dtype.kind in "iu":
        if np.dtype(dtype).kind == "i":
            least, most, kind = np.iinfo(dtype).min, np.iinfo(dtype).max, np.dtype(dtype).name
        else:
            most = 2 ** (np.finfo(dtype).nmant + 1)  # larger integers may have no exact value
            least, kind = -most, f"real{8 * np.dtype(dtype).itemsize}"
        for found in int(array.min()), int(array.max()):
            if not least <= found <= most:
                raise ValueError(f"{what} has the value {found}: integers that become {kind} must be from {least} to {most}")
    elif array.dtype.kind == "f" and array.dtype.itemsize > np.dtype(dtype).itemsize:
        with np.errstate(over="ignore"):
            narrow = array.astype(dtype)
        changed = (narrow != array) & ~np.isnan(array)
        if changed.any():
            raise ValueError(f"{what} has the value {array[changed][0]!r}, which real32 cannot hold: round it with astype(numpy.float32)")


def _shown(value):
    """A value as the text of an error shows it."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}"
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
