//! Types, cutoffs by pairs of types and excluded pairs in a cell, bit for bit against plain loops over points and shifts.

use std::collections::BTreeMap;

use super::{Crystal, KINDS, random_crystal, rows};
use crate::common::{Random, seed};
use neargrid::{Formula, NeighborsKind, PointsView, Precision, Search, Status, SumPrecision, TieRule, oracle};

/// Types, cutoffs and excluded pairs of the points.
struct Said {
    types: Vec<i32>,
    ntypes: usize,
    mask: Vec<bool>,
    /// Empty where all pairs have the one cutoff.
    cutoffs: Vec<f64>,
    /// Pairs of points and their classes, in both orders.
    excluded: BTreeMap<(i32, i32), i32>,
}

impl Said {
    fn random(random: &mut Random, crystal: &Crystal) -> Said {
        let (n, ntypes) = (crystal.coords.len() as i32 / 3, 1 + random.below(3));
        let (mut mask, mut cutoffs) = (vec![true; ntypes * ntypes], vec![crystal.cutoff; ntypes * ntypes]);
        for a in 0..ntypes {
            for b in 0..=a {
                let (allowed, share) = (random.below(4) > 0, [1.0, 0.75, 0.5, 0.0][random.below(4)]);
                for at in [a * ntypes + b, b * ntypes + a] {
                    (mask[at], cutoffs[at]) = (allowed, share * crystal.cutoff);
                }
            }
        }
        if cutoffs.iter().all(|&cutoff| cutoff == 0.0) || random.below(3) == 0 {
            cutoffs.clear();
        }
        let mut excluded = BTreeMap::new();
        for i in 0..n {
            for j in 0..i {
                if random.below(3) == 0 {
                    let class = 1 + random.below(3) as i32;
                    excluded.extend([((i, j), class), ((j, i), class)]);
                }
            }
        }
        Said {
            types: (0..n).map(|_| random.below(ntypes) as i32).collect(),
            ntypes,
            mask,
            cutoffs,
            excluded,
        }
    }

    fn set(&self, search: &mut Search) {
        search.set_index_base(0).unwrap();
        search.set_types(&self.types, &self.mask).unwrap();
        search.set_type_cutoffs(&self.cutoffs).unwrap();
        let (mut offsets, mut ids, mut classes) = (vec![0], Vec::new(), Vec::new());
        for i in 0..self.types.len() as i32 {
            for (&(_, j), &class) in self.excluded.range((i, 0)..(i + 1, 0)) {
                ids.push(j);
                classes.push(class);
            }
            offsets.push(ids.len() as i64);
        }
        search.set_exclusions(&offsets, &ids, Some(&classes)).unwrap();
    }

    /// The cutoff of two points; 0 where they are never neighbors.
    fn cutoff(&self, crystal: &Crystal, i: i32, j: i32) -> f64 {
        let [a, b] = [i, j].map(|point| self.types[point as usize] as usize);
        match self.mask[a * self.ntypes + b] {
            true => self.cutoffs.get(a * self.ntypes + b).copied().unwrap_or(crystal.cutoff),
            false => 0.0,
        }
    }

    /// The pairs of the plain loop, each by its own cutoff; with excluded pairs or without.
    fn truth<T: Precision>(&self, crystal: &Crystal, with_excluded: bool) -> Vec<(i32, i32, [i32; 3])> {
        let coords = crystal.coords_as::<T>();
        let view = PointsView::interleaved(3, &coords).unwrap();
        let most = crystal.periodic.map(|periodic| if periodic { crystal.most } else { 0 });
        let mut pairs = Vec::new();
        for share in [1.0, 0.75, 0.5] {
            let cutoff = share * crystal.cutoff;
            let found = oracle::images(&view, &crystal.vectors(), T::from_f64(cutoff), TieRule::Inclusive, most);
            pairs.extend(found.into_iter().filter(|&(i, j, _)| {
                let is_listed = with_excluded || !self.excluded.contains_key(&(i, j));
                is_listed && self.cutoff(crystal, i, j) == cutoff
            }));
        }
        pairs.sort_unstable();
        pairs
    }
}

/// Compares rows, and sums that read `c` and `class` with those that do not.
fn check<T: Precision>(search: &mut Search, crystal: &Crystal, said: &Said, precision: SumPrecision) -> usize {
    crystal.set::<T>(search);
    said.set(search);
    let n = said.types.len();
    for kind in KINDS {
        let full = kind == NeighborsKind::Full;
        let listed = oracle::image_rows(n, &said.truth::<T>(crystal, false), full);
        assert_eq!(
            rows(search.images(kind).unwrap(), 0),
            listed,
            "{} {kind:?}: {crystal:?}",
            T::NAME
        );
        let all = oracle::image_rows(n, &said.truth::<T>(crystal, true), full);
        let mut formula = Formula::new("all += 1; reach += c; of += class; two += select(1, 0, class == 2)").unwrap();
        formula.set_precision(precision);
        search.run(&mut formula, kind, 1).unwrap();
        let mut wanted = vec![[T::default(); 4]; n];
        let add = |to: &mut T, value: f64| *to = to.add(T::from_f64(value));
        for (i, wanted) in wanted.iter_mut().enumerate() {
            for at in listed.0[i] as usize..listed.0[i + 1] as usize {
                add(&mut wanted[0], 1.0);
                add(&mut wanted[1], said.cutoff(crystal, i as i32, listed.1[at]));
            }
            for at in all.0[i] as usize..all.0[i + 1] as usize {
                let class = said.excluded.get(&(i as i32, all.1[at])).copied().unwrap_or(0);
                add(&mut wanted[2], class.into());
                add(&mut wanted[3], f64::from(u8::from(class == 2)));
            }
        }
        for (k, name) in ["all", "reach", "of", "two"].into_iter().enumerate() {
            let wanted: Vec<T> = wanted.iter().map(|sums| sums[k]).collect();
            assert!(
                *search.field_as::<T>(name).unwrap() == wanted,
                "{name}, {} {kind:?}: {crystal:?}",
                T::NAME
            );
        }
        // The rows are those without excluded pairs again.
        assert_eq!(search.count_images(kind).unwrap(), listed.1.len() as i64);
    }
    said.truth::<T>(crystal, false).len()
}

#[test]
fn types_and_exclusions() {
    let (mut random, mut search, mut pairs) = (Random(seed()), Search::new().unwrap(), 0);
    for k in 0..160 {
        let periodic = [0, 1, 2].map(|axis| (k >> axis) & 1 == 1);
        let crystal = random_crystal(&mut random, periodic, k / 8 % 2);
        let said = Said::random(&mut random, &crystal);
        pairs += match k / 16 % 2 {
            0 => check::<f64>(&mut search, &crystal, &said, SumPrecision::Double),
            _ => check::<f32>(&mut search, &crystal, &said, SumPrecision::Single),
        };
    }
    assert!(pairs > 500, "{pairs}");
}

/// Types and excluded pairs of another number of points are refused.
#[test]
fn of_other_points() {
    let mut search = Search::new().unwrap();
    search
        .set_cell(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [true; 3])
        .unwrap();
    search.set_cutoff(0.5).unwrap();
    search
        .set_points(&PointsView::interleaved(3, &[0.0; 3]).unwrap())
        .unwrap();
    search.set_types(&[0, 0], &[true]).unwrap();
    assert_eq!(
        search.images(NeighborsKind::Full).unwrap_err().status(),
        Status::BadCount
    );
    search.set_types(&[], &[]).unwrap();
    search.set_exclusions(&[0, 1, 2], &[1, 0], None).unwrap();
    assert_eq!(
        search.images(NeighborsKind::Full).unwrap_err().status(),
        Status::BadCount
    );
    search.set_exclusions(&[], &[], None).unwrap();
    assert_eq!(search.count_images(NeighborsKind::Full).unwrap(), 0);
}

/// Global ids order rows, and say which of two entries half rows list, as numbers do where points are in that order.
#[test]
fn ids_order_rows() {
    let mut random = Random(seed());
    let (mut plain, mut named) = (Search::new().unwrap(), Search::new().unwrap());
    let mut formula = Formula::new("g += (c*c - dot(d, d))*d").unwrap();
    formula.set_precision(SumPrecision::Double);
    formula.set_include_self(true);
    for k in 0..48 {
        let crystal = random_crystal(&mut random, [0, 1, 2].map(|axis| k >> axis & 1 == 1), 0);
        crystal.set::<f64>(&mut plain);
        let mut order: Vec<usize> = (0..crystal.coords.len() / 3).collect();
        (0..order.len()).for_each(|place| order.swap(place, random.below(place + 1)));
        let of_point = |&point: &usize| crystal.coords[3 * point..][..3].to_vec();
        let coords = order.iter().flat_map(of_point).collect();
        Crystal { coords, ..crystal }.set::<f64>(&mut named);
        named
            .set_ids(&order.iter().map(|&point| 7 * point as i64 - 3).collect::<Vec<_>>())
            .unwrap();
        for kind in KINDS {
            let (wanted, found) = (
                rows(plain.images(kind).unwrap(), 0),
                rows(named.images(kind).unwrap(), 0),
            );
            plain.run(&mut formula, kind, 1).unwrap();
            named.run(&mut formula, kind, 1).unwrap();
            let [sums, others] = [&mut plain, &mut named].map(|search| search.field::<f64>("g").unwrap().to_vec());
            for (place, &point) in order.iter().enumerate() {
                let row = |(offsets, ids, shifts): &(Vec<i64>, Vec<i32>, Vec<[i32; 3]>), row: usize| {
                    let entries = offsets[row] as usize..offsets[row + 1] as usize;
                    (ids[entries.clone()].to_vec(), shifts[entries].to_vec())
                };
                let (mut ids, shifts) = row(&found, place);
                ids.iter_mut().for_each(|id| *id = order[*id as usize] as i32);
                assert_eq!((ids, shifts), row(&wanted, point), "{kind:?}");
                assert_eq!(others[3 * place..][..3], sums[3 * point..][..3], "{kind:?}");
            }
        }
    }
}
