"""The search: points and settings in, neighbors out."""

import ctypes
import threading
import time
from dataclasses import dataclass

import numpy as np

from . import _c
from ._arrays import flags, integer, made, real, rows_of, sized, spread, square, taken, taken_as_they_are, text, values_of
from ._fields import copy_field, copy_pair_field, set_field, set_pair_field
from ._library import address, check, lib, option, suffix, text_of
from .formula import handle_of


_STEPS = 2**62
_SHORT = 100_000  # points times steps of a first part: short enough to wait for after Ctrl-C


@dataclass(frozen=True)
class List:
    """Rows of neighbors in memory that the search gave away: with index base 0, `ids[offsets[i]:offsets[i + 1]]` is row i. The
    arrays are read-only, and no later call changes them. The memory is freed with the last of them."""

    offsets: np.ndarray
    ids: np.ndarray


@dataclass(frozen=True)
class Nearest:
    """Rows of the k nearest, ordered by distance and then by id: `ids` and `distances` have k columns, and the first `counts[i]`
    of row i are neighbors. After these the id is the index base minus 1, and the distance is infinite."""

    ids: np.ndarray
    distances: np.ndarray
    counts: np.ndarray


@dataclass(frozen=True)
class Groups:
    """Friends-of-friends groups, a row each. The members of group g are `members[offsets[g]:offsets[g + 1]]`, less the index base
    in each offset. `velocities` is None where none were given. `wide` says that a group extends over half a periodic axis or more."""

    labels: np.ndarray
    sizes: np.ndarray
    offsets: np.ndarray
    members: np.ndarray
    masses: np.ndarray
    centers: np.ndarray
    velocities: np.ndarray
    radii: np.ndarray
    wide: np.ndarray


class Search:
    """A neighbor search: points, settings, index and results, reused from call to call.

    Each setting is a keyword here and a method `set_...`. Any thread may use it, one at a time.
    """

    def __init__(self, *, cutoff=None, box=None, skin=None, tie_rule=None, index_base=None, threads=None, backend=None, device=None,
                 memory_limit=None):
        self._handle = None
        handle = ctypes.c_void_p()
        check(lib.neargrid_search_create(_c.ABI_VERSION, ctypes.byref(handle)))
        self._handle = handle
        self._dtype = None
        for name, value in [("cutoff", cutoff), ("skin", skin), ("tie_rule", tie_rule), ("index_base", index_base), ("threads", threads),
                            ("backend", backend), ("device", device), ("memory_limit", memory_limit)]:
            if value is not None:
                getattr(self, f"set_{name}")(value)
        if box is not None:
            if not isinstance(box, (tuple, list)) or not 2 <= len(box) <= 3:
                raise TypeError(f"box = {box!r} is not allowed: it must be (lo, length) or (lo, length, periodic)")
            self.set_box(*box)

    def close(self):
        """Frees all memory at once, and not when Python collects the search."""
        handle, self._handle = self._handle, None
        if handle:
            lib.neargrid_search_destroy(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()

    # --- settings ---

    def set_cutoff(self, cutoff):
        """The search radius, in the unit of the coordinates."""
        check(lib.neargrid_search_set_cutoff(self._handle, real(cutoff, "cutoff")))

    def set_skin(self, skin):
        """A skin for a Verlet list; 0 for none."""
        check(lib.neargrid_search_set_skin(self._handle, real(skin, "skin")))

    def set_knn_within(self, radius):
        """The radius within which `knn` searches; 0 (default) for any distance."""
        check(lib.neargrid_search_set_knn_within(self._handle, real(radius, "radius")))

    def set_tie_rule(self, rule):
        """Whether points exactly one cutoff apart are a pair: "inclusive" (default) or "exclusive"."""
        check(lib.neargrid_search_set_tie_rule(self._handle, option("TIE", rule)))

    def set_index_base(self, base):
        """The number of the first point, 0 (default) or 1."""
        check(lib.neargrid_search_set_index_base(self._handle, integer(base, "base", 32)))

    def set_threads(self, threads):
        """Threads of a query; 0 (default) for all that the process has."""
        check(lib.neargrid_search_set_threads(self._handle, integer(threads, "threads", 32)))

    def set_backend(self, backend):
        """Where queries run: "auto" (default), "cpu" or "gpu"."""
        check(lib.neargrid_search_set_backend(self._handle, option("BACKEND", backend)))

    def set_device(self, device):
        """The GPU by its number; None (default) for the best one."""
        choice = option("DEVICE", "best" if device is None else "index")
        number = 0 if device is None else integer(device, "device", 32)
        check(lib.neargrid_search_set_device(self._handle, choice, number))

    def set_memory_limit(self, limit):
        """The bytes that a result in memory of the library may take; 0 (default) for no limit."""
        check(lib.neargrid_search_set_memory_limit(self._handle, integer(limit, "limit")))

    def set_box(self, lo, length, periodic=True):
        """The lower corner of the box, its lengths, and which axes are periodic. Changed axes discard the points."""
        given = (lo, "lo", np.float64), (length, "length", np.float64), (periodic, "periodic", np.int32)
        arrays = [taken(values, what, dtype, dims=(0, 1)) for values, what, dtype in given]
        dim = max(array.size for array in arrays)
        lo, length, periodic = (spread(array, what, (dim,)) for array, (_, what, _) in zip(arrays, given))
        check(lib.neargrid_search_set_box(self._handle, len(lo), address(lo), address(length), address(periodic)))

    def set_cell(self, cell, periodic=True):
        """A cell of three vectors, the rows of `cell`, and which of them are periodic; None for no cell. `images` has its rows."""
        if cell is None:
            check(lib.neargrid_search_set_cell(self._handle, None, None))
            return
        cell = taken(cell, "cell", np.float64, dims=(2,))
        if cell.shape != (3, 3):
            raise TypeError(f"cell must have the shape (3, 3), not {cell.shape}")
        periodic = spread(taken(periodic, "periodic", np.int32, dims=(0, 1)), "periodic", (3,))
        check(lib.neargrid_search_set_cell(self._handle, address(cell), address(periodic)))

    # --- points ---

    def set_points(self, *points):
        """The points: an array of n rows with 1 to 3 coordinates each, or an array for each axis. The search copies them."""
        self._put("set_points", *self._axes(points))

    def add_points(self, *points):
        """More points after those that there are, such as ghosts."""
        self._put("add_points", *self._axes(points))

    def set_queries(self, *queries):
        """Places whose neighbors among the points are asked for by kind="queries"."""
        self._put("set_queries", *self._axes(queries, "queries"))

    def update(self, *points):
        """New places of the same points. Returns whether the list with the skin has to be made anew."""
        rebuilt = ctypes.c_int32()
        self._put("update", *self._axes(points), ctypes.byref(rebuilt))
        return bool(rebuilt.value)

    @property
    def skin_used(self):
        """The part of the skin that the last update used."""
        share = ctypes.c_double()
        check(lib.neargrid_search_skin_used(self._handle, ctypes.byref(share)))
        return share.value

    @staticmethod
    def _axes(points, what="points", dtype=None):
        """An array for each axis, and the bytes from one point to the next."""
        if len(points) == 1:
            table = taken(points[0], what, dtype, dims=(1, 2), strided=True)
            if table.ndim == 1:
                table = table[:, None]
            if not 1 <= table.shape[1] <= 3:
                raise TypeError(f"{what} must have the shape (n, 1 to 3), not {table.shape}")
            arrays = [table[:, axis] for axis in range(table.shape[1])]
        elif 2 <= len(points) <= 3:
            arrays = [taken(axis, what, dtype, strided=True) for axis in points]
            if any(len(a) != len(arrays[0]) or a.dtype != arrays[0].dtype for a in arrays):
                shapes = ", ".join(f"{len(a)} of {a.dtype}" for a in arrays)
                raise TypeError(f"{what} must have axes of one length and one type, not {shapes}")
        else:
            raise TypeError(f"{what} must have 1 to 3 axes, not {len(points)}")
        strides = {a.strides[0] for a in arrays}
        if len(arrays[0]) > 1 and (len(strides) > 1 or min(strides) < arrays[0].itemsize):
            arrays = [np.ascontiguousarray(a) for a in arrays]
        return arrays, arrays[0].strides[0] if len(arrays[0]) > 1 else arrays[0].itemsize * len(arrays)

    def _put(self, call, arrays, stride, *more):
        function = getattr(lib, f"neargrid_search_{call}_{suffix(arrays[0].dtype)}")
        addresses = [address(a) for a in arrays] + [None] * (3 - len(arrays))
        check(function(self._handle, len(arrays), len(arrays[0]), *addresses, stride, *more))
        if call in ("set_points", "update"):
            self._dtype = arrays[0].dtype

    # --- what is known of points ---

    def set_active(self, active):
        """Which points are active; the others are ghosts: the number of the first ones, or a flag for each point."""
        if not isinstance(active, (list, tuple)) and getattr(active, "ndim", 0) == 0:
            check(lib.neargrid_search_set_active(self._handle, integer(active, "active")))
            return
        flags = taken(active, "active", np.int32)
        if ((flags != 0) & (flags != 1)).any():
            raise ValueError(f"active has the value {flags[(flags != 0) & (flags != 1)][0]}: flags must be True or False")
        self.set_roles(np.where(flags == 1, option("ROLE", "active"), option("ROLE", "ghost")))

    def set_roles(self, roles):
        """The role of each point: 0 absent, 1 active, 2 ghost; None for all active."""
        roles = taken([] if roles is None else roles, "roles", np.int32)
        check(lib.neargrid_search_set_roles(self._handle, len(roles), address(roles), roles.itemsize))

    def set_ghost_rows(self, which):
        """The points in full rows of ghosts: "active" (default), "all" or "none"."""
        check(lib.neargrid_search_set_ghost_rows(self._handle, option("GHOST_ROWS", which)))

    def set_ghost_pairs(self, which):
        """Which pairs with ghosts half lists have: "all" (default) or "larger_ids"."""
        check(lib.neargrid_search_set_ghost_pairs(self._handle, option("GHOST_PAIRS", which)))

    def set_types(self, types, mask):
        """The type of each point, and a square table of which types interact; None for no types."""
        if types is None:
            check(lib.neargrid_search_set_types(self._handle, 0, None, 0, 0, None))
            return
        types, mask = taken(types, "types", np.int32), flags(mask, "mask")
        check(lib.neargrid_search_set_types(self._handle, len(types), address(types), types.itemsize, len(mask), address(mask)))

    def set_type_cutoffs(self, cutoffs):
        """A symmetric table of the cutoffs of pairs of types, 0 for types that are no neighbors; None for one cutoff."""
        if cutoffs is None:
            check(lib.neargrid_search_set_type_cutoffs(self._handle, 0, None))
            return
        cutoffs = square(cutoffs, "cutoffs", np.float64)
        check(lib.neargrid_search_set_type_cutoffs(self._handle, len(cutoffs), address(cutoffs)))

    def set_primary_types(self, primary):
        """For each type whether it links groups; None for all."""
        flags = taken([] if primary is None else primary, "primary", np.int32)
        check(lib.neargrid_search_set_primary_types(self._handle, len(flags), address(flags)))

    def set_ids(self, ids):
        """A global id for each point; None for none."""
        ids = taken([] if ids is None else ids, "ids", np.int64)
        check(lib.neargrid_search_set_ids(self._handle, len(ids), address(ids), ids.itemsize))

    def set_exclusions(self, offsets, ids=None, classes=None, shifts=None):
        """The points that each point does not list, as `neighbors` returns rows, and the class of each pair, 1 to 3; None for none. With
        `shifts`, three integers for each of `ids`, of each point only the image by that shift, as `images` returns them."""
        if offsets is None:
            check(lib.neargrid_search_set_exclusions(self._handle, 0, None, None, None))
            return
        offsets, ids = rows_of((offsets, [] if ids is None else ids), "exclusions")
        if len(offsets) == 0:
            raise ValueError("offsets of exclusions must have one more element than there are points, not 0")
        if classes is not None:
            classes = sized(taken(classes, "classes", np.int32), "classes", len(ids), "one for each id")
        if shifts is not None:
            shifts = taken(shifts, "shifts", np.int32, dims=(1, 2))
            if shifts.size != 3 * len(ids) or shifts.size and shifts.shape != (len(ids), 3):
                raise ValueError(f"shifts must have the shape ({len(ids)}, 3), a row for each id, not {shifts.shape}")
        rows = len(offsets) - 1, address(offsets), address(ids), address(shifts), address(classes)
        check(lib.neargrid_search_set_exclusions_shifts(self._handle, *rows))

    def set_radii(self, radii, rule="max"):
        """A radius for each point, and which of two radii decides: "max", "min", "mean", "gather" or "scatter"; None for none."""
        self._set_radii("points", radii, option("RADIUS", rule))
        if radii is None:
            self._set_radii("queries", None, 0)

    def set_query_radii(self, radii):
        """A radius for each query."""
        self._set_radii("queries", radii, 0)

    def _set_radii(self, of, radii, rule):
        if radii is None:
            check(lib.neargrid_search_set_radii_f64(self._handle, option("OF", of), 0, None, 0, rule))
            return
        radii = taken(radii, "radii")
        function = getattr(lib, f"neargrid_search_set_radii_{suffix(radii.dtype)}")
        check(function(self._handle, option("OF", of), radii.size, address(radii), radii.itemsize, rule))

    # --- queries ---

    def count_pairs(self):
        """The number of pairs."""
        n = ctypes.c_int64()
        check(lib.neargrid_pairs_count(self._handle, ctypes.byref(n)))
        return n.value

    def pairs(self):
        """All pairs as two arrays, i < j, ordered by (i, j)."""
        n = ctypes.c_int64(self.count_pairs())
        i, j = made(n.value, np.int32), made(n.value, np.int32)
        check(lib.neargrid_pairs_copy(self._handle, n.value, ctypes.byref(n), address(i), address(j)))
        return i, j

    def count_neighbors(self, kind="full"):
        """The number of neighbors in all rows."""
        n = ctypes.c_int64()
        check(lib.neargrid_neighbors_count(self._handle, option("NEIGHBORS", kind), ctypes.byref(n)))
        return n.value

    def neighbors(self, kind="full"):
        """Rows of neighbors, "half", "full" or of "queries", as offsets and ids: with index base 0, `ids[offsets[i]:offsets[i + 1]]`
        is row i."""
        number = option("NEIGHBORS", kind)
        n = ctypes.c_int64(self.count_neighbors(kind))
        offsets = made(self._rows(number) + 1, np.int64)
        ids = made(n.value, np.int32)
        rows = len(offsets) - 1
        check(lib.neargrid_neighbors_copy(self._handle, number, rows, n.value, ctypes.byref(n), address(offsets), address(ids)))
        return offsets, ids

    def systems(self, points, firsts, cutoffs, kind="full", lo=None, length=None, periodic=None):
        """Rows of neighbors of many systems at once, "half" or "full", as offsets and ids like those of `neighbors`. `points` has those of
        all systems, system k from `firsts[k]` to `firsts[k + 1]`, with a cutoff for each. Boxes, of a row a system or one for all, are
        like those of `set_box`; without `periodic` space is open."""
        arrays, stride = self._axes((points,))
        firsts, cutoffs = taken(firsts, "firsts", np.int64), taken(cutoffs, "cutoffs", np.float64)
        sized(firsts, "firsts", len(cutoffs) + 1, "one more than there are cutoffs")
        if int(firsts[-1]) - int(firsts[0]) != len(arrays[0]):
            raise ValueError(f"firsts must span {len(arrays[0])} points, the number given, not {int(firsts[-1]) - int(firsts[0])}")
        boxes = self._boxes((len(cutoffs), len(arrays)), lo, length, periodic)
        function = getattr(lib, f"neargrid_systems_view_{suffix(arrays[0].dtype)}")
        total, offsets, ids = ctypes.c_int64(), ctypes.c_void_p(), ctypes.c_void_p()
        axes = [address(axis) for axis in arrays] + [None] * (3 - len(arrays))
        check(function(self._handle, option("NEIGHBORS", kind), len(arrays), len(cutoffs), address(firsts), *axes, stride,
                       address(cutoffs), *(box if box is None else address(box) for box in boxes),
                       *map(ctypes.byref, (total, offsets, ids))))
        return _copy(offsets, np.int64, len(arrays[0]) + 1), _copy(ids, np.int32, total.value)

    @staticmethod
    def _boxes(shape, lo, length, periodic):
        """Arrays of boxes of a shape. None if space is open."""
        if periodic is None:
            if lo is not None or length is not None:
                raise ValueError("periodic = None is not allowed with lo or length: it must say which axes are periodic")
            return [None] * 3
        if length is None:
            raise ValueError("length = None is not allowed with periodic: it must have the lengths of the boxes")
        given = (0 if lo is None else lo, "lo", np.float64), (length, "length", np.float64), (periodic, "periodic", np.int32)
        return [spread(taken(values, what, dtype, dims=(0, 1, 2)), what, shape) for values, what, dtype in given]

    def images(self, kind="full"):
        """Rows of neighbors in the cell with all images, "half" or "full", as offsets, ids and shifts: entry k of row i is the image
        of j = ids[k] at `x[j] + shifts[k] @ cell`. The vector to it is `x[j] - x[i] + shifts[k] @ cell`, as in ASE; `displacements`
        has the other sign."""
        number, n = option("NEIGHBORS", kind), ctypes.c_int64()
        check(lib.neargrid_images_count(self._handle, number, ctypes.byref(n)))
        offsets = made(self.counter("points") + 1, np.int64)
        ids, shifts = made(n.value, np.int32), made((n.value, 3), np.int32)
        arrays = map(address, (offsets, ids, shifts))
        check(lib.neargrid_images_copy(self._handle, number, len(offsets) - 1, n.value, ctypes.byref(n), *arrays))
        return offsets, ids, shifts

    def take_neighbors(self, kind="full"):
        """The rows of `neighbors` as a List, without a copy: the search gives its memory away, and has the rows no more."""
        owner = _Owner()
        check(lib.neargrid_neighbors_take(self._handle, option("NEIGHBORS", kind), ctypes.byref(owner.handle)))
        return owner.list()

    def take_neighbors_by_cutoffs(self, cutoffs, kind="full"):
        """For each of `cutoffs` a List of the rows that `take_neighbors` has with that cutoff. The points are searched once."""
        cutoffs = np.atleast_1d(taken(cutoffs, "cutoffs", np.float64, dims=(0, 1)))
        owners, handles = [_Owner() for _ in cutoffs], (ctypes.c_void_p * len(cutoffs))()
        check(lib.neargrid_neighbors_take_by_cutoffs(self._handle, option("NEIGHBORS", kind), len(cutoffs), address(cutoffs), handles))
        for owner, handle in zip(owners, handles):
            owner.handle.value = handle
        return [owner.list() for owner in owners]

    def padded_neighbors(self, kind="full"):
        """The rows as a table with one row of neighbors for each point, filled with the index base minus 1, and their numbers."""
        number = option("NEIGHBORS", kind)
        n = self._rows(number)
        counts, longest = made(n, np.int32), ctypes.c_int64()
        width = 16
        while True:
            ids = made((n, width), np.int32)
            status = lib.neargrid_neighbors_padded(
                self._handle, number, n, width, ctypes.byref(longest), address(ids), address(counts)
            )
            if status != _c.CONSTANTS["STATUS_CAPACITY"]:
                check(status)
                return ids[:, : longest.value], counts
            width = longest.value

    def histogram(self, edges, kind="half"):
        """How many neighbors are in each bin of distance, from an edge on and below the next; "half" counts each pair once."""
        edges = taken(edges, "edges", np.float64)
        if len(edges) < 2:
            raise ValueError(f"edges must be two numbers or more, not {len(edges)}")
        counts = made(len(edges) - 1, np.int64)
        check(
            lib.neargrid_neighbors_histogram(
                self._handle, option("NEIGHBORS", kind), len(counts), address(edges), address(counts)
            )
        )
        return counts

    def chunks(self, max_entries, kind="full"):
        """The rows in chunks of at most `max_entries` neighbors, for lists that no memory holds: (first row, offsets, ids) each."""
        total = ctypes.c_int64()
        check(lib.neargrid_chunks_begin(self._handle, option("NEIGHBORS", kind), integer(max_entries, "max_entries"), ctypes.byref(total)))
        first, n, offsets, ids = ctypes.c_int64(), ctypes.c_int64(), ctypes.c_void_p(), ctypes.c_void_p()
        while True:
            check(lib.neargrid_chunks_next(self._handle, *map(ctypes.byref, (first, n, offsets, ids))))
            if n.value == 0:
                return
            ends = _copy(offsets, np.int64, n.value + 1)
            yield first.value, ends, _copy(ids, np.int32, int(ends[-1] - ends[0]))

    def distances(self, i, j):
        """The distance of each pair."""
        return self._measured("distances", i, j, 1)

    def displacements(self, i, j):
        """x_i - x_j of each pair, to the nearest image."""
        return self._measured("displacements", i, j, self.counter("dim"))

    def _measured(self, call, i, j, width):
        i, j = taken(i, "i", np.int32), taken(j, "j", np.int32)
        sized(j, "j", len(i), "as many as i")
        result = made((len(i),) if call == "distances" else (len(i), width), self._real())
        function = getattr(lib, f"neargrid_pairs_distances_{suffix(result.dtype)}")
        results = (address(result), None) if call == "distances" else (None, address(result))
        check(function(self._handle, len(i), address(i), address(j), *results))
        return result

    def query_distances(self, offsets, ids):
        """The distance of each entry of `queries` rows from the query of its row."""
        return self._measured_rows("distances", offsets, ids, 1)

    def query_displacements(self, offsets, ids):
        """The query of its row minus the point, of each entry of rows of queries, to the nearest image."""
        return self._measured_rows("displacements", offsets, ids, self.counter("dim"))

    def _measured_rows(self, call, offsets, ids, width):
        offsets, ids = rows_of((offsets, ids), "rows")
        sized(offsets, "offsets", self.counter("queries") + 1, "one more than there are queries")
        result = made((len(ids),) if call == "distances" else (len(ids), width), self._real())
        function = getattr(lib, f"neargrid_queries_distances_{suffix(result.dtype)}")
        results = (address(result), None) if call == "distances" else (None, address(result))
        check(function(self._handle, len(offsets) - 1, len(ids), address(offsets), address(ids), *results))
        return result

    def carry(self, old, old_values, new, signs=None, old_global_ids=None, global_ids=None):
        """Values of the contacts in `new`: those of the same pairs in `old`, each times its sign where the pair is turned, and else
        zeros. A list is a List or (offsets, ids); `old_values` has a row for each id, or a number."""
        lists, kept = self._contacts(old, new, old_global_ids, global_ids)
        old_values = values_of(old_values, "old_values", len(kept[1]), "one for each id of old")
        values = made((len(kept[4]), *old_values.shape[1:]), old_values.dtype)
        columns = old_values.shape[1] if old_values.ndim == 2 else 1
        if signs is not None:
            signs = sized(taken(signs, "signs", np.int32), "signs", columns, "one for each column of old_values")
        function = getattr(lib, f"neargrid_carry_{suffix(values.dtype)}")
        check(function(self._handle, *lists, columns, address(signs), address(old_values), address(values), None, None))
        return values

    def lost_contacts(self, old, new, old_global_ids=None, global_ids=None):
        """Positions in the ids of `old`, in the index base, of the entries whose pair `new` has in neither order."""
        lists, kept = self._contacts(old, new, old_global_ids, global_ids)
        n, lost = ctypes.c_int64(), made(len(kept[1]), np.int64)
        check(lib.neargrid_carry_f64(self._handle, *lists, 0, None, None, None, ctypes.byref(n), address(lost)))
        return lost[: n.value].copy()

    @staticmethod
    def _contacts(old, new, old_global_ids, global_ids):
        """Two lists as C takes them, and the arrays that must live until it returns."""
        given, kept = [], []
        for name, rows, points in ("old", old, old_global_ids), ("new", new, global_ids):
            offsets, ids = rows_of(rows, name)
            base = int(offsets[0]) if len(offsets) else 0
            points = None if points is None else taken(points, "old_global_ids" if name == "old" else "global_ids", np.int64)
            n = 0 if points is None else len(points)
            given += [base, max(len(offsets) - 1, 0), address(offsets), address(ids), n, address(points)]
            kept += [offsets, ids, points]
        return given, kept

    def knn(self, k, kind="others", measure="distance"):
        """The k nearest of each active point among "others" or "all", or of "queries". `measure` is "distance", "square" or
        "radius", the smallest cutoff that reaches a neighbor."""
        number, n = option("KNN", kind), ctypes.c_int64()
        function = getattr(lib, f"neargrid_knn_copy_{suffix(self._real())}")
        k = integer(k, "k", 32)
        asked = (self._handle, number, k, option("MEASURE", measure))
        status = function(*asked, 0, ctypes.byref(n), None, None, None)
        if status != _c.CONSTANTS["STATUS_CAPACITY"]:
            check(status)
        result = Nearest(made((n.value, k), np.int32), made((n.value, k), self._real()), made(n.value, np.int32))
        check(function(*asked, n.value, ctypes.byref(n), *map(address, (result.ids, result.distances, result.counts))))
        return result

    def fof(self):
        """Friends-of-friends groups, linked by the cutoff: the label of each point, and the number of groups."""
        n = ctypes.c_int64()
        labels = made(self.counter("points"), np.int32)
        check(lib.neargrid_fof_copy(self._handle, len(labels), address(labels), ctypes.byref(n)))
        return labels, n.value

    def groups(self, min_size=1, masses=None, velocities=None):
        """The catalogue of groups with at least `min_size` points; see Groups."""
        min_size, n = integer(min_size, "min_size"), ctypes.c_int64()
        if masses is None and velocities is None:
            count = self.counter("points")
            check(lib.neargrid_groups_find_f64(self._handle, min_size, count, None, 0, None, None, None, 0, ctypes.byref(n)))
        else:
            self._find(min_size, masses, velocities, n)
        labels, sizes, offsets, members, dim = (ctypes.c_void_p() for _ in range(5))
        check(lib.neargrid_groups_view_members(self._handle, *map(ctypes.byref, (n, labels, sizes, offsets, members))))
        dim = ctypes.c_int32()
        masses, centers, velocities, radii, wide = (ctypes.c_void_p() for _ in range(5))
        check(lib.neargrid_groups_view_sums(self._handle, *map(ctypes.byref, (n, dim, masses, centers, velocities, radii, wide))))
        table = (n.value, dim.value)
        ends = _copy(offsets, np.int64, n.value + 1)
        return Groups(
            labels=_copy(labels, np.int32, n.value),
            sizes=_copy(sizes, np.int64, n.value),
            offsets=ends,
            members=_copy(members, np.int32, int(ends[-1] - ends[0])),
            masses=_copy(masses, np.float64, n.value),
            centers=_copy(centers, np.float64, table),
            velocities=_copy(velocities, np.float64, table) if velocities.value else None,
            radii=_copy(radii, np.float64, n.value),
            wide=_copy(wide, np.int32, n.value).astype(bool),
        )

    def _find(self, min_size, masses, velocities, n):
        count = self.counter("points")
        dtype = self._real().type
        if masses is not None:
            masses = sized(taken(masses, "masses", dtype), "masses", count, "one for each point")
        axes, stride = ([], 0) if velocities is None else self._axes((velocities,), "velocities", dtype)
        if axes and (len(axes), len(axes[0])) != (self.counter("dim"), count):
            raise ValueError(f"velocities must have the shape ({count}, {self.counter('dim')}), the shape of the points, not ({len(axes[0])}, {len(axes)})")
        addresses = [address(a) for a in axes] + [None] * (3 - len(axes))
        function = getattr(lib, f"neargrid_groups_find_{suffix(dtype)}")
        check(function(self._handle, min_size, count, address(masses), np.dtype(dtype).itemsize, *addresses, stride, ctypes.byref(n)))

    # --- formulas, and the fields that they read and make ---

    def set(self, name, values):
        """Sets a field, which formulas read as name_i and name_j: an array with a number or a vector for each point. It is copied."""
        set_field(self._handle, "points", name, values)

    def set_query(self, name, values):
        """Sets the values that a field has for queries."""
        set_field(self._handle, "queries", name, values)

    def run(self, formula, kind="full", times=1):
        """Runs a Formula over the neighbors of each row, as often as `times` says; `get(name)` then has the fields that it makes.

        Ctrl-C ends a long run after a step, and fields and numbers are as that step left them. For this the main thread divides the
        run into parts. Then `info`, and the counters and timings of the last query, describe the last part only."""
        asked = self._handle, handle_of(formula), option("NEIGHBORS", kind)
        left, step = integer(times, "times"), _STEPS
        if threading.current_thread() is threading.main_thread():
            step = max(1, _SHORT // max(1, self.counter("points") + self.counter("queries")))
        while True:  # Python raises KeyboardInterrupt between two parts
            part, began = min(left, step), time.perf_counter()
            check(lib.neargrid_search_run(*asked, part))
            left -= part
            if left <= 0:
                return
            took = time.perf_counter() - began
            step = min(2 * step, _STEPS) if took < 0.1 else max(1, step // 2) if took > 0.4 else step

    def solve_radii(self, formula, field, target, smallest, largest, tolerance=1e-6, max_iterations=100, kind="full"):
        """For each active point, or each query, the smallest radius at which the sum `field` of a Formula over the neighbors within it
        reaches `target`, and what it is: "solved", "out_of_iterations", "above_largest" or "below_smallest"."""
        n, unsolved, dtype = ctypes.c_int64(), ctypes.c_int64(), self._real()
        function = getattr(lib, f"neargrid_solve_radii_{suffix(dtype)}")
        bounds = (target, "target"), (smallest, "smallest"), (largest, "largest"), (tolerance, "tolerance")
        asked = (self._handle, handle_of(formula), option("NEIGHBORS", kind), text(field, "field"),
                 *(real(value, what) for value, what in bounds), integer(max_iterations, "max_iterations"))
        status = function(*asked, 0, ctypes.byref(n), None, None, ctypes.byref(unsolved))
        if status != _c.CONSTANTS["STATUS_CAPACITY"]:
            check(status)
        radii, outcomes = made(n.value, dtype), made(n.value, np.int32)
        check(function(*asked, n.value, ctypes.byref(n), address(radii), address(outcomes), ctypes.byref(unsolved)))
        prefix = "OUTCOME_"
        names = {number: name.removeprefix(prefix).lower() for name, number in _c.CONSTANTS.items() if name.startswith(prefix)}
        return radii, np.array([names[outcome] for outcome in outcomes])

    def get(self, name, dtype=np.float64):
        """A copy of a field that was set or that a formula has made: a number or a vector for each point. "x" is that of the points."""
        return copy_field(self._handle, "points", name, dtype)

    def get_query(self, name, dtype=np.float64):
        """The same of queries."""
        return copy_field(self._handle, "queries", name, dtype)

    def set_pair_field(self, name, rows, values):
        """Sets values of pairs, which formulas read and make as name_ij: a number or a vector for each id of `rows`, a List of full rows
        or (offsets, ids). They are copied, and live from run to run."""
        set_pair_field(self._handle, name, rows, values)

    def pair_field(self, name, dtype=np.float64):
        """Copies of the rows that have values of a pair field, and of the values: offsets, ids, values."""
        return copy_pair_field(self._handle, name, dtype)

    def set_pair_field_by_ids(self, name, rows, values):
        """The same as `set_pair_field` by rows of global ids, (offsets, ids), each of which ascends. Set the ids before."""
        set_pair_field(self._handle, name, rows, values, by_ids=True)

    def pair_field_by_ids(self, name, dtype=np.float64):
        """The same as `pair_field` with global ids: a search with other point numbers can go on from them."""
        return copy_pair_field(self._handle, name, dtype, by_ids=True)

    def order(self):
        """The points along a space-filling curve: `x[search.order()]` has points that are near each other side by side."""
        result = made(self.counter("points"), np.int32)
        check(lib.neargrid_search_order(self._handle, len(result), address(result)))
        return result

    # --- questions ---

    def counter(self, name):
        """A number about the search or the last query, such as "entries", "threads" or "distance_tests"."""
        value = ctypes.c_int64()
        check(lib.neargrid_search_counter(self._handle, option("COUNTER", name), ctypes.byref(value)))
        return value.value

    def timing(self, phase="total"):
        """The seconds of a phase of the last query: "upload", "index", "count", "fill", "download" or "total"."""
        value = ctypes.c_double()
        check(lib.neargrid_search_timing(self._handle, option("PHASE", phase), ctypes.byref(value)))
        return value.value

    def info(self):
        """The way that the last query ran, and why: a line for each topic."""
        return text_of(lambda *to: lib.neargrid_search_info(self._handle, *to))

    def trim(self):
        """Frees all memory but points and settings."""
        check(lib.neargrid_search_trim(self._handle))

    def _rows(self, kind):
        """The number of rows of a kind."""
        return self.counter("queries" if kind == option("NEIGHBORS", "queries") else "points")

    def _real(self):
        """The type of the points."""
        return np.dtype(np.float64) if self._dtype is None else self._dtype


class _Owner:
    """A list of the library, which frees it when nothing refers to it any more."""

    def __init__(self):
        self.handle = ctypes.c_void_p()

    def list(self):
        """Its rows."""
        n, total, offsets, ids = ctypes.c_int64(), ctypes.c_int64(), ctypes.c_void_p(), ctypes.c_void_p()
        check(lib.neargrid_list_view(self.handle, *map(ctypes.byref, (n, total, offsets, ids))))
        return List(_given(self, offsets, np.int64, n.value + 1), _given(self, ids, np.int32, total.value))

    def __del__(self):
        lib.neargrid_list_destroy(self.handle)


class _Given:
    """Memory of an owner, as numpy asks for it. The array refers to this, and this to the owner."""

    def __init__(self, owner, pointer, dtype, n):
        self._owner = owner
        self.__array_interface__ = {"version": 3, "shape": (n,), "typestr": np.dtype(dtype).str, "data": (pointer.value, True)}


def _given(owner, pointer, dtype, n):
    """An array in memory of an owner, which lives as long."""
    return np.asarray(_Given(owner, pointer, dtype, n)) if n else made(0, dtype)


def reorder(order, values, base=0):
    """The rows of `values` in `order`: row k is that of point `order[k]`."""
    return _moved("reorder", order, values, base)


def restore(order, values, base=0):
    """Undoes `reorder`."""
    return _moved("restore", order, values, base)


def _moved(direction, order, values, base):
    order, values, base = taken(order, "order", np.int32), taken_as_they_are(values, "values"), integer(base, "base", 32)
    if values.ndim < 1 or len(values) != len(order):
        raise ValueError(f"values must have {len(order)} rows, as order has, not the shape {values.shape}")
    result, row = np.empty_like(values), values.nbytes // max(len(values), 1)
    # Rows without bytes cannot be passed: rows of one byte check their order.
    source, target = (values, result) if row else (np.zeros(len(order), np.int8), np.empty(len(order), np.int8))
    number = option("DIRECTION", direction)
    check(lib.neargrid_reorder(number, len(order), address(order), base, max(row, 1), address(source), address(target)))
    return result


def _copy(pointer, dtype, shape):
    """A copy of memory of the library."""
    result = made(shape, dtype)
    if result.nbytes:
        ctypes.memmove(result.ctypes.data, pointer, result.nbytes)
    return result
