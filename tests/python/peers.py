"""Rows of images against other libraries, by their own conventions: ASE and vesin, on crystals, a molecule and random cells."""

import unittest

import numpy as np
from ase.build import bulk, molecule
from ase.neighborlist import primitive_neighbor_list
from vesin import NeighborList

import neargrid


def crystals():
    """Cells of ASE, with atoms that have left their places a little, so that no distance is a tie."""
    rng = np.random.default_rng(5)
    ethanol = molecule("CH3CH2OH")
    ethanol.center(vacuum=3)
    cells = [bulk(name) * repeat for name in ("Cu", "Si", "Fe", "Mg") for repeat in ((1, 1, 1), (2, 1, 3))]
    for atoms in cells + [bulk("NaCl", "rocksalt", a=5.64), ethanol]:
        positions = atoms.positions + rng.normal(0, 0.01, atoms.positions.shape)
        for cutoff in (2.0, 4.7):
            for periodic in ((True, True, True), (True, True, False), (False, False, False)):
                yield positions, np.array(atoms.cell), periodic, cutoff


def random_cells():
    """Sparse and flat cells of any orientation, tilts of one half, and points outside."""
    rng = np.random.default_rng(6)
    halves = np.array([[2, 0, 0], [1, 2, 0], [1, 1, 2]], float)
    for k in range(100):
        cell = halves if k % 5 == 0 else rng.normal(size=(3, 3)) * rng.uniform(0.7, 3)
        if abs(np.linalg.det(cell)) > 0.2:
            positions = rng.uniform(-1, 2, size=(rng.integers(1, 20), 3)) @ cell
            yield positions, cell, tuple(rng.integers(0, 2, 3).astype(bool)), rng.uniform(0.3, 2.5)


def entries(i, j, shifts):
    return sorted(map(tuple, np.column_stack([i, j, shifts]).astype(int)))


def ours(positions, cell, periodic, cutoff, kind="full"):
    search = neargrid.Search(cutoff=cutoff)
    search.set_cell(cell, periodic)
    search.set_points(positions)
    offsets, ids, shifts = search.images(kind)
    return np.repeat(np.arange(len(positions)), np.diff(offsets)), ids, shifts


class Peers(unittest.TestCase):
    def test_ase(self):
        for cells, least in ((crystals(), 2_000), (random_cells(), 2_000)):
            found = 0
            for positions, cell, periodic, cutoff in cells:
                wanted = primitive_neighbor_list("ijS", periodic, cell, positions, cutoff)
                self.assertEqual(entries(*ours(positions, cell, periodic, cutoff)), entries(*wanted))
                found += len(wanted[0])
            self.assertGreater(found, least)

    def test_vesin(self):
        for cells in (crystals(), random_cells()):
            compared = 0
            for positions, cell, periodic, cutoff in cells:
                if all(periodic) or not any(periodic):
                    lists = NeighborList(cutoff=cutoff, full_list=True)
                    wanted = lists.compute(points=positions, box=cell, periodic=all(periodic), quantities="ijS")
                    self.assertEqual(entries(*ours(positions, cell, periodic, cutoff)), entries(*wanted))
                    compared += 1
            self.assertGreater(compared, 15)

    def test_halves(self):
        """Half rows have one of each two opposite entries of ASE."""
        for positions, cell, periodic, cutoff in random_cells():
            half = entries(*ours(positions, cell, periodic, cutoff, "half"))
            turned = [(j, i, -a, -b, -c) for i, j, a, b, c in half]
            wanted = primitive_neighbor_list("ijS", periodic, cell, positions, cutoff)
            self.assertEqual(sorted(half + turned), entries(*wanted))


if __name__ == "__main__":
    unittest.main()
