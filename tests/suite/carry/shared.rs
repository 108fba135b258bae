//! Contacts of points that share ids, such as particles and their periodic images. A contact follows the ids of its pair.

use crate::common::Random;
use neargrid::{Columns, Contacts, Formula, NeighborsKind, PointsView, Search};

/// Rows and the ids of the points.
struct List {
    offsets: Vec<i64>,
    ids: Vec<i32>,
    global_ids: Vec<i64>,
}

impl List {
    /// Full or half rows of points that share ids, in the order of ids or of numbers.
    fn some(random: &mut Random, [points, ids]: [usize; 2], [is_half, by_number]: [bool; 2]) -> List {
        let global_ids: Vec<i64> = (0..points).map(|_| 5 - random.below(ids) as i64).collect();
        let key = |j: &usize| (if by_number { 0 } else { global_ids[*j] }, *j);
        let (mut offsets, mut rows) = (vec![0], Vec::new());
        for i in 0..points {
            let mut row: Vec<usize> = (0..points).filter(|&j| i != j && random.below(3) == 0).collect();
            row.retain(|j| !is_half || key(j) > key(&i));
            row.sort_by_key(key);
            rows.extend(row.iter().map(|&j| j as i32));
            offsets.push(rows.len() as i64);
        }
        List {
            offsets,
            ids: rows,
            global_ids,
        }
    }

    fn contacts(&self) -> Contacts<'_> {
        Contacts {
            first_row: 0,
            offsets: &self.offsets,
            ids: &self.ids,
            global_ids: Some(&self.global_ids),
        }
    }

    fn row(&self, i: usize) -> std::ops::Range<usize> {
        self.offsets[i] as usize..self.offsets[i + 1] as usize
    }

    fn point_with(&self, id: i64, before: usize) -> Option<usize> {
        let mut points = (0..self.global_ids.len()).filter(|&i| self.global_ids[i] == id);
        points.nth(before)
    }

    /// The place in the row of a point of the entry with an id that has `before` entries with this id before it.
    fn place(&self, point: Option<usize>, id: i64, before: usize) -> Option<usize> {
        let mut row = self.row(point?);
        let place = |&k: &usize| self.global_ids[self.ids[k] as usize] == id;
        row.by_ref().filter(place).nth(before)
    }

    /// The place of each entry in another list, and whether it is turned there.
    fn found_in(&self, other: &List) -> Vec<Option<(usize, bool)>> {
        let mut found = Vec::new();
        for i in 0..self.global_ids.len() {
            let id = self.global_ids[i];
            let copies = self.global_ids[..i].iter().filter(|&&other| other == id).count();
            for k in self.row(i) {
                let of = |k: usize| self.global_ids[self.ids[k] as usize];
                let before = (self.row(i).start..k).filter(|&earlier| of(earlier) == of(k)).count();
                let same = other.place(other.point_with(id, copies), of(k), before);
                let turned = || other.place(other.point_with(of(k), 0), id, before);
                found.push(same.map(|at| (at, false)).or_else(|| turned().map(|at| (at, true))));
            }
        }
        found
    }
}

/// Random lists agree with a plain form of the rule.
#[test]
fn lists() {
    let (search, mut random) = (Search::new().unwrap(), Random(91));
    for round in 0..300 {
        let mut some = || {
            let size = [random.below(12) + 1, random.below(8) + 1];
            let rules = [random.below(2) == 0, random.below(2) == 0];
            List::some(&mut random, size, rules)
        };
        let [old, new] = [some(), some()];
        let old_values: Vec<f64> = (0..2 * old.ids.len()).map(|k| k as f64 + 1.0).collect();
        let mut values = vec![-1.0; 2 * new.ids.len()];
        let columns = Columns {
            count: 2,
            signs: &[1, -1],
        };
        let both = (old.contacts(), new.contacts());
        search
            .carry(&both.0, &both.1, &columns, &old_values, &mut values)
            .unwrap();
        let want = new.found_in(&old).into_iter().flat_map(|found| match found {
            None => [0.0; 2],
            Some((at, turned)) => [
                old_values[2 * at],
                old_values[2 * at + 1] * if turned { -1.0 } else { 1.0 },
            ],
        });
        assert_eq!(values, want.collect::<Vec<f64>>(), "round {round}");
        let lost = old
            .found_in(&new)
            .into_iter()
            .zip(0..)
            .filter(|(found, _)| found.is_none());
        let lost: Vec<i64> = lost.map(|(_, k)| k).collect();
        assert_eq!(search.lost_contacts(&both.0, &both.1).unwrap(), lost, "round {round}");
    }
}

/// Two images of a particle in one row. The second image takes the value of the second image, also after a restart by ids.
#[test]
fn two_images() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.0).unwrap();
    search.set_active(Some(2)).unwrap();
    let mut formula = Formula::new("h_ij = h_ij + x_j; s += h_ij").unwrap();
    let mut step = |x: &[f64], ids: &[i64], restarts: bool| {
        if restarts {
            let h = search.pair_field_by_ids::<f64>("h").unwrap();
            let rows = (&h.offsets[..], &h.ids[..]);
            search.set_pair_field_by_ids("h", rows, &h.values, 1).unwrap();
        }
        search.set_points(&PointsView::interleaved(1, x).unwrap()).unwrap();
        search.set_ids(ids).unwrap();
        search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
        let h = search.pair_field_by_ids::<f64>("h").unwrap();
        (
            h.ids[..h.offsets[1] as usize].to_vec(),
            h.values[..h.offsets[1] as usize].to_vec(),
        )
    };
    for restarts in [false, true] {
        // Point 7 at 0 has images of point 9 on both sides. Point 9 itself is far away.
        let first = step(&[0.0, 5.0, 0.5, -0.5], &[7, 9, 9, 9], false);
        assert_eq!(first.0, [9, 9]);
        let other = step(&[0.0, 5.0, 9.0, -0.25, 0.25], &[7, 9, 7, 9, 9], restarts);
        assert_eq!(other.1, [first.1[0] - 0.25, first.1[1] + 0.25]);
        let one = step(&[0.0, 5.0, 0.25], &[7, 9, 9], restarts);
        assert_eq!(one.1, [other.1[0] + 0.25]);
        step(&[0.0, 5.0], &[7, 9], restarts); // all contacts end
    }
}
