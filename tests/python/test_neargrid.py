"""The Python package against plain loops in numpy: `python -m unittest discover tests/python`."""

import gc
import threading
import unittest

import neargrid
import numpy as np


def cloud(n=400, dim=3, dtype=np.float64, seed=7):
    return np.random.default_rng(seed).random((n, dim)).astype(dtype)


def squares(a, b, length=None):
    """Squares of distances by the arithmetic that the library promises."""
    total = np.zeros((len(a), len(b)), a.dtype)
    for axis in range(a.shape[1]):
        d = a[:, None, axis] - b[None, :, axis]
        if length is not None:
            half = a.dtype.type(length / 2)
            d = np.where(d > half, d - a.dtype.type(length), np.where(d < -half, d + a.dtype.type(length), d))
        total = total + d * d
    return total


def near(points, cutoff, **box):
    square = squares(points, points, **box) <= points.dtype.type(cutoff) * points.dtype.type(cutoff)
    np.fill_diagonal(square, False)
    return square


class Systems(unittest.TestCase):
    def test_rows_of_each(self):
        points, firsts = cloud(90), np.array([0, 30, 30, 41, 90])
        cutoffs = np.array([0.3, 0.1, 0.5, 0.25])
        for box in [{}, {"length": 1.0, "periodic": (True, False, True)}]:
            for kind in ["half", "full"]:
                for dtype in [np.float64, np.float32]:
                    given = points.astype(dtype)
                    offsets, ids = neargrid.Search(threads=2).systems(given, firsts, cutoffs, kind, **box)
                    for first, end, cutoff in zip(firsts, firsts[1:], cutoffs):
                        alone = neargrid.Search(cutoff=cutoff)
                        if box:
                            alone.set_box(np.zeros(3), **box)
                        alone.set_points(given[first:end])
                        rows, own = alone.neighbors(kind)
                        np.testing.assert_array_equal(offsets[first:end + 1] - offsets[first], rows)
                        np.testing.assert_array_equal(ids[offsets[first]:offsets[end]], own + first)
        with self.assertRaises(ValueError):
            neargrid.Search().systems(points, firsts[1:], cutoffs)
        with self.assertRaises(neargrid.Error):
            neargrid.Search().systems(points, firsts, -cutoffs)


class Images(unittest.TestCase):
    def test_a_cell(self):
        cell = np.array([[1.5, 0.125, 0], [0.75, -1.25, 0.25], [-0.5, 0.625, 1.75]])
        whole = np.array([(a, b, c) for a in range(-5, 6) for b in range(-5, 6) for c in range(-5, 6)], np.int32)
        for periodic, cutoff in [((1, 1, 1), 1.0), ((1, 0, 1), 2.25), (True, 2.0), (False, 1.0)]:
            points = 2 * cloud(12)
            search = neargrid.Search(cutoff=cutoff)
            search.set_cell(cell, periodic)
            search.set_points(points)
            shifts = whole[(whole[:, ~np.broadcast_to(np.asarray(periodic, bool), 3)] == 0).all(axis=1)]
            along = [(shifts[:, 0] * cell[0, k] + shifts[:, 1] * cell[1, k]) + shifts[:, 2] * cell[2, k] for k in range(3)]
            images = (points[:, None, :] + np.stack(along, 1)[None, :, :]).reshape(-1, 3)
            near_images = squares(points, images) <= cutoff * cutoff
            near_images = near_images.reshape(len(points), len(points), len(shifts))
            near_images[range(len(points)), range(len(points)), np.flatnonzero((shifts == 0).all(axis=1))[0]] = False
            offsets, ids, found = search.images()
            rows = np.repeat(np.arange(len(points)), np.diff(offsets))
            i, j, s = np.nonzero(near_images)
            np.testing.assert_array_equal(rows, i)
            np.testing.assert_array_equal(ids, j)
            np.testing.assert_array_equal(found, shifts[s])
            self.assertEqual(2 * len(search.images("half")[1]), len(ids))
        search.set_cell(None)
        self.assertEqual(search.count_neighbors("half"), len(search.pairs()[0]))
        with self.assertRaises(TypeError):
            search.set_cell(cell[:2])


class Pairs(unittest.TestCase):
    def check(self, points, cutoff, search, **box):
        i, j = search.pairs()
        expected = np.nonzero(np.triu(near(points, cutoff, **box)))
        np.testing.assert_array_equal(i, expected[0])
        np.testing.assert_array_equal(j, expected[1])

    def test_all_shapes(self):
        for dim in (1, 2, 3):
            for dtype in (np.float32, np.float64):
                points = cloud(dim=dim, dtype=dtype)
                with neargrid.Search(cutoff=0.1) as search:
                    search.set_points(points)
                    self.check(points, 0.1, search)

    def test_layouts(self):
        points = cloud()
        wide = np.zeros((len(points), 7))
        wide[:, 2:5] = points
        backward = np.ascontiguousarray(points[::-1])
        record = np.zeros(len(points), [("mass", np.float32), ("x", np.float64, 3)])
        record["x"] = points
        search = neargrid.Search(cutoff=0.1)
        for given in [(points,), tuple(points.T), (np.asfortranarray(points),), (wide[:, 2:5],), (backward[::-1],), (record["x"],),
                      (points.tolist(),), (points.astype(">f8"),)]:
            search.set_points(*given)
            self.check(points, 0.1, search)

    def test_box(self):
        points = cloud()
        search = neargrid.Search(cutoff=0.1, box=(0, [1, 1, 1]))
        search.set_points(points)
        self.check(points, 0.1, search, length=1.0)

    def test_none(self):
        search = neargrid.Search(cutoff=0.1)
        search.set_points(np.empty((0, 3)))
        self.assertEqual([len(a) for a in search.pairs()], [0, 0])
        search.set_points(np.zeros((1, 3)))
        self.assertEqual(search.count_pairs(), 0)

    def test_results_stay(self):
        search = neargrid.Search(cutoff=0.1)
        search.set_points(cloud())
        i, j = search.pairs()
        before = i.copy()
        search.set_points(cloud(seed=8))
        search.pairs()
        search.close()
        gc.collect()
        np.testing.assert_array_equal(i, before)


class Rows(unittest.TestCase):
    def setUp(self):
        self.points = cloud()
        self.search = neargrid.Search(cutoff=0.1)
        self.search.set_points(self.points)
        self.near = near(self.points, 0.1)

    def rows(self, offsets, ids):
        return [list(ids[a:b]) for a, b in zip(offsets[:-1] - offsets[0], offsets[1:] - offsets[0])]

    def test_kinds(self):
        self.assertEqual(self.rows(*self.search.neighbors()), [list(np.nonzero(row)[0]) for row in self.near])
        self.assertEqual(self.rows(*self.search.neighbors("half")), [list(np.nonzero(row)[0]) for row in np.triu(self.near)])

    def test_queries(self):
        queries = cloud(n=50, seed=9)
        self.search.set_queries(queries)
        expected = squares(queries, self.points) <= 0.1 * 0.1
        self.assertEqual(self.rows(*self.search.neighbors("queries")), [list(np.nonzero(row)[0]) for row in expected])

        offsets, ids = self.search.neighbors("queries")
        owners = np.repeat(np.arange(50), np.diff(offsets))
        square = squares(queries, self.points)
        np.testing.assert_array_equal(self.search.query_distances(offsets, ids), np.sqrt(square[owners, ids]))
        np.testing.assert_array_equal(self.search.query_displacements(offsets, ids), queries[owners] - self.points[ids])

    def test_points_of_an_update(self):
        points, fresh = self.points.astype(np.float32), neargrid.Search(cutoff=0.1)
        for search in self.search, fresh:  # one with points of the other kind, and one without
            search.update(points)
            self.assertEqual(search.knn(3).distances.dtype, np.float32)
            self.assertEqual(search.distances([0], [1])[0], np.sqrt(squares(points[:1], points[1:2]))[0, 0])
            self.assertEqual(search.displacements([0], [1]).dtype, np.float32)
            self.assertEqual(len(search.groups(masses=np.ones(400)).masses), len(search.groups().masses))
        self.search.update(self.points)
        self.assertEqual(self.search.knn(3).distances.dtype, np.float64)

    def test_padded(self):
        table, counts = self.search.padded_neighbors()
        self.assertEqual([list(row[:count]) for row, count in zip(table, counts)], self.rows(*self.search.neighbors()))
        self.assertTrue(all((row[count:] == -1).all() for row, count in zip(table, counts)))

    def test_histogram(self):
        edges = np.linspace(0, 0.1, 11)
        square = squares(self.points, self.points)[np.nonzero(np.triu(self.near))]
        bins = np.searchsorted(edges * edges, square, side="right") - 1
        expected = np.bincount(bins, minlength=11)[:10]
        np.testing.assert_array_equal(self.search.histogram(edges), expected)

    def test_index_base(self):
        self.search.set_index_base(1)
        offsets, ids = self.search.neighbors()
        self.assertEqual(offsets[0], 1)
        self.assertEqual(self.rows(offsets, ids), [list(np.nonzero(row)[0] + 1) for row in self.near])

    def test_chunks(self):
        found, last = [], 0
        for first, offsets, ids in self.search.chunks(20):
            self.assertEqual(first, last)
            self.assertLessEqual(len(ids), 20)
            found += self.rows(offsets, ids)
            last = first + len(offsets) - 1
        self.assertEqual(found, self.rows(*self.search.neighbors()))

    def test_distances(self):
        i, j = self.search.pairs()
        square = squares(self.points, self.points)
        np.testing.assert_array_equal(self.search.distances(i, j), np.sqrt(square[i, j]))
        np.testing.assert_array_equal(self.search.displacements(i, j), self.points[i] - self.points[j])

    def test_types_and_ghosts(self):
        types = np.arange(len(self.points)) % 2
        self.search.set_types(types, [[1, 0], [0, 1]])
        alike = types[:, None] == types[None, :]
        np.testing.assert_array_equal(np.stack(self.search.pairs()), np.nonzero(np.triu(self.near & alike)))
        self.search.set_types(None, None)
        self.search.set_active(300)
        i, _ = self.search.pairs()
        self.assertTrue((i < 300).all())

    def test_type_cutoffs(self):
        types = np.arange(len(self.points)) % 2
        cutoffs = np.array([[0.1, 0.06], [0.06, 0.0]])
        self.search.set_types(types, [[1, 1], [1, 1]])
        self.search.set_type_cutoffs(cutoffs)
        of_pairs = cutoffs[types[:, None], types[None, :]]
        near = (squares(self.points, self.points) <= of_pairs * of_pairs) & (of_pairs > 0)
        np.testing.assert_array_equal(np.stack(self.search.pairs()), np.nonzero(np.triu(near, 1)))
        self.search.set_type_cutoffs(None)
        np.testing.assert_array_equal(np.stack(self.search.pairs()), np.nonzero(np.triu(self.near)))

    def test_roles(self):
        roles = np.arange(len(self.points)) % 3
        active, there = roles == 1, roles != 0
        for flags, others in [(active, ~active), (roles, there & ~active)]:
            self.search.set_active(flags) if flags is active else self.search.set_roles(flags)
            near = (self.near | self.near.T) & active[:, None]
            first = np.triu(near & active[None, :]) | near & others[None, :]
            np.testing.assert_array_equal(np.stack(self.search.pairs()), np.nonzero(first))
        self.search.set_ghost_rows("none")
        offsets, _ = self.search.neighbors("full")
        np.testing.assert_array_equal(np.diff(offsets), (near & there[None, :]).sum(1))
        self.search.set_roles(None)
        np.testing.assert_array_equal(np.stack(self.search.pairs()), np.nonzero(np.triu(self.near)))

    def test_exclusions(self):
        n = len(self.points)
        bonded = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) == 1
        rows = [np.flatnonzero(row)[::-1] for row in bonded]
        offsets, ids = np.cumsum([0] + [len(row) for row in rows]), np.concatenate(rows)
        self.search.set_exclusions(offsets, ids, np.full(len(ids), 2))
        np.testing.assert_array_equal(np.stack(self.search.pairs()), np.nonzero(np.triu(self.near & ~bonded)))
        with self.assertRaises(ValueError):
            self.search.set_exclusions(offsets, ids[:-1])
        self.search.set_exclusions(None)
        np.testing.assert_array_equal(np.stack(self.search.pairs()), np.nonzero(np.triu(self.near)))

    def test_excluded_images(self):
        search = neargrid.Search(cutoff=10.0)
        search.set_cell(np.diag([2.5, 30, 30]), (1, 0, 0))
        search.set_points([[0, 0, 0], [1.25, 0.8, 0]])
        offsets, ids, shifts = search.images("full")
        search.set_exclusions([0, 2, 4], [1, 1, 0, 0], shifts=[[0, 0, 0], [-1, 0, 0], [0, 0, 0], [1, 0, 0]])
        bonded = (ids == 1) & (shifts[:, 0] > -2) & (shifts[:, 0] < 1)
        bonded[offsets[1]:] = (ids[offsets[1]:] == 0) & (shifts[offsets[1]:, 0] > -1) & (shifts[offsets[1]:, 0] < 2)
        for found, wanted in zip(search.images("full")[1:], (ids[~bonded], shifts[~bonded])):
            np.testing.assert_array_equal(found, wanted)
        self.assertEqual(len(search.images("half")[1]), 14)
        for wrong in [[0, 0, 0]], [0] * 12, np.zeros((4, 2), int), np.zeros((4, 3)):
            with self.assertRaisesRegex((ValueError, TypeError), "shifts"):
                search.set_exclusions([0, 2, 4], [1, 1, 0, 0], shifts=wrong)
        with self.assertRaisesRegex(neargrid.Error, "itself without a shift"):
            search.set_exclusions([0, 2, 2], [0, 0], shifts=[[0, 0, 0], [1, 0, 0]])
        search.set_exclusions([0, 2, 2], [0, 0], shifts=[[-1, 0, 0], [1, 0, 0]])
        self.assertEqual(len(search.images("half")[1]), 15)
        search.set_exclusions([0, 0, 0], [], shifts=[])
        self.assertEqual(len(search.images("half")[1]), 16)

    def test_radii(self):
        radii = np.linspace(0.02, 0.12, len(self.points))
        self.search.set_radii(radii, "max")
        largest = np.maximum(radii[:, None], radii[None, :])
        expected = squares(self.points, self.points) <= largest * largest
        np.testing.assert_array_equal(np.stack(self.search.pairs()), np.nonzero(np.triu(expected, 1)))
        self.search.set_radii(None)
        np.testing.assert_array_equal(np.stack(self.search.pairs()), np.nonzero(np.triu(self.near)))

    def test_order(self):
        order = self.search.order()
        self.assertEqual(sorted(order), list(range(len(self.points))))
        moved = neargrid.reorder(order, self.points)
        np.testing.assert_array_equal(moved, self.points[order])
        np.testing.assert_array_equal(neargrid.restore(order, moved), self.points)

    def test_pair_fields(self):
        random, ages = np.random.default_rng(5), {}
        x = random.random((80, 2))
        text = "age_ij = age_ij + 1; way_ij = way_ij + d; sum += age_ij; x_i = x_i + 0.02*u_i"
        search, formula = neargrid.Search(cutoff=0.2), neargrid.Formula(text, precision="double")
        search.set_points(x)
        for _ in range(6):
            search.set("u", random.random((80, 2)) - 0.5)
            d = x[:, None] - x[None]
            touching = d[..., 0] ** 2 + d[..., 1] ** 2 <= 0.2 * 0.2
            pairs = [(i, j) for i in range(80) for j in range(80) if i != j and touching[i, j]]
            ages = {pair: ages.get(pair, 0) + 1 for pair in pairs}
            search.run(formula)
            offsets, ids, values = search.pair_field("age")
            self.assertEqual(list(zip(np.repeat(np.arange(80), np.diff(offsets)), ids)), pairs)
            self.assertEqual(list(values), list(ages.values()))
            x = search.get("x")
        rows, ways = (offsets, ids), search.pair_field("way")[2]
        self.assertEqual(ways.shape, (len(ids), 2))
        search.set_pair_field("age", rows, np.full(len(ids), 0.5, np.float32))
        self.assertTrue((search.pair_field("age", np.float32)[2] == 0.5).all())
        for wrong in (rows, ways[1:]), (rows, ways[:, :, None]), ((offsets, ids[1:]), ways):
            with self.assertRaises(ValueError):
                search.set_pair_field("way", *wrong)
        with self.assertRaisesRegex(neargrid.Error, "no field 'none' of pairs"):
            search.pair_field("none")
        other, names = neargrid.Search(cutoff=0.2), 5 * np.arange(80) - 7
        search.set_ids(names)
        search.run(neargrid.Formula("age_ij = 1 + 0*r"))
        offsets, ids, values = search.pair_field_by_ids("age", np.float32)
        self.assertEqual(set(values), {1})
        other.set_points(search.get("x"))
        other.set_ids(names)
        other.set_pair_field_by_ids("age", (offsets, ids), values)
        for got, want in zip(other.pair_field("age"), search.pair_field("age")):
            np.testing.assert_array_equal(got, want)
        with self.assertRaisesRegex(neargrid.Error, "of ids is .*more than"):
            other.set_pair_field_by_ids("age", (offsets, ids[::-1]), values)

    def test_carry(self):
        random = np.random.default_rng(3)
        n = len(self.points)
        for base, kinds, dtype in (0, ("half", "full"), np.float64), (1, ("full", "half"), np.float32):
            search = neargrid.Search(cutoff=0.15, index_base=base)
            search.set_points(self.points)
            old, old_global = search.take_neighbors(kinds[0]), np.arange(n) * 3
            values = random.random((len(old.ids), 2)).astype(dtype)
            order = random.permutation(n)[: n - 50]
            search.set_points((self.points + 0.01 * random.random(self.points.shape))[order])
            new = search.neighbors(kinds[1])
            numbers = {"old_global_ids": old_global, "global_ids": old_global[order]}
            found = search.carry(old, values, new, signs=[1, -1], **numbers)
            self.assertEqual((found.dtype, found.shape), (dtype, (len(new[1]), 2)))
            pairs = [self.pairs(old.offsets, old.ids, old_global), self.pairs(*new, old_global[order])]
            table = dict(zip(pairs[0], values))
            for (a, b), value in zip(pairs[1], found):
                turned = table.get((b, a), np.zeros(2)) * [1, -1]
                np.testing.assert_array_equal(value, table.get((a, b), turned))
            there = set(pairs[1]) | {(b, a) for a, b in pairs[1]}
            lost = [k + base for k, pair in enumerate(pairs[0]) if pair not in there]
            self.assertEqual(list(search.lost_contacts(old, new, **numbers)), lost)
            self.assertTrue(0 < len(lost) < len(old.ids))
            none = np.empty(0, np.int64), np.empty(0, np.int32)
            self.assertFalse(search.carry(none, np.empty(0), new).any())
            self.assertEqual(len(search.lost_contacts(old, none)), len(old.ids))
            with self.assertRaisesRegex(ValueError, "signs"):
                search.carry(old, values, new, signs=[1])
            with self.assertRaisesRegex(ValueError, "old_values"):
                search.carry(old, values[1:], new)
            with self.assertRaisesRegex(neargrid.Error, "sign"):
                search.carry(old, values, new, signs=[1, 0])

    def pairs(self, offsets, ids, names):
        base = int(offsets[0])
        rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        return list(zip(names[rows].tolist(), names[ids - base].tolist()))

    def test_skin(self):
        search = neargrid.Search(cutoff=0.1, skin=0.02)
        search.set_points(self.points)
        search.pairs()
        moved = self.points + 0.001
        search.update(moved)
        np.testing.assert_array_equal(np.stack(search.pairs()), np.nonzero(np.triu(near(moved, 0.1))))


class Others(unittest.TestCase):
    def test_knn(self):
        points = cloud(dtype=np.float32)
        search = neargrid.Search()
        search.set_points(points)
        found = search.knn(5)
        square = squares(points, points)
        np.fill_diagonal(square, np.inf)
        expected = np.argsort(square, axis=1, kind="stable")[:, :5]
        np.testing.assert_array_equal(found.ids, expected)
        np.testing.assert_array_equal(found.distances, np.sqrt(np.take_along_axis(square, expected, 1)))
        self.assertTrue((found.counts == 5).all())
        search.set_knn_within(0.0625)
        found = search.knn(5)
        counts = np.minimum((square <= np.float32(0.0625) ** 2).sum(axis=1), 5)
        np.testing.assert_array_equal(found.counts, counts)
        np.testing.assert_array_equal(found.ids, np.where(np.arange(5) < counts[:, None], expected, -1))

    def test_groups(self):
        points = cloud()
        search = neargrid.Search(cutoff=0.06)
        search.set_points(points)
        labels = np.arange(len(points))
        friends = near(points, 0.06)
        while True:
            least = np.minimum(labels, np.where(friends, labels[None, :], len(points)).min(axis=1))
            if (least == labels).all():
                break
            labels = least
        found, n = search.fof()
        np.testing.assert_array_equal(found, labels)
        self.assertEqual(n, len(np.unique(labels)))
        groups = search.groups(min_size=2, velocities=np.ones_like(points))
        names, sizes = np.unique(labels, return_counts=True)
        self.assertEqual(sorted(groups.labels), sorted(names[sizes >= 2]))
        for g, label in enumerate(groups.labels):
            members = groups.members[groups.offsets[g]:groups.offsets[g + 1]]
            np.testing.assert_array_equal(members, np.nonzero(labels == label)[0])
            np.testing.assert_allclose(groups.centers[g], points[members].mean(axis=0))
        np.testing.assert_allclose(groups.velocities, 1.0)
        self.assertIsNone(search.groups().velocities)

    def test_sum(self):
        points, mass = cloud(), np.linspace(1.0, 2.0, 400)
        search = neargrid.Search(cutoff=0.1)
        search.set_points(points)
        formula = neargrid.Formula("rho += a*m_j\nf += m_j*d", precision="double", a=2.0)
        search.set("m", mass)
        search.run(formula)
        friends = near(points, 0.1)
        np.testing.assert_allclose(search.get("rho"), 2.0 * friends @ mass, rtol=1e-14)
        d = points[:, None] - points[None, :]
        np.testing.assert_allclose(search.get("f"), np.einsum("ij,j,ijk->ik", friends, mass, d), rtol=1e-11, atol=1e-14)
        tables = neargrid.Formula("a += U(r/c)\nb += W(r2)", precision="double")
        tables.set_cubic_table("U", np.linspace(1.0, 0.0, 5) ** 3, 0.0, 1.0, of="r/c")
        tables.set_table("W", [1.0, 0.0], 0.0, 0.01, of="r2")
        search.run(tables)
        square = (d**2).sum(axis=2)
        np.testing.assert_allclose(search.get("a"), (friends * (1 - np.sqrt(square) / 0.1) ** 3).sum(axis=1), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(search.get("b"), (friends * (1 - square / 0.01)).sum(axis=1), rtol=1e-10, atol=1e-12)
        with self.assertRaises(ValueError):
            tables.set_table("W", [1.0, 0.0], 0.0, 1.0, of="r3")

    def test_steps(self):
        """Points move by a field, and a number goes on; queries have fields of their own."""
        points, velocity = cloud(), cloud(seed=1).astype(np.float32)
        search = neargrid.Search(cutoff=0.1)
        search.set_points(points)
        search.set("v", velocity)
        move = neargrid.Formula("t := t + dt\nx_i = x_i + dt*v_i", dt=0.25, t=1.0)
        search.run(move, times=2)
        self.assertEqual(move.get("t"), 1.5)
        wanted = points + 0.25 * velocity.astype(np.float64)
        wanted = wanted + 0.25 * velocity.astype(np.float64)
        np.testing.assert_array_equal(search.get("x"), wanted)
        np.testing.assert_array_equal(search.get("x", np.float32), wanted.astype(np.float32))
        np.testing.assert_array_equal(search.get("v"), velocity)
        search.set_queries(points[:9])
        search.set_query("h", np.full(9, 2.0))
        search.run(neargrid.Formula("most max= h_i"), "queries")
        self.assertEqual(search.get_query("most").shape, (9,))
        radii, outcomes = search.solve_radii(neargrid.Formula("n += 1"), "n", 6, 1e-3, 2.0, tolerance=0, max_iterations=300)
        np.testing.assert_array_equal(radii, search.knn(6, measure="radius").distances[:, 5])
        self.assertEqual(set(outcomes), {"solved"})
        with self.assertRaises(neargrid.Error) as caught:
            search.get("most")
        self.assertEqual(caught.exception.status, "BAD_STATE")
        with self.assertRaises(TypeError):
            search.set("h", 2.0)

    def test_lists(self):
        """A list that was taken stays beside the next one, and after its search."""
        search = neargrid.Search(cutoff=0.1, index_base=1)
        kept = []
        for seed in range(4):
            search.set_points(cloud(seed=seed))
            offsets, ids = search.neighbors("half")
            kept.append((search.take_neighbors("half"), offsets.copy(), ids.copy()))
        self.assertEqual(search.take_neighbors().offsets[0], 1)
        cutoffs = [0.04, 0.1, 0.07]
        for cutoff, found in zip(cutoffs, search.take_neighbors_by_cutoffs(cutoffs, "half")):
            search.set_cutoff(cutoff)
            for array, wanted in zip((found.offsets, found.ids), search.neighbors("half")):
                np.testing.assert_array_equal(array, wanted)
        ids = kept[0][0].ids
        with self.assertRaises(ValueError):
            ids[0] = 0
        search.trim()
        search.close()
        del search
        gc.collect()
        for found, offsets, wanted in kept:
            np.testing.assert_array_equal(found.offsets, offsets)
            np.testing.assert_array_equal(found.ids, wanted)
        wanted = kept[0][2]
        del kept, found
        gc.collect()
        np.testing.assert_array_equal(ids, wanted)
        empty = neargrid.Search(cutoff=0.1)
        with self.assertRaises(neargrid.Error):
            empty.take_neighbors()
        empty.set_points(np.empty((0, 3)))
        self.assertEqual((list(empty.take_neighbors().offsets), len(empty.take_neighbors().ids)), ([0], 0))

    def test_questions(self):
        search = neargrid.Search(cutoff=0.1, backend="cpu", threads=1)
        search.set_points(cloud())
        n = search.count_pairs()
        self.assertEqual(search.counter("entries"), n)
        self.assertEqual(search.counter("threads"), 1)
        self.assertGreater(search.timing(), 0)
        self.assertIn("backend: cpu", search.info())
        search.trim()
        self.assertEqual(search.count_pairs(), n)

    def test_threads(self):
        """Each thread has a search of its own."""
        counts = [None] * 4

        def count(k):
            search = neargrid.Search(cutoff=0.1)
            search.set_points(cloud(seed=k % 2))
            counts[k] = search.count_pairs()

        threads = [threading.Thread(target=count, args=(k,)) for k in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        self.assertEqual(counts[:2], counts[2:])


if __name__ == "__main__":
    unittest.main()
