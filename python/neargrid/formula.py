"""Formulas, which a search runs."""

import ctypes

import numpy as np

from ._library import Error, address, check, lib, option


class Formula:
    """A formula, such as "rho += m_j * (1 - r/c)", with its constants and tables. Fields, such as m, belong to the search.

    precision     "single" (default) or "double": of fields in the formula, terms and sums
    include_self  whether a point is a neighbor of itself, with r = 0
    constants     by name, as for `set`
    """

    def __init__(self, text, *, precision="single", include_self=False, **constants):
        self._handle = None
        if "\0" in text:
            raise Error("BAD_VALUE", f"the formula has the character U+0000 (NUL) after {text.index(chr(0))} others: remove it")
        handle = ctypes.c_void_p()
        check(lib.neargrid_formula_create(text.encode(), ctypes.byref(handle)))
        self._handle = handle
        check(lib.neargrid_formula_set_precision(handle, option("PRECISION", precision)))
        check(lib.neargrid_formula_set_include_self(handle, int(include_self)))
        for name, value in constants.items():
            self.set(name, value)

    def __del__(self):
        if getattr(self, "_handle", None):
            lib.neargrid_formula_destroy(self._handle)
            self._handle = None

    def set(self, name, value):
        """Sets a constant, or a number from which `:=` goes on."""
        check(lib.neargrid_formula_set_constant(self._handle, name.encode(), float(value)))

    def set_table(self, name, values, first, last, of="r"):
        """Sets a table of values at equal steps from `first` to `last`, of "r", "r2" or "r/c". It is linear between them."""
        self._set_table(lib.neargrid_formula_set_table, name, values, (first, last), of)

    def set_cubic_table(self, name, values, first, last, of="r"):
        """As `set_table`, with a cubic spline ("not a knot") between the values, four at least, which must be finite."""
        self._set_table(lib.neargrid_formula_set_cubic_table, name, values, (first, last), of)

    def _set_table(self, function, name, values, ends, of):
        array = np.ascontiguousarray(values, np.float64)
        if array.ndim != 1:
            raise TypeError(f"{name} must have one dimension, not {array.ndim}")
        number = option("TABLE", str(of).replace("/", "_over_"))
        check(function(self._handle, name.encode(), number, *ends, len(array), address(array)))

    def get(self, name):
        """A constant, or the number that a statement has made in the last run."""
        value = ctypes.c_double()
        check(lib.neargrid_formula_number(self._handle, name.encode(), ctypes.byref(value)))
        return value.value
