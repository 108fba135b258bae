//! Exclusions by shifts: one image of a pair is left out, bit for bit against plain loops over points and shifts.

use std::collections::BTreeMap;

use super::{Crystal, KINDS, random_crystal, rows};
use crate::common::{Random, seed};
use neargrid::{Formula, NeighborsKind, Precision, Search, SumPrecision, TieRule, oracle};

type Shift = [i32; 3];

/// Excluded images and their classes, in the rows of both points.
#[derive(Clone, Debug, Default)]
struct Excluded(BTreeMap<(i32, i32, Shift), i32>);

impl Excluded {
    fn add(&mut self, i: i32, j: i32, shift: Shift, class: i32) {
        if (i, shift) != (j, [0; 3]) {
            self.0.insert((i, j, shift), class);
            self.0.insert((j, i, shift.map(|by| -by)), class);
        }
    }

    /// Some of the entries that are listed, and others.
    fn random(random: &mut Random, crystal: &Crystal, listed: &[(i32, i32, Shift)]) -> Excluded {
        let (mut made, n) = (Excluded::default(), crystal.coords.len() / 3);
        for &(i, j, shift) in listed {
            if random.below(3) == 0 {
                made.add(i, j, shift, 1 + random.below(3) as i32);
            }
        }
        for _ in 0..n {
            let [i, j] = [(); 2].map(|()| random.below(n) as i32);
            let shift = crystal
                .periodic
                .map(|along| if along { random.below(5) as i32 - 2 } else { 0 });
            made.add(i, j, shift, 1 + random.below(3) as i32);
        }
        made
    }

    fn class(&self, i: i32, j: i32, shift: Shift) -> i32 {
        self.0.get(&(i, j, shift)).copied().unwrap_or(0)
    }

    /// Rows of `n` points, each from its end to its beginning.
    fn rows(&self, n: usize, base: i64) -> (Vec<i64>, Vec<i32>, Vec<Shift>, Vec<i32>) {
        let (mut offsets, mut ids, mut shifts, mut classes) = (vec![base], Vec::new(), Vec::new(), Vec::new());
        for i in 0..n as i32 {
            for (&(_, j, shift), &class) in self.0.range((i, 0, [i32::MIN; 3])..(i + 1, 0, [i32::MIN; 3])).rev() {
                ids.push(j + base as i32);
                shifts.push(shift);
                classes.push(class);
            }
            offsets.push(ids.len() as i64 + base);
        }
        (offsets, ids, shifts, classes)
    }
}

/// Rows without excluded images, and sums of their classes.
fn check<T: Precision>(
    search: &mut Search,
    crystal: &Crystal,
    excluded: &Excluded,
    base: i64,
    precision: SumPrecision,
) {
    let all = crystal.truth::<T>(TieRule::Inclusive);
    let n = crystal.coords.len() / 3;
    let is_listed = |&&(i, j, shift): &&(i32, i32, Shift)| excluded.class(i, j, shift) == 0;
    let some: Vec<_> = all.iter().filter(is_listed).copied().collect();
    for kind in KINDS {
        let full = kind == NeighborsKind::Full;
        let wanted = oracle::image_rows(n, &some, full);
        let name = format!("{} {kind:?} base {base}: {crystal:?} {excluded:?}", T::NAME);
        assert!(rows(search.images(kind).unwrap(), base) == wanted, "{name}");
        assert_eq!(search.count_images(kind).unwrap(), wanted.1.len() as i64, "{name}");
        let mut formula =
            Formula::new("near += 1; of += class; two += select(1, 0, class == 2); any += 1 + 0*class").unwrap();
        formula.set_precision(precision);
        formula.set_include_self(true);
        search.run(&mut formula, kind, 1).unwrap();
        let (offsets, ids, shifts) = oracle::image_rows(n, &all, full);
        let mut sums = [(); 4].map(|()| vec![T::default(); n]);
        for i in 0..n {
            let at = offsets[i] as usize..offsets[i + 1] as usize;
            let classes = at.clone().map(|at| excluded.class(i as i32, ids[at], shifts[at]));
            let near = 1 + wanted.0[i + 1] - wanted.0[i];
            let of: i32 = classes.clone().sum();
            let two = classes.filter(|&class| class == 2).count();
            let values = [near as f64, of.into(), two as f64, 1.0 + at.len() as f64];
            for (sums, value) in sums.iter_mut().zip(values) {
                sums[i] = T::from_f64(value);
            }
        }
        for (field, wanted) in ["near", "of", "two", "any"].into_iter().zip(&sums) {
            assert!(*search.field_as::<T>(field).unwrap() == *wanted, "{field}: {name}");
        }
    }
}

#[test]
fn random_images() {
    let (mut random, mut search, mut left_out) = (Random(seed()), Search::new().unwrap(), 0);
    for k in 0..120 {
        let periodic = [0, 1, 2].map(|axis| (k >> axis) & 1 == 1);
        let (crystal, base) = (random_crystal(&mut random, periodic, k / 8 % 2), (k / 4 % 2) as i64);
        let listed = crystal.truth::<f64>(TieRule::Inclusive);
        let excluded = Excluded::random(&mut random, &crystal, &listed);
        left_out += listed
            .iter()
            .filter(|&&(i, j, shift)| excluded.class(i, j, shift) > 0)
            .count();
        let n = crystal.coords.len() / 3;
        search.set_index_base(base).unwrap();
        let (offsets, ids, shifts, classes) = excluded.rows(n, base);
        search
            .set_exclusions_shifts(&offsets, &ids, Some(&shifts), Some(&classes))
            .unwrap();
        match k / 16 % 2 {
            0 => {
                crystal.set::<f64>(&mut search);
                check::<f64>(&mut search, &crystal, &excluded, base, SumPrecision::Double);
            }
            _ => {
                crystal.set::<f32>(&mut search);
                check::<f32>(&mut search, &crystal, &excluded, base, SumPrecision::Single);
            }
        }
        // Without offsets there are none again.
        search.set_exclusions_shifts(&[], &[], Some(&[]), None).unwrap();
        assert_eq!(
            search.count_images(NeighborsKind::Half).unwrap(),
            crystal.truth::<f64>(TieRule::Inclusive).len() as i64
        );
    }
    assert!(left_out > 300, "{left_out}");
}
