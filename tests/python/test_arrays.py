"""Arrays, numbers and texts that the package takes. Valid ones of any form give the same result. Others are refused by name."""

import _thread
import ctypes
import itertools
import threading
import time
import unittest

import neargrid
import numpy as np

N = 6
LINE = np.arange(float(N))
OFFSETS, IDS = np.arange(N + 1), np.array([1, 0, 3, 2, 5, 4])  # each point with its neighbor, in index base 0


def search(**settings):
    made = neargrid.Search(cutoff=1.0, backend="cpu", **settings)
    made.set_points(LINE)
    return made


def formula(text="n += 1"):
    return neargrid.Formula(text)


def reordered(order, values=np.arange(N)):
    return neargrid.reorder(order, values)


def with_types(s):
    s.set_types([0, 1] * 3, np.ones((2, 2), int))
    return s


def with_queries(s):
    s.set_queries(LINE)
    return s


# Every array of every method, by its name in errors: a call with it, and a valid value. Each call gets a new search.
REALS = {
    "points": (lambda s, a: (s.set_points(a), s.get("x")), LINE),
    "points of axes": (lambda s, a: (s.set_points(a, a, a), s.get("x")), LINE),
    "points more": (lambda s, a: (s.add_points(a), s.count_pairs()), LINE + 6),
    "points moved": (lambda s, a: (s.update(a), s.get("x")), LINE + 1),
    "queries": (lambda s, a: (s.set_queries(a), s.count_neighbors("queries")), LINE),
    "lo": (lambda s, a: (s.set_box(a, [9.0]), s.set_points(LINE), s.count_pairs()), np.zeros(1)),
    "length": (lambda s, a: (neargrid.Search().set_box([0.0], a), 0), np.full(1, 6.0)),
    "cell": (lambda s, a: (s.set_cell(a, [1, 0, 0]), s.images()[1]), 6 * np.eye(3)),
    "cutoffs": (lambda s, a: with_types(s).set_type_cutoffs(a), np.ones((2, 2))),
    "cutoffs of lists": (lambda s, a: [rows.ids for rows in s.take_neighbors_by_cutoffs(a)], np.array([1.0, 2.0])),
    "cutoffs of systems": (lambda s, a: s.systems(LINE, [0, 3, N], a), np.array([1.0, 2.0])),
    "points of systems": (lambda s, a: s.systems(a, [0, 3, N], [1.0, 2.0]), LINE),
    "lo of systems": (lambda s, a: s.systems(LINE, [0, 3, N], [1, 1], lo=a, length=9.0, periodic=True), np.zeros((2, 1))),
    "length of systems": (lambda s, a: s.systems(LINE, [0, 3, N], [1, 1], length=a, periodic=True), np.full((2, 1), 9.0)),
    "radii": (lambda s, a: (s.set_radii(a), s.count_pairs()), np.ones(N)),
    "radii of queries": (lambda s, a: (with_queries(s).set_query_radii(a), s.count_neighbors("queries")), np.ones(N)),
    "edges": (lambda s, a: s.histogram(a), np.array([0.0, 1.0])),
    "masses": (lambda s, a: s.groups(masses=a).masses, np.ones(N)),
    "velocities": (lambda s, a: s.groups(velocities=a).velocities, np.ones(N)),
    "old_values": (lambda s, a: s.carry((OFFSETS, IDS), a, s.neighbors()), np.arange(6.0)),
    "the field 'm'": (lambda s, a: (s.set("m", a), s.get("m")), LINE),
    "the field 'm' of queries": (lambda s, a: (with_queries(s).set_query("m", a), s.get_query("m")), LINE),
    "values": (lambda s, a: (s.set_pair_field("p", (OFFSETS, IDS), a), s.pair_field("p")), LINE),
    "values by ids": (lambda s, a: (s.set_pair_field_by_ids("p", (OFFSETS, IDS), a), s.pair_field_by_ids("p")), LINE),
    "the table 'W'": (lambda s, a: formula("n += W(r)").set_table("W", a, 0, 1), LINE),
    "the table 'W', cubic": (lambda s, a: formula("n += W(r)").set_cubic_table("W", a, 0, 1), LINE),
}
WHOLE = {
    "active": (lambda s, a: (s.set_active(a), s.count_pairs()), np.array([1, 1, 1, 0, 0, 0])),
    "roles": (lambda s, a: (s.set_roles(a), s.count_pairs()), np.array([1, 1, 1, 2, 2, 0])),
    "types": (lambda s, a: (s.set_types(a, np.eye(2, dtype=int)), s.count_pairs()), np.array([0, 0, 1, 1, 0, 0])),
    "mask": (lambda s, a: (s.set_types([0, 1] * 3, a), s.count_pairs()), np.array([[0, 1], [1, 1]])),
    "primary": (lambda s, a: with_types(s).set_primary_types(a), np.array([1, 0])),
    "periodic": (lambda s, a: s.set_box([0.0], [9.0], a), np.array([1])),
    "periodic of cells": (lambda s, a: (s.set_cell(6 * np.eye(3), a), s.images()[1]), np.array([1, 0, 0])),
    "periodic of systems": (lambda s, a: s.systems(LINE, [0, 3, N], [1, 1], length=9.0, periodic=a), np.array([[1], [0]])),
    "ids": (lambda s, a: (s.set_ids(a), s.count_pairs()), np.array([5, 4, 3, 2, 1, 0])),
    "offsets of exclusions": (lambda s, a: (s.set_exclusions(a, IDS), s.count_pairs()), OFFSETS),
    "ids of exclusions": (lambda s, a: (s.set_exclusions(OFFSETS, a), s.count_pairs()), IDS),
    "classes": (lambda s, a: s.set_exclusions(OFFSETS, IDS, a), np.array([1, 1, 2, 2, 3, 3])),
    "shifts": (lambda s, a: s.set_exclusions(OFFSETS, IDS, shifts=a), np.zeros((N, 3), int)),
    "firsts": (lambda s, a: s.systems(LINE, a, [1.0, 2.0]), np.array([0, 3, N])),
    "i": (lambda s, a: s.distances(a, IDS), np.arange(N)),
    "j": (lambda s, a: s.displacements(np.arange(N), a), IDS),
    "offsets of rows": (lambda s, a: with_queries(s).query_distances(a, IDS), OFFSETS),
    "ids of rows": (lambda s, a: with_queries(s).query_displacements(OFFSETS, a), IDS),
    "offsets of old": (lambda s, a: s.lost_contacts((a, IDS), s.neighbors()), OFFSETS),
    "ids of old": (lambda s, a: s.lost_contacts((OFFSETS, a), s.neighbors()), IDS),
    "offsets of new": (lambda s, a: s.lost_contacts(s.neighbors(), (a, IDS)), OFFSETS),
    "ids of new": (lambda s, a: s.lost_contacts(s.neighbors(), (OFFSETS, a)), IDS),
    "signs": (lambda s, a: s.carry((OFFSETS, IDS), np.ones((N, 2)), s.neighbors(), signs=a), np.array([1, -1])),
    "old_global_ids": (lambda s, a: s.carry((OFFSETS, IDS), LINE, (OFFSETS, IDS), old_global_ids=a, global_ids=IDS), IDS),
    "global_ids": (lambda s, a: s.carry((OFFSETS, IDS), LINE, (OFFSETS, IDS), old_global_ids=IDS, global_ids=a), IDS),
    "offsets of rows of pairs": (lambda s, a: (s.set_pair_field("p", (a, IDS), LINE), s.pair_field("p")), OFFSETS),
    "ids of rows of pairs": (lambda s, a: (s.set_pair_field("p", (OFFSETS, a), LINE), s.pair_field("p")), IDS),
    "ids of rows by ids": (lambda s, a: s.set_pair_field_by_ids("p", (OFFSETS, a), LINE), IDS),
    "order": (lambda s, a: (reordered(a), neargrid.restore(a, LINE)), IDS),
}
SHORT = {"lo", "length", "periodic", "edges", "cutoffs of lists"}  # arrays that may have any size


def argument(name):
    """The name in texts, without the ending that identifies the call."""
    for tail in (" of axes", " more", " moved", " of lists", " of systems", " of queries", " of cells", " of pairs", " by ids", ", cubic"):
        name = name.removesuffix(tail)
    return name


def guarded(array):
    """The same values, not aligned, between bytes of another use."""
    memory = np.full(array.nbytes + 2, 0xA5, np.uint8)
    memory[1:-1] = np.frombuffer(array.tobytes(), np.uint8)
    return memory[1:-1].view(array.dtype).reshape(array.shape)


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def spaced(array):
    wide = np.zeros([2 * n for n in array.shape], array.dtype)
    inner = wide[tuple(slice(None, None, 2) for _ in array.shape)]
    inner[...] = array
    return inner


def alike(a, b):
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(alike, a, b))
    return np.array_equal(a, b)


class Inputs(unittest.TestCase):
    def test_forms(self):
        """All forms of an array give the same result, and no form is changed."""
        for name, (call, right) in {**REALS, **WHOLE}.items():
            wanted = call(search(), right)
            forms = [right.tolist(), guarded(right), read_only(right), spaced(right), np.flip(np.flip(right).copy()),
                     np.asfortranarray(right), right.astype(right.dtype.newbyteorder()), np.ma.array(right), right.astype(np.int8),
                     right.astype(np.uint64) if (right >= 0).all() else right, right.astype(right.dtype.newbyteorder(">"))]
            if set(np.unique(right)) <= {0, 1}:
                forms.append(right.astype(bool))
            if name == "mask":
                forms += [right.astype(float), right.astype(np.float32)]
            for form in forms:
                with self.subTest(name, form=form):
                    before = np.array(form)
                    found = call(search(), form)
                    self.assertTrue(alike(found, wanted), (found, wanted))
                    np.testing.assert_array_equal(np.array(form), before)

    def test_types(self):
        """Types whose values would be guessed, rounded or cut are refused. The search does not change."""
        for name, (call, right) in {**REALS, **WHOLE}.items():
            masked = np.ma.array(right, mask=np.arange(right.size).reshape(right.shape) == 0)
            wrong = [right.astype(complex), right.astype(object), right.astype(str), right.astype(bytes), right.astype("m8[s]"),
                     right.astype("M8[s]"), masked, "text", None, {}, 1j, [[1, 2], [3]], right.astype([("a", float)]),
                     np.full(right.shape, "1"), [None] * len(right)]
            if name in REALS:
                wrong += [np.full(right.shape, 2**53 + 1), np.full(right.shape, 2**70, object), right.astype(np.longdouble)]
            else:
                wrong += [right + 1.0 if name == "mask" else right.astype(float), right + 0.5, np.full(right.shape, 2**64 - 1, np.uint64), right.tolist()[:-1] + [2**70]]
                if right.ndim == 1:
                    wrong.append([2**70] * right.size)
            for value in wrong:
                if value is None and name in NONE:
                    continue
                if isinstance(value, np.ndarray) and value.dtype == np.longdouble and value.dtype.itemsize == 8:
                    continue
                with self.subTest(name, value=value):
                    made = search()
                    with self.assertRaises((TypeError, ValueError)) as caught:
                        call(made, value)
                    self.assertIn(argument(name), str(caught.exception))
                    self.assertNotIsInstance(caught.exception, ctypes.ArgumentError)
                    made.trim()
                    self.assertEqual(made.count_pairs(), N - 1)

    def test_shapes(self):
        for name, (call, right) in {**REALS, **WHOLE}.items():
            wrong = [right[None, None], np.empty((0, 0, 2), right.dtype)]
            if name not in SHORT:
                wrong += [right[:-1], np.concatenate([right, right[:1]]), right[:0]]
            if name.startswith(("points", "queries", "velocities", "old_values", "the field", "values")):
                wrong = wrong[:2] + [np.zeros((3, 4, 2), right.dtype)]
            if name.startswith(("roles", "ids", "radii")):
                wrong = [array for array in wrong if len(array)]  # an empty array means none
            if name in ("active", "primary", "types", "the table 'W'", "the table 'W', cubic", "order", "lo", "length", "cutoffs of lists") or name.endswith(" of systems") and right.ndim == 2:
                wrong = wrong[:2]
            if name.endswith("global_ids"):
                wrong = [array for array in wrong if len(array) != N + 1]  # carry takes ids that points share
            for value in wrong:
                with self.subTest(name, shape=value.shape):
                    made = search()
                    with self.assertRaises((TypeError, ValueError, neargrid.Error)):
                        call(made, value)
                        made.count_pairs()  # the library compares sizes here

    def test_ranges(self):
        """Integers that do not fit into 32 or 64 bits are refused."""
        for name, (call, right) in WHOLE.items():
            for value in (2**31, -(2**31) - 1, 2**32) if name not in LONG else (2**63, -(2**63) - 1, 2**64 + 1):
                array = right.astype(object if abs(value) >= 2**63 else np.int64)
                array.flat[0] = value
                array = array.tolist() if array.dtype == object else array
                with self.subTest(name, value=value), self.assertRaises((TypeError, ValueError)) as caught:
                    call(search(), array)
                self.assertIn(argument(name), str(caught.exception))

    def test_precisions(self):
        """Values for points in real32 must be exact in real32."""
        made = neargrid.Search(cutoff=1.0)
        made.set_points(LINE.astype(np.float32))
        self.assertEqual(made.groups(masses=[0.5] * N).masses[0], 0.5 * N)
        for given in {"masses": np.full(N, 0.1)}, {"velocities": np.full(N, 1e300)}:
            with self.assertRaisesRegex(ValueError, f"{list(given)[0]} has the value .* real32"):
                made.groups(**given)
        with self.assertRaises(neargrid.Error):
            made.add_points(LINE)
        with self.assertRaisesRegex(TypeError, "one type"):
            made.set_points(LINE, LINE.astype(np.float32))
        half = search()
        half.set_points(LINE.astype(np.float16))
        self.assertEqual(half.distances([0], [1]).dtype, np.float32)

    def test_reorder(self):
        order = np.arange(3)[::-1]
        for values in np.array(["a", "bc", "d"]), np.zeros(3, [("m", "f4"), ("x", "f8", 3)]), np.arange(6).reshape(3, 2)[:, ::-1]:
            np.testing.assert_array_equal(neargrid.reorder(order, values), values[::-1])
        self.assertEqual(neargrid.reorder(order, np.empty((3, 0))).shape, (3, 0))
        self.assertEqual(neargrid.reorder([], np.empty((0, 2))).shape, (0, 2))
        with self.assertRaises(neargrid.Error):
            neargrid.reorder([0, 0, 1], np.empty((3, 0)))
        for wrong in np.array([{}, [], 1], object), np.ma.array([1, 2, 3], mask=[0, 1, 0]), [1, 2], 3:
            with self.assertRaisesRegex((TypeError, ValueError), "values"):
                neargrid.reorder(order, wrong)


NONE = {"cell", "cutoffs", "radii", "radii of queries", "masses", "velocities", "roles", "types", "primary", "ids", "offsets of exclusions",
        "ids of exclusions", "classes", "shifts", "signs", "old_global_ids", "global_ids", "lo of systems"}
LONG = {"ids", "offsets of exclusions", "firsts", "offsets of rows", "offsets of old", "offsets of new", "old_global_ids", "global_ids",
        "offsets of rows of pairs", "ids of rows by ids"}


class Outputs(unittest.TestCase):
    def test_types(self):
        made = with_queries(search())
        made.set("m", LINE)
        made.set_query("m", LINE)
        made.set_pair_field("p", (OFFSETS, IDS), LINE)
        for call in (lambda t: made.get("m", t), lambda t: made.get_query("m", t), lambda t: made.get("x", t),
                     lambda t: made.pair_field("p", t)[2], lambda t: made.pair_field_by_ids("p", t)[2]):
            for right in np.float32, np.float64, "f4", "=f8", float:
                np.testing.assert_array_equal(call(right), LINE)
            for wrong in (np.float16, np.int8, np.int32, np.int64, np.uint64, bool, complex, np.complex64, object, str, "S8", "M8[s]",
                          np.dtype("f8").newbyteorder(), np.dtype("f4").newbyteorder(), np.longdouble, "nonsense", 7, [("a", float)],
                          np.dtype((np.float64, 2))):
                if wrong is np.longdouble and np.dtype(wrong).itemsize == 8:
                    continue
                with self.subTest(wrong=wrong), self.assertRaisesRegex(TypeError, "dtype = .*float32 or float64"):
                    call(wrong)

    def test_own(self):
        """The caller may change results, except arrays in memory that the search gave away."""
        made = with_queries(search())
        made.run(formula())
        results = [*made.pairs(), *made.neighbors(), *made.padded_neighbors(), made.histogram([0, 1]), *made.chunks(99).__next__()[1:],
                   made.distances([0], [1]), made.displacements([0], [1]), *vars(made.knn(1)).values(), made.fof()[0], made.get("n"),
                   made.order(), *made.systems(LINE, [0, N], [1.0])]
        for array in results:
            self.assertTrue(array.flags.writeable and array.dtype.isnative)

    def test_before_points(self):
        """Calls that need a shape that is not known yet are refused."""
        empty = neargrid.Search(cutoff=1.0)
        for call in (lambda: empty.displacements([0], [0]), lambda: empty.query_displacements([0], []), empty.fof, empty.order,
                     lambda: empty.add_points(LINE), lambda: empty.get("x"), lambda: empty.pair_field("p")):
            with self.assertRaises((neargrid.Error, ValueError)):
                call()


class Numbers(unittest.TestCase):
    def test_integers(self):
        made, once = search(), formula()
        calls = {
            "base": (made.set_index_base, 32), "threads": (made.set_threads, 32), "device": (made.set_device, 32),
            "limit": (made.set_memory_limit, 64), "active": (made.set_active, 64), "k": (made.knn, 32), "min_size": (made.groups, 64),
            "max_entries": (lambda n: next(made.chunks(n)), 64), "times": (lambda n: made.run(once, times=n), 64),
            "max_iterations": (lambda n: made.solve_radii(once, "n", 1, 1, 2, max_iterations=n), 64),
            "base of orders": (lambda n: neargrid.reorder([0], [1], n), 32),
        }
        for name, (call, bits) in calls.items():
            for wrong in 1.5, "1", 1 + 0j, np.float64(1), True, np.True_, 2 ** (bits - 1), -(2 ** (bits - 1)) - 1, 2**bits + 1, 2**70:
                with self.subTest(name, wrong=wrong), self.assertRaisesRegex((TypeError, ValueError), f"{name.split()[0]} = "):
                    call(wrong)
        made.set_index_base(np.int8(1))
        self.assertEqual(made.knn(np.uint64(2)).ids.shape, (N, 2))
        made.run(once, times=np.array(2))

    def test_reals(self):
        made, once = search(), formula("n += a")
        calls = {
            "cutoff": made.set_cutoff, "skin": made.set_skin, "radius": made.set_knn_within, "a": lambda v: once.set("a", v),
            "first": lambda v: once.set_table("W", LINE, v, 9.0), "last": lambda v: once.set_cubic_table("W", LINE, 0.0, v),
            "target": lambda v: made.solve_radii(formula(), "n", v, 1, 2), "smallest": lambda v: made.solve_radii(formula(), "n", 1, v, 2),
            "largest": lambda v: made.solve_radii(formula(), "n", 1, 1, v),
            "tolerance": lambda v: made.solve_radii(formula(), "n", 1, 1, 2, tolerance=v),
        }
        for name, call in calls.items():
            for wrong in "1", 1j, None, [1.0], np.ones(1), 2**53 + 1, 2**70, True, object():
                with self.subTest(name, wrong=wrong), self.assertRaisesRegex((TypeError, ValueError), f"^{name} "):
                    call(wrong)
        for right in 2, 2.0, np.float32(2), np.int64(2), np.array(2.0):
            made.set_cutoff(right)
            self.assertEqual(made.count_pairs(), 9)
        for wrong in "yes", 2, None, 0.5:
            with self.assertRaisesRegex(TypeError, "include_self = "):
                neargrid.Formula("n += 1", include_self=wrong)

    def test_texts(self):
        made, once = search(), formula("n += a*U(r) + b_j + p_ij")
        calls = {
            "text": neargrid.Formula, "name": made.get, "name 2": lambda t: made.set(t, LINE), "name 3": made.pair_field,
            "name 4": made.pair_field_by_ids, "name 5": lambda t: made.set_pair_field(t, (OFFSETS, IDS), LINE),
            "name 6": lambda t: made.set_pair_field_by_ids(t, (OFFSETS, IDS), LINE), "name 7": made.get_query,
            "name 8": lambda t: made.set_query(t, LINE), "name 9": once.get, "name 10": lambda t: once.set(t, 1.0),
            "name 11": lambda t: once.set_table(t, LINE, 0, 1), "name 12": lambda t: once.set_cubic_table(t, LINE, 0, 1),
            "field": lambda t: made.solve_radii(formula(), t, 1, 1, 2),
        }
        for name, call in calls.items():
            for wrong in b"x", 3, None, ["x"], "x\0", "\0x", "a_i = 1\0; b_i = 2", "\ud800":
                with self.subTest(name, wrong=wrong), self.assertRaisesRegex((TypeError, ValueError), f"^{name.split()[0]} "):
                    call(wrong)
        for wrong in 3, None, b"full", "status", "":
            for call in made.neighbors, lambda kind: made.knn(1, kind), made.set_backend, made.counter, made.timing, made.set_tie_rule:
                with self.assertRaises((ValueError, TypeError)):
                    call(wrong)
        with self.assertRaisesRegex(ValueError, "'others', 'all', 'queries'"):
            made.knn(1, kind="max")

    def test_formulas(self):
        """A text instead of a formula is refused, and the error shows the right call."""
        made = search()
        for call in made.run, lambda f: made.solve_radii(f, "n", 1, 1, 2):
            with self.assertRaisesRegex(TypeError, r"must be a Formula: neargrid.Formula\('n \+= 1'\)"):
                call("n += 1")
            for wrong in None, 3, made:
                with self.assertRaisesRegex(TypeError, "must be a Formula"):
                    call(wrong)


class Bases(unittest.TestCase):
    """Point numbers are right in both index bases, in arguments and in results."""

    def test_each(self):
        found = []
        for base in 0, 1:
            made = search(index_base=base)
            offsets, ids = OFFSETS + base, IDS + base
            made.set_exclusions(offsets, ids)
            results = [made.count_pairs()]
            with self.assertRaisesRegex(ValueError, "7 ids"):
                made.set_exclusions(np.append(offsets[:-1], offsets[-1] + 1), ids)
            for wrong in offsets + 1, offsets - 1:
                with self.assertRaises(neargrid.Error):
                    made.set_exclusions(wrong, ids)
            made.set_exclusions(None)
            made.set_pair_field("p", (offsets, ids), LINE)
            rows = made.pair_field("p")
            results += [rows[0] - base, rows[1] - base, rows[2]]
            made.set_ids(10 * np.arange(N))
            made.set_pair_field_by_ids("q", (offsets, 10 * IDS), LINE)
            rows = made.pair_field_by_ids("q")
            results += [rows[0] - base, rows[1], rows[2]]
            made.set_ids(None)
            i, j = made.pairs()
            results += [i - base, j - base, made.distances(i, j), made.displacements(i, j)]
            old, values = made.neighbors(), np.arange(10.0)
            results += [made.carry(old, values, made.take_neighbors("half")), made.lost_contacts(old, (offsets, ids)) - base]
            firsts = np.array([0, 2, N]) + base
            results += [rows - base for rows in made.systems(LINE, firsts, [1.0, 2.0])]
            made.set_queries(LINE[:3])
            rows = made.neighbors("queries")
            results += [made.query_distances(*rows), made.query_displacements(*rows), rows[1] - base]
            groups = made.groups()
            results += [groups.labels - base, groups.members - base, groups.offsets - base, made.fof()[0] - base, made.knn(2).ids - base]
            results += [made.padded_neighbors()[0] - base, made.order() - base]
            results += [neargrid.reorder(made.order(), LINE, base), neargrid.restore(made.order(), LINE, base)]
            results += [rows - base for chunk in made.chunks(4) for rows in chunk[1:]]
            other = search(index_base=base)
            other.set_cell(6 * np.eye(3), [1, 0, 0])
            results += [rows - base for rows in other.images()[:2]]
            found.append(results)
        self.assertEqual(found[0][0], 2)
        for a, b in itertools.zip_longest(*found):
            np.testing.assert_array_equal(a, b)

    def test_systems(self):
        """Points and firsts that do not fit are refused before anything is read."""
        for firsts in [0, 3, N + 1], [0, 3, N - 1], [0, 3, 10**6], [1, 3, N]:
            with self.assertRaisesRegex(ValueError, "firsts must span 6 points"):
                search().systems(LINE, firsts, [1.0, 1.0])
        for given in {"lo": 0.0}, {"length": 9.0}, {"periodic": True}, {"lo": 0.0, "periodic": True}:
            with self.assertRaisesRegex(ValueError, "periodic"):
                search().systems(LINE, [0, N], [1.0], **given)


class Runs(unittest.TestCase):
    TEXT = "t := t + 1; s += 0.01*(1 - r); x_i = x_i + 0.001*s_i*x_i; e all+= s_i"

    def ran(self, times, parts=1):
        made, steps = neargrid.Search(cutoff=0.5, backend="cpu"), neargrid.Formula(self.TEXT, t=0.0)
        made.set_points(np.random.default_rng(2).random((300, 1)))
        for _ in range(parts):
            made.run(steps, times=times // parts)
        return made, steps

    def test_parts(self):
        """Runs have the same result on the main thread, on another thread, and as several calls."""
        short = neargrid.search._SHORT
        results = []
        try:
            for neargrid.search._SHORT in 1, short:
                results.append(self.ran(24))
        finally:
            neargrid.search._SHORT = short
        results.append(self.ran(24, parts=8))
        other = threading.Thread(target=lambda: results.append(self.ran(24)))
        other.start()
        other.join()
        for made, steps in results[1:]:
            np.testing.assert_array_equal(made.get("x"), results[0][0].get("x"))
            np.testing.assert_array_equal(made.get("s"), results[0][0].get("s"))
            self.assertEqual((steps.get("t"), steps.get("e")), (24, results[0][1].get("e")))

    def test_interrupt(self):
        """Ctrl-C ends a run after a step. The search can go on from there."""
        made, steps = self.ran(1)
        timer = threading.Timer(0.3, _thread.interrupt_main)
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            made.run(steps, times=10**9)
            time.sleep(9)
        timer.join()
        done = int(steps.get("t"))
        np.testing.assert_array_equal(made.get("x"), self.ran(done)[0].get("x"))
        made.run(steps, times=2)
        np.testing.assert_array_equal(made.get("x"), self.ran(done + 2)[0].get("x"))

    def test_times(self):
        made, steps = self.ran(1)
        with self.assertRaisesRegex(neargrid.Error, "times = -1"):
            made.run(steps, times=-1)
        made.run(steps, times=0)
        self.assertEqual(steps.get("t"), 1)


class Texts(unittest.TestCase):
    def test_precision(self):
        """A search reports a default precision, and says nothing about a chosen one."""
        made = search()
        for given, lines in ({}, 1), ({"precision": "single"}, 0), ({"precision": "double"}, 0):
            made.run(neargrid.Formula("n += 1", **given))
            found = [line for line in made.info().splitlines() if line.startswith("precision: single (by default")]
            self.assertEqual(len(found), lines)
            self.assertNotIn("set_precision", made.info())

    def test_names(self):
        """Errors use the Python names of calls."""
        made, empty = search(), neargrid.Search()
        closed = neargrid.Search()
        closed.close()
        for call, text in [
            (lambda: made.run(formula("n += m_j")), "set"), (lambda: made.run(formula("n += a")), "Formula.set"),
            (lambda: empty.count_pairs(), "set_points"), (closed.count_pairs, "this search is closed"),
            (lambda: closed.set_points(LINE), "this search is closed"), (lambda: closed.run(formula()), "this search is closed"),
        ]:
            with self.assertRaisesRegex(neargrid.Error, rf"(?<![\w]){text}") as caught:
                call()
            for name in "neargrid_", "set_field", "set_constant", "_create":
                self.assertNotIn(name, str(caught.exception))
        for text, wanted in [
            ("first call neargrid_search_set_points_f64", "first call set_points"), ("neargrid_formula_set_constant", "Formula.set"),
            ("'set_field' with set_field", "'set_field' with set"), ("set_fields", "set_fields"), ("neargrid_groups_find_f32", "groups"),
            ("made by neargrid_search_create", "made by Search"),
        ]:
            self.assertEqual(neargrid._library.in_python(text), wanted)


if __name__ == "__main__":
    unittest.main()
