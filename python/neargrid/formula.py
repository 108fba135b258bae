"""Sums over neighbors by a formula."""

import ctypes

import numpy as np

from ._library import address, check, lib, option, reals, suffix


class Formula:
    """A formula, such as "rho += m_j * cubic_spline(r, h)", with its constants, fields and tables.

    precision     "single" (default) or "double": of fields in the formula, terms and outputs
    include_self  whether a point is a neighbor of itself, with r = 0
    values        constants, fields and tables by name, as for `set`
    """

    def __init__(self, text, *, precision="single", include_self=False, **values):
        self._handle = None
        handle = ctypes.c_void_p()
        check(lib.neargrid_formula_create(text.encode(), ctypes.byref(handle)))
        self._handle = handle
        self._precision = precision
        check(lib.neargrid_formula_set_precision(handle, option("PRECISION", precision)))
        check(lib.neargrid_formula_set_include_self(handle, int(include_self)))
        for name, value in values.items():
            self.set(name, value)

    def __del__(self):
        if getattr(self, "_handle", None):
            lib.neargrid_formula_destroy(self._handle)
            self._handle = None

    def set(self, name, value):
        """Sets a constant by a number, or a field by an array with a number or a vector for each point. Arrays are copied."""
        if np.ndim(value) == 0:
            check(lib.neargrid_formula_set_constant(self._handle, name.encode(), float(value)))
        else:
            self._set_field("points", name, value)

    def set_query(self, name, values):
        """Sets the values that a field has for queries."""
        self._set_field("queries", name, values)

    def _set_field(self, of, name, values):
        array = reals(values, name)
        if array.ndim not in (1, 2):
            raise TypeError(f"{name} must have a number or a vector for each point: one dimension or two, not {array.ndim}")
        array = np.ascontiguousarray(array)
        components = array.shape[1] if array.ndim == 2 else 1
        function = getattr(lib, f"neargrid_formula_set_field_{suffix(array.dtype)}")
        check(function(self._handle, name.encode(), option("OF", of), components, len(array), *_bases(array)))

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
        """The output of the last sum: a number or a vector for each row, in the precision of the formula."""
        components, n = ctypes.c_int32(), ctypes.c_int64()
        check(lib.neargrid_formula_size(self._handle, name.encode(), ctypes.byref(components), ctypes.byref(n)))
        shape = (n.value,) if components.value == 1 else (n.value, components.value)
        result = np.empty(shape, np.float64 if self._precision == "double" else np.float32)
        function = getattr(lib, f"neargrid_formula_copy_{suffix(result.dtype)}")
        check(function(self._handle, name.encode(), components.value, n.value, *_bases(result)))
        return result


def _bases(array):
    """The addresses of three components of the first row, and the bytes of a row."""
    row = array.itemsize * (1 if array.ndim == 1 else array.shape[1])
    return [ctypes.c_void_p(array.ctypes.data + k * array.itemsize) for k in range(3)] + [row]
