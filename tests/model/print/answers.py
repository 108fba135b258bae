"""What programs of printed sequences compare answers with."""

import sys

import neargrid
import numpy as np
from neargrid._c import CONSTANTS

nan, inf = np.nan, np.inf
place = ["", 0]


def D(values):
    return np.array(values, np.float64)


def F(values):
    return np.array(values, np.float32)


def I(values):
    return np.array(values, np.int32)


def L(values):
    return np.array(values, np.int64)


def word(kind, number):
    """The word for a number of a kind of options."""
    names = [name for name, value in CONSTANTS.items() if name.startswith(kind + "_") and name != "KNN_MAX" and value == number]
    return names[0].removeprefix(kind + "_").lower()


def wrong(what):
    sys.exit(f"{place[0]}, call {place[1]}: {what}")


def same(found, wanted):
    """The elements are those wanted, bit for bit; any NaN is one."""
    if isinstance(wanted, np.ndarray):
        found = np.ascontiguousarray(found)
        if found.dtype != wanted.dtype:
            wrong(f"an array of {found.dtype}, {wanted.dtype} is right")
        found = found.ravel()
        if found.size != wanted.size:
            wrong(f"{found.size} elements, {wanted.size} are right")
        bits = np.int32 if wanted.itemsize == 4 else np.int64
        differ = found.view(bits) != wanted.view(bits)
        if wanted.dtype.kind == "f":
            differ &= ~(np.isnan(found) & np.isnan(wanted))
        if differ.any():
            at = int(np.flatnonzero(differ)[0])
            wrong(f"element {at} is {found[at]!r}, {wanted[at]!r} is right")
    elif found != wanted and not (found != found and wanted != wanted):
        wrong(f"{found!r}, {wanted!r} is right")


def rows_of(offsets):
    """The row of each entry, with the base of the offsets."""
    return I(np.repeat(np.arange(len(offsets) - 1) + (offsets[0] if len(offsets) else 0), np.diff(offsets)))


def run(sequences):
    for sequence in sequences:
        place[0] = sequence.__name__
        try:
            sequence()
        except Exception as error:
            print(f"{place[0]}, call {place[1]}: {type(error).__name__}: {error}")
            raise
    print("all answers are right")
