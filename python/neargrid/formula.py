"""Formulas, which a search runs."""

import ctypes

import numpy as np

from ._arrays import flag, real, taken
from ._arrays import text as spelled
from ._library import address, check, lib, option


class Formula:
    """A formula, such as "rho += m_j * (1 - r/c)", with its constants and tables. Fields, such as m, belong to the search.

    precision     "single" (default) or "double": of fields in the formula, terms and sums
    include_self  whether a point is a neighbor of itself, with r = 0
    constants     by name, as for `set`
    """

    def __init__(self, text, *, precision=None, include_self=False, **constants):
        self._handle = None
        handle = ctypes.c_void_p()
        check(lib.neargrid_formula_create(spelled(text, "text"), ctypes.byref(handle)))
        self._handle = handle
        if precision is not None:  # otherwise `info` of the search says that the precision is the default
            check(lib.neargrid_formula_set_precision(handle, option("PRECISION", precision)))
        check(lib.neargrid_formula_set_include_self(handle, flag(include_self, "include_self")))
        for name, value in constants.items():
            self.set(name, value)

    def __del__(self):
        if getattr(self, "_handle", None):
            lib.neargrid_formula_destroy(self._handle)
            self._handle = None

    def set(self, name, value):
        """Sets a constant, or a number from which `:=` goes on."""
        check(lib.neargrid_formula_set_constant(self._handle, spelled(name, "name"), real(value, name)))

    def set_table(self, name, values, first, last, of="r"):
        """Sets a table of values at equal steps from `first` to `last`, of "r", "r2" or "r/c". It is linear between them."""
        self._set_table(lib.neargrid_formula_set_table, name, values, (first, last), of)

    def set_cubic_table(self, name, values, first, last, of="r"):
        """As `set_table`, with a cubic spline ("not a knot") between the values, four at least, which must be finite."""
        self._set_table(lib.neargrid_formula_set_cubic_table, name, values, (first, last), of)

    def _set_table(self, function, name, values, ends, of):
        called, array = spelled(name, "name"), taken(values, f"the table {name!r}", np.float64)
        ends = [real(end, what) for end, what in zip(ends, ("first", "last"))]
        number = option("TABLE", of.replace("/", "_over_") if isinstance(of, str) else of)
        check(function(self._handle, called, number, *ends, len(array), address(array)))

    def get(self, name):
        """A constant, or the number that a statement has made in the last run."""
        value = ctypes.c_double()
        check(lib.neargrid_formula_number(self._handle, spelled(name, "name"), ctypes.byref(value)))
        return value.value


def handle_of(formula):
    """The handle of a Formula."""
    if not isinstance(formula, Formula):
        hint = f": neargrid.Formula({formula!r})" if isinstance(formula, str) else ""
        raise TypeError(f"formula = {formula!r} is not allowed: it must be a Formula{hint}")
    return formula._handle
