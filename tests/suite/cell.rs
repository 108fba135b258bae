//! Rows of images in cells of three vectors, bit for bit against the plain loop over points and shifts.

mod excluded_images;
mod kinds;
mod long;
mod sums;

use crate::common::{Random, seed};
use neargrid::{
    Backend, Images, KnnKind, Measure, NeighborsKind, PointsView, Precision, RadiusRule, Real, Search, Status, TieRule,
    oracle,
};

const KINDS: [NeighborsKind; 2] = [NeighborsKind::Half, NeighborsKind::Full];

/// A cell, points and a cutoff.
#[derive(Clone, Debug)]
struct Crystal {
    vectors: [[f64; 3]; 3],
    periodic: [bool; 3],
    coords: Vec<f64>,
    cutoff: f64,
    /// The largest component of a shift that is tried.
    most: i32,
}

impl Crystal {
    fn vectors(&self) -> [[f64; 3]; 3] {
        std::array::from_fn(|k| if self.periodic[k] { self.vectors[k] } else { [0.0; 3] })
    }

    fn coords_as<T: Real>(&self) -> Vec<T> {
        self.coords.iter().map(|&x| T::from_f64(x)).collect()
    }

    fn truth<T: Real>(&self, rule: TieRule) -> Vec<(i32, i32, [i32; 3])> {
        let coords = self.coords_as::<T>();
        let view = PointsView::interleaved(3, &coords).unwrap();
        let most = self.periodic.map(|periodic| if periodic { self.most } else { 0 });
        let pairs = oracle::images(&view, &self.vectors(), T::from_f64(self.cutoff), rule, most);
        let is_at_end = |shift: &[i32; 3]| (0..3).any(|k| self.periodic[k] && shift[k].abs() == self.most);
        assert!(
            !pairs.iter().any(|(_, _, shift)| is_at_end(shift)),
            "too few shifts: {self:?}"
        );
        pairs
    }

    fn set<T: Precision>(&self, search: &mut Search) {
        self.set_in::<T>(3, search);
    }

    /// The same of the first `dim` axes, outside of which there is nothing.
    fn set_in<T: Precision>(&self, dim: usize, search: &mut Search) {
        let of_axes = self.coords_as::<T>();
        let coords: Vec<T> = of_axes.chunks(3).flat_map(|point| &point[..dim]).copied().collect();
        search.set_cell(&self.vectors, self.periodic).unwrap();
        search.set_cutoff(self.cutoff).unwrap();
        search
            .set_points(&PointsView::interleaved(dim, &coords).unwrap())
            .unwrap();
    }

    /// Searches in one precision, by all rules and kinds, and returns how many pairs there are.
    fn check<T: Precision>(&self, search: &mut Search) -> usize {
        self.set::<T>(search);
        self.check_rows::<T>(search)
    }

    fn check_rows<T: Precision>(&self, search: &mut Search) -> usize {
        let mut pairs = 0;
        for rule in [TieRule::Inclusive, TieRule::Exclusive] {
            search.set_tie_rule(rule);
            let truth = self.truth::<T>(rule);
            pairs += truth.len();
            for kind in KINDS {
                let wanted = oracle::image_rows(self.coords.len() / 3, &truth, kind == NeighborsKind::Full);
                for base in [0, 1] {
                    search.set_index_base(base).unwrap();
                    let found = rows(search.images(kind).unwrap(), base);
                    assert!(found == wanted, "{} {rule:?} {kind:?} base {base}: {self:?}", T::NAME);
                }
                assert_eq!(search.count_images(kind).unwrap(), wanted.1.len() as i64);
            }
        }
        pairs
    }
}

fn rows(found: Images, base: i64) -> (Vec<i64>, Vec<i32>, Vec<[i32; 3]>) {
    let offsets = found.offsets.iter().map(|offset| offset - base).collect();
    let ids = found.ids.iter().map(|id| id - base as i32).collect();
    (offsets, ids, found.shifts.to_vec())
}

fn length(a: [f64; 3]) -> f64 {
    (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
}

/// The heights of a cell along its axes.
fn heights(vectors: &[[f64; 3]; 3]) -> [f64; 3] {
    std::array::from_fn(|k| {
        let normal = cross(vectors[(k + 1) % 3], vectors[(k + 2) % 3]);
        let volume: f64 = (0..3).map(|x| vectors[k][x] * normal[x]).sum();
        volume.abs() / length(normal)
    })
}

/// A cell of any orientation and handedness that is not too flat, and points in it and up to `outside` cells away.
fn random_crystal(random: &mut Random, periodic: [bool; 3], outside: i32) -> Crystal {
    let mut vectors;
    loop {
        vectors = [0; 3].map(|_| [0; 3].map(|_| random.uniform() * 4.0 - 2.0));
        if heights(&vectors).iter().all(|&height| height > 0.5) {
            break;
        }
    }
    let least = heights(&vectors).into_iter().fold(f64::INFINITY, f64::min);
    let cells = [0.3, 0.9, 2.2][random.below(3)];
    let n = 1 + random.below(if cells < 1.0 { 20 } else { 4 });
    let mut coords = Vec::new();
    for _ in 0..n {
        let whole = |random: &mut Random| random.below(2 * outside as usize + 1) as f64 - f64::from(outside);
        let places = [0; 3].map(|_| random.uniform() + whole(random));
        coords.extend((0..3).map(|x| (0..3).map(|k| places[k] * vectors[k][x]).sum::<f64>()));
    }
    Crystal {
        vectors,
        periodic,
        coords,
        cutoff: cells * least,
        most: 2 * outside + (cells * 1.01) as i32 + 3,
    }
}

/// Cells of any orientation, sparse ones, ones smaller than the cutoff, points in and outside of them, all sets of periodic axes.
#[test]
fn random_cells() {
    let (mut random, mut search, mut pairs) = (Random(seed()), Search::new().unwrap(), 0);
    for k in 0..480 {
        let periodic = [0, 1, 2].map(|axis| (k >> axis) & 1 == 1);
        let crystal = random_crystal(&mut random, periodic, [0, 0, 1, 2][k / 8 % 4]);
        search.set_threads(1 + k as i64 % 2).unwrap();
        pairs += match k / 16 % 2 {
            0 => crystal.check::<f64>(&mut search),
            _ => crystal.check::<f32>(&mut search),
        };
    }
    assert!(pairs > 5000, "{pairs}");
}

/// Cells of points in 1D and 2D.
#[test]
fn cells_of_fewer_axes() {
    let (mut random, mut search, mut pairs) = (Random(seed()), Search::new().unwrap(), 0);
    for k in 0..160 {
        let dim = 1 + k % 2;
        let periodic = [0, 1, 2].map(|axis| axis < dim && (k >> axis) & 2 != 0);
        let mut crystal = random_crystal(&mut random, periodic, k as i32 / 8 % 2);
        crystal.vectors.iter_mut().for_each(|vector| vector[dim..].fill(0.0));
        crystal.coords.chunks_mut(3).for_each(|point| point[dim..].fill(0.0));
        let is_flat = match dim {
            1 => crystal.vectors[0][0].abs() < 0.5,
            _ => {
                (crystal.vectors[0][0] * crystal.vectors[1][1] - crystal.vectors[0][1] * crystal.vectors[1][0]).abs()
                    < 0.5
            }
        };
        if is_flat {
            continue;
        }
        (crystal.cutoff, crystal.most) = (0.25 + random.uniform(), 40);
        pairs += match k / 4 % 2 {
            0 => {
                crystal.set_in::<f64>(dim, &mut search);
                crystal.check_rows::<f64>(&mut search)
            }
            _ => {
                crystal.set_in::<f32>(dim, &mut search);
                crystal.check_rows::<f32>(&mut search)
            }
        };
    }
    assert!(pairs > 300, "{pairs}");
}

/// Lattices whose distances are exactly the cutoff, with tilts of one half.
#[test]
fn ties_in_lattices() {
    let mut search = Search::new().unwrap();
    let cells = [
        [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]],
        [[2.0, 0.0, 0.0], [1.0, 2.0, 0.0], [-1.0, 1.0, 2.0]],
        [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]],
        [[0.0, 0.0, 2.0], [0.0, 2.0, 0.0], [2.0, 1.0, 1.0]],
    ];
    for vectors in cells {
        for cutoff in [1.0, 2.0, 3.0] {
            for k in 1..8 {
                let crystal = Crystal {
                    vectors,
                    periodic: [0, 1, 2].map(|axis| (k >> axis) & 1 == 1),
                    coords: vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0, -3.0, 1.0, 0.0],
                    cutoff,
                    most: 14,
                };
                assert!(crystal.check::<f64>(&mut search) + crystal.check::<f32>(&mut search) > 0 || cutoff < 2.0);
            }
        }
    }
}

/// Points that lie many cells away have the same rows, and shifts that say so. Everything is exact here.
#[test]
fn points_far_outside() {
    let vectors = [[4.0, 0.0, 0.0], [2.0, 4.0, 0.0], [-1.0, 0.5, 8.0]];
    let (mut random, n) = (Random(seed()), 40);
    let inside: Vec<f64> = (0..3 * n).map(|_| random.below(64) as f64 / 16.0).collect();
    let cells: Vec<[i32; 3]> = (0..n)
        .map(|_| [0; 3].map(|_| random.below(2001) as i32 - 1000))
        .collect();
    let outside: Vec<f64> = (0..3 * n)
        .map(|at| {
            let by = |k: usize| f64::from(cells[at / 3][k]) * vectors[k][at % 3];
            inside[at] + by(0) + by(1) + by(2)
        })
        .collect();
    let mut search = Search::new().unwrap();
    search.set_cell(&vectors, [true; 3]).unwrap();
    search.set_cutoff(3.0).unwrap();
    for kind in KINDS {
        search
            .set_points(&PointsView::interleaved(3, &inside).unwrap())
            .unwrap();
        let (offsets, ids, mut shifts) = rows(search.images(kind).unwrap(), 0);
        for i in 0..n {
            for at in offsets[i] as usize..offsets[i + 1] as usize {
                let there = cells[ids[at] as usize];
                shifts[at] = std::array::from_fn(|k| shifts[at][k] + cells[i][k] - there[k]);
            }
        }
        search
            .set_points(&PointsView::interleaved(3, &outside).unwrap())
            .unwrap();
        assert!(ids.len() > n && rows(search.images(kind).unwrap(), 0) == (offsets, ids, shifts));
    }
}

/// Pairs by the plain loop over shifts around the one that brings the points nearest, by their places.
fn truth_around<T: Real>(crystal: &Crystal, coords: &[T], rule: TieRule) -> Vec<(i32, i32, [i32; 3])> {
    let (view, vectors) = (PointsView::interleaved(3, coords).unwrap(), crystal.vectors());
    let place = |i: usize, k: usize| {
        let normal = cross(crystal.vectors[(k + 1) % 3], crystal.vectors[(k + 2) % 3]);
        let along = |v: &dyn Fn(usize) -> f64| (0..3).map(|x| normal[x] * v(x)).sum::<f64>();
        along(&|x| view.get(x, i).to_f64()) / along(&|x| crystal.vectors[k][x])
    };
    let c2 = T::from_f64(crystal.cutoff).mul(T::from_f64(crystal.cutoff));
    let (width, mut pairs) = (2 * crystal.most + 1, Vec::new());
    for i in 0..view.len() {
        for j in i..view.len() {
            for at in 0..width.pow(3) {
                let around = [at / (width * width), at / width % width, at % width];
                let shift = [0, 1, 2].map(|k| match crystal.periodic[k] {
                    true => (place(i, k) - place(j, k)).round() as i32 + around[k] - crystal.most,
                    false => 0,
                });
                let is_again = (0..3).any(|k| !crystal.periodic[k] && around[k] != 0);
                let image = oracle::image(&view, &vectors, j, shift);
                let d = [0, 1, 2].map(|x| view.get(x, i).sub(image[x]));
                let d2 = d[0].mul(d[0]).add(d[1].mul(d[1])).add(d[2].mul(d[2]));
                let hit = d2 < c2 || (d2 == c2 && rule == TieRule::Inclusive);
                let sum: i32 = shift.iter().sum();
                let is_once = sum > 0 || (sum == 0 && (shift[2] > 0 || (shift[2] == 0 && shift[1] > 0)));
                if hit && !is_again && (i < j || is_once) {
                    pairs.push((i as i32, j as i32, shift));
                }
            }
        }
    }
    pairs
}

/// Points hundreds of cells away, where each coordinate of an image is rounded by much more than a place in the cell would be: the
/// search is as exact as the plain loop, or refuses.
#[test]
fn rounded_far_outside() {
    let (mut random, mut search, mut pairs, mut refused) = (Random(seed()), Search::new().unwrap(), 0, 0);
    for k in 0..400 {
        let mut crystal = random_crystal(&mut random, [0, 1, 2].map(|axis| (k >> axis) & 1 == 1), 1000);
        crystal.most = (2.2 * 1.01) as i32 + 3;
        crystal.set::<f32>(&mut search);
        let coords = crystal.coords_as::<f32>();
        let truth = truth_around(&crystal, &coords, TieRule::Inclusive);
        for kind in KINDS {
            let wanted = oracle::image_rows(coords.len() / 3, &truth, kind == NeighborsKind::Full);
            match search.images(kind) {
                Ok(found) => assert!(rows(found, 0) == wanted, "{crystal:?}"),
                Err(error) => {
                    assert_eq!(error.status(), Status::BadDomain);
                    refused += 1;
                }
            }
        }
        pairs += truth.len();
    }
    assert!(pairs > 500 && refused < 200, "{pairs} {refused}");
}

/// Images of one point that are a cutoff apart but for roundings, which are larger than those of points in the cell. So a search
/// with the cutoff itself would lose some.
#[test]
fn rounded_ties() {
    let (mut random, mut search, mut pairs) = (Random(seed()), Search::new().unwrap(), 0);
    for k in 0..60 {
        let (sine, cosine) = (0.3 * f64::from(k)).sin_cos();
        let vectors = [
            [0.7 * cosine, 0.7 * sine, 0.0],
            [-0.7 * sine, 0.7 * cosine, 0.0],
            [0.0, 0.35, 0.9],
        ];
        let mut coords = Vec::new();
        for _ in 0..12 {
            let by = [0; 3].map(|_| random.below(401) as f64 - 200.0);
            coords.extend((0..3).map(|x| 0.1 + (0..3).map(|k| by[k] * vectors[k][x]).sum::<f64>()));
        }
        let crystal = Crystal {
            vectors,
            periodic: [true, true, k % 2 == 0],
            coords,
            cutoff: [0.7, 1.4][k as usize % 2],
            most: 4,
        };
        crystal.set::<f32>(&mut search);
        let coords = crystal.coords_as::<f32>();
        let truth = truth_around(&crystal, &coords, TieRule::Inclusive);
        for kind in KINDS {
            let wanted = oracle::image_rows(12, &truth, kind == NeighborsKind::Full);
            assert!(rows(search.images(kind).unwrap(), 0) == wanted, "{k} {kind:?}");
        }
        pairs += truth.len();
    }
    assert!(pairs > 1000, "{pairs}");
}

/// Cells in all units of length.
#[test]
fn all_scales() {
    let (mut random, mut search) = (Random(seed()), Search::new().unwrap());
    for k in 0..64 {
        let mut crystal = random_crystal(&mut random, [true, k % 2 == 0, k % 4 < 2], 1);
        let scale = [1e-99, 1e-40, 1e-10, 1e6, 1e40, 1e99][k % 6];
        crystal.coords.iter_mut().for_each(|x| *x *= scale);
        crystal.vectors = crystal.vectors.map(|vector| vector.map(|x| x * scale));
        crystal.cutoff *= scale;
        crystal.check::<f64>(&mut search);
        if (1e-10..1e10).contains(&scale) {
            crystal.check::<f32>(&mut search);
        }
    }
}

/// Flat and long cells: the same crystal by other vectors, whose shifts are other numbers. All coordinates are exact.
#[test]
fn flat_cells() {
    let plain = [[1.0, 0.0, 0.0], [0.25, 1.0, 0.0], [0.5, -0.5, 2.0]];
    let mut random = Random(seed());
    let coords: Vec<f64> = (0..30).map(|_| random.below(256) as f64 / 64.0 - 2.0).collect();
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.75).unwrap();
    search
        .set_points(&PointsView::interleaved(3, &coords).unwrap())
        .unwrap();
    for [p, q, r] in [[3, 0, 0], [-1000, 0, 7], [20_000, 300, -5], [0, -5000, 4000]] {
        // The second vector has p of the first more, and the third q and r of the first and second.
        let mut flat = plain;
        for x in 0..3 {
            flat[1][x] += f64::from(p) * plain[0][x];
            flat[2][x] += f64::from(q) * plain[0][x] + f64::from(r) * plain[1][x];
        }
        {
            let kind = NeighborsKind::Full;
            search.set_cell(&plain, [true; 3]).unwrap();
            let (offsets, ids, shifts) = rows(search.images(kind).unwrap(), 0);
            search.set_cell(&flat, [true; 3]).unwrap();
            let found = rows(search.images(kind).unwrap(), 0);
            assert_eq!(found.0, offsets);
            let sorted = |ids: &[i32], shifts: &[[i32; 3]], row: usize| {
                let range = offsets[row] as usize..offsets[row + 1] as usize;
                let mut row: Vec<_> = range.map(|at| (ids[at], shifts[at])).collect();
                row.sort_unstable();
                row
            };
            let moved: Vec<_> = found
                .2
                .iter()
                .map(|&[a, b, c]| [a + p * b + q * c, b + r * c, c])
                .collect();
            for row in 0..10 {
                assert_eq!(sorted(&found.1, &moved, row), sorted(&ids, &shifts, row), "{p} {q} {r}");
            }
        }
    }
}

/// The rows of a denser cloud in a box of three equal axes are those of the box, as far as both are defined.
#[test]
fn a_box_is_a_cell() {
    let (mut random, n) = (Random(seed()), 3000);
    let coords: Vec<f64> = (0..3 * n)
        .map(|_| random.below(1 << 20) as f64 / f64::from(1 << 16))
        .collect();
    let (mut boxed, mut cell) = (Search::new().unwrap(), Search::new().unwrap());
    boxed.set_box(&[0.0; 3], &[16.0; 3], &[true; 3]).unwrap();
    cell.set_cell(&[[16.0, 0.0, 0.0], [0.0, 16.0, 0.0], [0.0, 0.0, 16.0]], [true; 3])
        .unwrap();
    for search in [&mut boxed, &mut cell] {
        search.set_cutoff(1.5).unwrap();
        search
            .set_points(&PointsView::interleaved(3, &coords).unwrap())
            .unwrap();
    }
    for kind in KINDS {
        let wanted = boxed.neighbors(kind).unwrap();
        let found = cell.images(kind).unwrap();
        assert!(wanted.ids.len() > n && (wanted.offsets, wanted.ids) == (found.offsets, found.ids));
        assert!(found.shifts.iter().any(|shift| *shift != [0; 3]));
    }
}

/// One handle while points, cell, cutoff and rule change, and memory is freed.
#[test]
fn changes_between_queries() {
    let (mut random, mut search) = (Random(seed()), Search::new().unwrap());
    let mut crystal = random_crystal(&mut random, [true; 3], 0);
    for step in 0..24 {
        match step % 6 {
            0 => crystal = random_crystal(&mut random, [true; 3], 0),
            1 => crystal.coords.extend([0.1, 0.2, 0.3]),
            2 => crystal.cutoff *= 0.75,
            3 => crystal.vectors[0][2] += 0.125,
            4 => search.trim().unwrap(),
            _ => crystal.periodic[step % 3] = false,
        }
        crystal.most = 8;
        crystal.check::<f64>(&mut search);
    }
    search.set_box(&[0.0; 3], &[1.0; 3], &[false; 3]).unwrap();
    assert_eq!(
        search.images(NeighborsKind::Half).unwrap_err().status(),
        Status::BadState
    );
    search.pairs().unwrap();
}

/// The energy of a crystal with one atom in its cell and a cutoff of three cells, against the sum over lattice points by hand.
#[test]
fn energy_of_a_crystal() {
    let vectors = [[1.1, 0.0, 0.0], [0.55, 0.95, 0.0], [0.55, 0.3, 0.9]];
    let cutoff = 3.3;
    let energy = |d: [f64; 3]| {
        let inverse = 1.0 / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).powi(3);
        4.0 * (inverse * inverse - inverse)
    };
    let image = |shift: [i32; 3]| -> [f64; 3] {
        std::array::from_fn(|x| (0..3).map(|k| f64::from(shift[k]) * vectors[k][x]).sum())
    };
    let mut search = Search::new().unwrap();
    search.set_cell(&vectors, [true; 3]).unwrap();
    search.set_cutoff(cutoff).unwrap();
    search
        .set_points(&PointsView::interleaved(3, &[0.3, -7.0, 0.2]).unwrap())
        .unwrap();
    let found = search.images(NeighborsKind::Half).unwrap();
    let sum: f64 = found.shifts.iter().map(|&shift| energy(image(shift))).sum();
    let (mut wanted, mut entries) = (0.0, 0);
    for a in -12..=12 {
        for b in -12..=12 {
            for c in -12..=12 {
                let d = image([a, b, c]);
                if [a, b, c] != [0; 3] && length(d) <= cutoff {
                    wanted += 0.5 * energy(d);
                    entries += 1;
                }
            }
        }
    }
    assert_eq!(2 * found.shifts.len(), entries);
    assert!(
        entries > 100 && (sum - wanted).abs() <= 1e-12 * wanted.abs(),
        "{sum} {wanted}"
    );
}

/// No points have no rows; the text about the last query tells of the layer.
#[test]
fn no_points_and_info() {
    let mut search = Search::new().unwrap();
    search
        .set_cell(&[[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0; 3]], [true, true, false])
        .unwrap();
    search.set_cutoff(0.5).unwrap();
    search
        .set_points(&PointsView::interleaved(3, &[0.0; 0]).unwrap())
        .unwrap();
    for kind in KINDS {
        let found = search.images(kind).unwrap();
        assert_eq!((found.offsets, found.ids, found.shifts.len()), (&[0][..], &[][..], 0));
    }
    search
        .set_points(&PointsView::interleaved(3, &[0.0; 3]).unwrap())
        .unwrap();
    search.images(NeighborsKind::Full).unwrap();
    let info = search.info();
    assert!(
        info.starts_with("cell: 1 points and ") && info.contains("backend: "),
        "{info}"
    );
    assert_eq!(search.counter(neargrid::Counter::Entries), 0);
    let bytes = search.counter(neargrid::Counter::BytesHeld);
    search.trim().unwrap();
    assert!(search.counter(neargrid::Counter::BytesHeld) < bytes);
    assert_eq!(search.count_images(NeighborsKind::Full).unwrap(), 0);
    search.set_cutoff(1.0).unwrap();
    assert_eq!(search.count_images(NeighborsKind::Full).unwrap(), 2);
}

/// Everything that is refused has its status, and a text that names it.
#[test]
fn refusals() {
    let mut search = Search::new().unwrap();
    let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let points = [0.0; 6];
    let view = PointsView::interleaved(3, &points).unwrap();
    let half = NeighborsKind::Half;
    let expect = |found: neargrid::Result<()>, status: Status, word: &str| {
        let error = found.unwrap_err();
        assert!(error.status() == status && error.to_string().contains(word), "{error}");
    };
    search.set_points(&view).unwrap();
    search.set_cutoff(0.5).unwrap();
    expect(search.images(half).map(drop), Status::BadState, "set_cell");
    for (vector, word) in [
        ([2.0, 0.0, 0.0], "volume"),
        ([f64::NAN; 3], "finite"),
        ([0.0; 3], "length"),
    ] {
        let refused = search.set_cell(&[unit[0], vector, unit[2]], [true; 3]);
        expect(refused, Status::BadDomain, "the second cell vector");
        let refused = search.set_cell(&[unit[0], vector, unit[2]], [true; 3]);
        expect(refused, Status::BadDomain, word);
    }
    search.set_cell(&unit, [true; 3]).unwrap();
    assert_eq!(search.count_images(half).unwrap(), 1);
    refused_in_a_cell(&mut search, &view);
    type Setter = fn(&mut Search);
    let set: [(Setter, Setter, &str); 3] = [
        (
            |s| s.set_active(Some(1)).unwrap(),
            |s| s.set_active(None).unwrap(),
            "ghosts",
        ),
        (
            |s| s.set_radii(&[1.0, 1.0], RadiusRule::Max).unwrap(),
            |s| s.clear_radii(),
            "radii",
        ),
        (
            |s| s.set_queries(&PointsView::interleaved(3, &[0.0; 3]).unwrap()).unwrap(),
            |s| s.set_points(&PointsView::interleaved(3, &[0.0; 6]).unwrap()).unwrap(),
            "queries",
        ),
    ];
    for (set, unset, word) in set {
        set(&mut search);
        expect(search.images(half).map(drop), Status::NotSupported, word);
        unset(&mut search);
        assert_eq!(search.count_images(half).unwrap(), 1, "{word}");
    }
    expect(
        search.images(NeighborsKind::Queries).map(drop),
        Status::NotSupported,
        "queries",
    );
    search.set_cutoff(1000.0).unwrap();
    expect(search.images(half).map(drop), Status::BadCount, "images");
    search.set_cutoff(2.0).unwrap();
    search.set_memory_limit(100).unwrap();
    expect(search.images(half).map(drop), Status::MemoryLimit, "limit of 100 bytes");
    search.set_memory_limit(0).unwrap();
    for far in [1e15, f64::MAX] {
        search
            .set_points(&PointsView::interleaved(3, &[far, 0.0, 0.0]).unwrap())
            .unwrap();
        expect(search.images(half).map(drop), Status::BadDomain, "origin");
    }
    search
        .set_points(&PointsView::interleaved(2, &[0.0; 4]).unwrap())
        .unwrap();
    expect(search.images(half).map(drop), Status::BadDomain, "dimension 2");
    search.clear_cell();
    assert_eq!(search.count_pairs().unwrap(), 1);
}

/// Queries that know no cell.
fn refused_in_a_cell(search: &mut Search, view: &PointsView<f64>) {
    let half = NeighborsKind::Half;
    let refused = [
        search.pairs().map(drop),
        search.count_pairs().map(drop),
        search.neighbors(half).map(drop),
        search.chunks(half, 100).map(drop),
        search.knn::<f64>(KnnKind::Others, 1, Measure::Distance).map(drop),
        search.fof().map(drop),
        search.pair_distances(&[0], &[1], &mut [0.0]),
        search.count_pairs_of(view).map(drop),
    ];
    for (k, refused) in refused.into_iter().enumerate() {
        let error = refused.unwrap_err();
        assert!(
            error.status() == Status::NotSupported && error.to_string().contains("set_cell"),
            "{k}: {error}"
        );
    }
    search.set_points(view).unwrap(); // a count of lent points has dropped them
}

/// The GPU finds the same rows.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn cells_on_a_gpu() {
    let (mut random, mut search) = (Random(seed()), Search::new().unwrap());
    search.set_backend(Backend::Gpu);
    for k in 0..16 {
        let periodic = [0, 1, 2].map(|axis| (k >> axis) & 1 == 1);
        let crystal = random_crystal(&mut random, periodic, k % 2);
        match k / 8 {
            0 => crystal.check::<f64>(&mut search),
            _ => crystal.check::<f32>(&mut search),
        };
        assert_eq!(search.counter(neargrid::Counter::Backend), Backend::Gpu as i64);
    }
}

/// The rows of images and the memory that makes them take at most the memory limit.
#[test]
fn memory_of_images() {
    let mut search = Search::new().unwrap();
    let points = Random(3).cloud(3, 60);
    search
        .set_points(&PointsView::interleaved(3, &points).unwrap())
        .unwrap();
    let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    search.set_cell(&unit, [true; 3]).unwrap();
    search.set_cutoff(1.2).unwrap();
    let rows = search.images(NeighborsKind::Full).unwrap();
    let (ids, shifts) = (rows.ids.to_vec(), rows.shifts.to_vec());
    let (list, mut limit, mut refused) = (16 * ids.len() as i64, 1000, 0);
    loop {
        search.trim().unwrap();
        search.set_memory_limit(limit).unwrap();
        match search.images(NeighborsKind::Full) {
            Err(error) => {
                assert_eq!(error.status(), Status::MemoryLimit, "{error}");
                assert!(
                    error.to_string().contains(&format!("memory limit of {limit} bytes")),
                    "{error}"
                );
            }
            Ok(rows) => {
                assert!(rows.ids == ids && rows.shifts == shifts);
                break;
            }
        }
        (limit, refused) = (limit + limit / 4, refused + 1);
    }
    // The layer and the candidates count, too.
    assert!(
        limit > list && limit < 4 * list && refused > 3,
        "{limit} bytes for {list}"
    );
}
