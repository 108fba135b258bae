//! Rows of images in cells of three vectors, bit for bit against the plain loop over points and shifts.

mod excluded_images;
mod long;

use crate::common::{Random, seed};
use neargrid::{Images, NeighborsKind, PointsView, Precision, Real, Search, Status, TieRule, oracle};

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
        search.set_cell(&self.vectors, self.periodic).unwrap();
        search.set_cutoff(self.cutoff).unwrap();
        search
            .set_points(&PointsView::interleaved(3, &self.coords_as::<T>()).unwrap())
            .unwrap();
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

/// Compares rows in real32 with those pairs, and returns how many pairs there are, and how many searches are refused because points are
/// too far away.
fn check_around(crystal: &Crystal, search: &mut Search) -> [usize; 2] {
    crystal.set::<f32>(search);
    let coords = crystal.coords_as::<f32>();
    let (truth, mut refused) = (truth_around(crystal, &coords, TieRule::Inclusive), 0);
    for kind in KINDS {
        let wanted = oracle::image_rows(coords.len() / 3, &truth, kind == NeighborsKind::Full);
        match search.images(kind) {
            Ok(found) => assert!(rows(found, 0) == wanted, "{kind:?}: {crystal:?}"),
            Err(error) => {
                assert_eq!(error.status(), Status::BadDomain);
                refused += 1;
            }
        }
    }
    [truth.len(), refused]
}

/// Points hundreds of cells away, where each coordinate of an image is rounded by much more than a place in the cell would be: the
/// search is as exact as the plain loop, or refuses.
#[test]
fn rounded_far_outside() {
    let (mut random, mut search, mut seen) = (Random(seed()), Search::new().unwrap(), [0; 2]);
    for k in 0..400 {
        let mut crystal = random_crystal(&mut random, [0, 1, 2].map(|axis| (k >> axis) & 1 == 1), 1000);
        crystal.most = (2.2 * 1.01) as i32 + 3;
        let [pairs, refused] = check_around(&crystal, &mut search);
        seen = [seen[0] + pairs, seen[1] + refused];
    }
    assert!(seen[0] > 500 && seen[1] < 200, "{seen:?}");
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
        let [found, refused] = check_around(&crystal, &mut search);
        assert_eq!(refused, 0, "{k}");
        pairs += found;
    }
    assert!(pairs > 1000, "{pairs}");
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
