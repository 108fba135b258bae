//! What ranks are given of each point: after points were dealt, each rank gets its part of all arrays again.

use std::ffi::CStr;

use neargrid::capi::{exclusions::*, ids::*, roles::*, settings::*};

use super::super::sums::FIELDS;
use super::precision::Precise;
use super::team::Told;
use super::*;

impl World {
    /// Gives all arrays of points.
    pub(super) fn give_all(&mut self, h: usize) -> Checked {
        self.give_ids(h)?;
        self.give_types(h)?;
        self.give_roles(h)?;
        self.give_radii(h)?;
        self.give_exclusions(h)?;
        self.give_fields(h, false)
    }

    /// Gives all arrays of queries.
    pub(super) fn give_of_queries(&mut self, h: usize) -> Checked {
        self.give_query_radii(h)?;
        self.give_fields(h, true)
    }

    pub(super) fn give_ids(&mut self, h: usize) -> Checked {
        let hand = &self.hands[h];
        let parts = hand.deal.parts(&hand.model.ids, 1);
        self.alone("ids", |seat| {
            let mine = &parts[seat.rank];
            // SAFETY: so many ids.
            unsafe { neargrid_search_set_ids(seat.searches[h].cast(), mine.len() as i64, mine.as_ptr(), 8) }
        })
    }

    pub(super) fn give_types(&mut self, h: usize) -> Checked {
        let hand = &self.hands[h];
        let (types, ntypes, mask) = hand.model.types.clone().unwrap_or_default();
        let types: Vec<i32> = types.iter().map(|&of| (of as i64 + hand.model.base) as i32).collect();
        let parts = hand.deal.parts(&types, 1);
        let mask: Vec<i32> = mask.into_iter().map(i32::from).collect();
        self.alone("types", |seat| {
            let mine = &parts[seat.rank];
            let (n, search) = (mine.len() as i64, seat.searches[h].cast());
            // SAFETY: so many types, and a flag for each two.
            unsafe { neargrid_search_set_types(search, n, mine.as_ptr(), 4, ntypes as i32, mask.as_ptr()) }
        })
    }

    pub(super) fn give_roles(&mut self, h: usize) -> Checked {
        let hand = &self.hands[h];
        let model = &hand.model;
        let active: Vec<i64> = (hand.deal.mine.iter())
            .map(|mine| mine.iter().filter(|&&i| model.is_active(i)).count() as i64)
            .collect();
        let too_many = model.active.is_some_and(|active| active > model.n() as i64);
        let are_first = |mine: &Vec<usize>| mine.is_sorted_by_key(|&i| !model.is_active(i));
        let roles: Vec<i32> = match (model.active, model.roles.is_empty()) {
            (Some(_), _) if !too_many && !hand.deal.mine.iter().all(are_first) => {
                (0..model.n()).map(|i| if model.is_active(i) { 1 } else { 2 }).collect()
            }
            _ => model.roles.clone(),
        };
        let parts = hand.deal.parts(&roles, 1);
        let counts = match (model.active, roles.is_empty()) {
            (Some(_), true) => active.iter().map(|count| count + i64::from(too_many)).collect(),
            _ => vec![-1; active.len()],
        };
        self.alone("roles", |seat| {
            let (mine, search) = (&parts[seat.rank], seat.searches[h].cast());
            // SAFETY: so many roles.
            unsafe {
                match mine.is_empty() {
                    true => neargrid_search_set_active(search, counts[seat.rank]),
                    false => neargrid_search_set_roles(search, mine.len() as i64, mine.as_ptr(), 4),
                }
            }
        })
    }

    pub(super) fn give_radii(&mut self, h: usize) -> Checked {
        let hand = &self.hands[h];
        match hand.model.radii.clone() {
            None => self.give_radii_in::<f64>(h, 0, None, -1),
            Some((single, radii, rule)) => {
                let parts = hand.deal.parts(&radii, 1);
                match single {
                    true => self.give_radii_in::<f32>(h, 0, Some(parts), rule),
                    false => self.give_radii_in::<f64>(h, 0, Some(parts), rule),
                }
            }
        }
    }

    pub(super) fn give_query_radii(&mut self, h: usize) -> Checked {
        let hand = &self.hands[h];
        match hand.model.query_radii.clone() {
            None => self.give_radii_in::<f64>(h, 1, None, -1),
            Some((single, radii)) => {
                let parts = hand.queries.parts(&radii, 1);
                match single {
                    true => self.give_radii_in::<f32>(h, 1, Some(parts), -1),
                    false => self.give_radii_in::<f64>(h, 1, Some(parts), -1),
                }
            }
        }
    }

    /// Of points or of queries; none: without radii.
    fn give_radii_in<T: Precise>(&mut self, h: usize, of: i32, parts: Option<Vec<Vec<f64>>>, rule: i32) -> Checked {
        self.alone("radii", |seat| {
            let mine = parts.as_ref().map(|parts| T::all(&parts[seat.rank]));
            let (n, first) = mine
                .as_ref()
                .map_or((0, std::ptr::null()), |mine| (mine.len(), mine.as_ptr()));
            // SAFETY: so many radii.
            unsafe { T::radii(seat.searches[h], of, n as i64, first, rule) }
        })
    }

    /// Each rank gives the rows of its points, by global ids.
    pub(super) fn give_exclusions(&mut self, h: usize) -> Checked {
        let model = &mut self.hands[h].model;
        // Without ids points are numbered rank by rank, and nothing follows ids.
        let follow_ids = |exclusions: &Exclusions| matches!(exclusions.names, Names::Ids(_));
        let are_ids = !model.ids.is_empty();
        model.exclusions = model
            .exclusions
            .take()
            .filter(|exclusions| are_ids || !follow_ids(exclusions));
        let hand = &self.hands[h];
        let (numbers, base) = (hand.numbers(), hand.model.base);
        let (points, far, by_shift) = match &hand.model.exclusions {
            Some(exclusions) => match &exclusions.names {
                Names::Numbers(points) => (*points, exclusions.far, exclusions.by_shift),
                _ => (hand.deal.len(), exclusions.far, exclusions.by_shift),
            },
            None => (0, 0, false),
        };
        let row_of = |i: usize| -> Vec<i64> {
            let near = |at: usize, len: usize| (at.saturating_sub(far)..(at + far + 1).min(len)).rev();
            match hand.model.exclusions.as_ref().map(|exclusions| &exclusions.names) {
                Some(Names::Ids(names)) => {
                    let at = numbers.get(i).and_then(|id| names.binary_search(id).ok());
                    let row = at
                        .into_iter()
                        .flat_map(|at| near(at, names.len()).filter(move |&k| k != at));
                    // Both rows have a pair: ids without a point have no row.
                    row.map(|k| names[k]).filter(|id| numbers.contains(id)).collect()
                }
                _ => {
                    let id = |j: usize| numbers.get(j).copied().unwrap_or(1 << 50 | j as i64);
                    near(i, points).filter(|&j| j != i).map(id).collect()
                }
            }
        };
        let split = hand.deal.split(points);
        let rows = split.iter().map(|mine| {
            let (mut offsets, mut ids) = (vec![base], Vec::new());
            for &i in mine {
                ids.extend(row_of(i));
                offsets.push(base + ids.len() as i64);
            }
            (offsets, ids)
        });
        let rows: Vec<_> = rows.collect();
        let is_none = hand.model.exclusions.is_none();
        self.alone("exclusions", |seat| {
            let (offsets, ids) = &rows[seat.rank];
            let (search, classes, shifts) = (seat.searches[h].cast(), vec![2; ids.len()], vec![0; 3 * ids.len()]);
            let (n, of, null) = (offsets.len() as i64 - 1, offsets.as_ptr(), std::ptr::null());
            let (ids, classes, shifts) = (ids.as_ptr(), classes.as_ptr(), shifts.as_ptr());
            // SAFETY: rows of ids, and a class and a shift for each; or none.
            unsafe {
                match (is_none, by_shift) {
                    (true, _) => {
                        neargrid_search_set_exclusions_by_ids(search, 0, null, std::ptr::null(), std::ptr::null())
                    }
                    (_, true) => neargrid_search_set_exclusions_by_ids_shifts(search, n, of, ids, shifts, classes),
                    _ => neargrid_search_set_exclusions_by_ids(search, n, of, ids, classes),
                }
            }
        })
    }

    /// Gives all fields of points or of queries.
    pub(super) fn give_fields(&mut self, h: usize, of_queries: bool) -> Checked {
        let names: Vec<usize> = (self.hands[h].model.fields.keys())
            .filter(|(_, of)| *of == of_queries)
            .map(|&(name, _)| name)
            .collect();
        names
            .into_iter()
            .try_for_each(|name| self.give_field(h, (name, of_queries)))
    }

    pub(super) fn give_field(&mut self, h: usize, (name, of_queries): (usize, bool)) -> Checked {
        let hand = &self.hands[h];
        let field = &hand.model.fields[&(name, of_queries)];
        let deal = if of_queries { &hand.queries } else { &hand.deal };
        let (width, parts) = (field.components, deal.parts(&field.values, field.components));
        match field.single {
            true => self.give_field_in::<f32>(h, (FIELDS[name], of_queries), width, &parts),
            false => self.give_field_in::<f64>(h, (FIELDS[name], of_queries), width, &parts),
        }
    }

    fn give_field_in<T: Precise>(
        &mut self,
        h: usize,
        (name, of_queries): (&CStr, bool),
        width: usize,
        parts: &[Vec<f64>],
    ) -> Checked {
        self.alone("a field", |seat| {
            let mine = T::all(&parts[seat.rank]);
            let sizes = (width as i32, (mine.len() / width) as i64);
            // SAFETY: so many values.
            unsafe { T::set_field(seat.searches[h], (name, i32::from(of_queries)), sizes, mine.as_ptr()) }
        })
    }

    /// A setting that no rank may refuse.
    pub(super) fn alone(&mut self, what: &str, call: impl Fn(&mut team::Seat) -> i32 + Sync) -> Checked {
        self.team
            .alone(what, |seat| Told::of(call(seat), &[], || ()))
            .map(|_| ())
    }
}
