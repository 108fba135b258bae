//! Points and queries, which are dealt to ranks, and steps in time.

use super::super::call::{Coords, Layout, Role};
use super::precision::Precise;
use super::team::{Room, Told};
use super::*;

impl World {
    pub(super) fn points(&mut self, h: usize, role: Role, coords: &Coords, null: bool) -> Result<Played, String> {
        match coords.single {
            true => self.points_in::<f32>(h, role, coords, null),
            false => self.points_in::<f64>(h, role, coords, null),
        }
    }

    fn points_in<T: Precise>(&mut self, h: usize, role: Role, coords: &Coords, null: bool) -> Result<Played, String> {
        let plain = Coords {
            layout: Layout::Interleaved,
            nulls: 0,
            n: None,
            ..coords.clone()
        };
        let (axes, n) = (coords.axes(), coords.len());
        let deal = self.deal(h, role, coords);
        let first = if role == Role::Add { self.hands[h].deal.len() } else { 0 };
        let of_rank = |mine: &Vec<usize>| -> Vec<T> {
            let new = mine.iter().filter(|&&k| k >= first);
            let values = new.flat_map(|&k| &coords.values[(k - first) * axes..(k - first + 1) * axes]);
            values.map(|&x| T::of(x)).collect()
        };
        let shares: Vec<Vec<T>> = deal.mine.iter().map(of_rank).collect();
        let mut checks = self.hands[h].model.check_points(role, &plain);
        let (nulls, no_rebuilt) = (
            self.nulls(coords.nulls),
            self.nulls(u8::from(null && role == Role::Update)),
        );
        checks.must(no_rebuilt.contains(&1), NULL_POINTER);
        checks.must(coords.n.is_some_and(|n| !(0..=MAX_POINTS).contains(&n)), BAD_COUNT);
        let is_null = |(share, nulls): (&Vec<T>, &u8)| !share.is_empty() && nulls & ((1 << axes) - 1) != 0;
        checks.must(shares.iter().zip(&nulls).any(is_null), NULL_POINTER);
        checks.may(self.hands[h].model.limit > 0, MEMORY_LIMIT);
        let odd = self.odd;
        let told = self.team.together(&checks.answer(|| ()), |seat| {
            let share = &shares[seat.rank];
            let len = (share.len() / axes) as i64;
            let n = coords
                .n
                .filter(|_| odd.is_none_or(|odd| odd == seat.rank))
                .unwrap_or(len);
            let mut rebuilt = Room::<i32>::new(1);
            let place = rebuilt.at(no_rebuilt[seat.rank] == 1);
            // SAFETY: so many coordinates, or a number that is refused; a place for a number.
            let status = unsafe {
                T::give(
                    seat.searches[h],
                    role,
                    (coords.dim, n),
                    (share.as_ptr(), nulls[seat.rank]),
                    place,
                )
            };
            Told::of(status, &[&rebuilt], || rebuilt.first())
        })?;
        let Ok(rebuilt) = told else {
            self.hands[h].model.doubt_list();
            return Ok(Played::Done);
        };
        self.changed(h);
        let hand = &mut self.hands[h];
        let were_there = hand.model.dim.is_some();
        match role {
            Role::Queries => {
                hand.model.take_points(role, coords);
                hand.model.changed();
                hand.queries = deal;
                self.give_of_queries(h)?;
                return Ok(Played::Done);
            }
            Role::Update => self.updated(h, coords, &rebuilt)?,
            _ => {
                hand.model.take_points(role, coords);
                hand.model.changed_points();
            }
        }
        let hand = &mut self.hands[h];
        let is_other = role != Role::Update || deal.mine != hand.deal.mine || !were_there;
        hand.are_pairs_elsewhere |= is_other;
        hand.deal = deal;
        let (ranks, mut none) = (self.team.ranks(), Draw::seeded(0));
        hand.queries = Deal::new(&mut none, 0, ranks);
        if is_other && (n > 0 || role != Role::Add) {
            self.give_all(h)?;
        }
        Ok(Played::Done)
    }

    /// The share of each rank afterwards.
    fn deal(&mut self, h: usize, role: Role, coords: &Coords) -> Deal {
        let (n, hand, ranks) = (coords.len(), &self.hands[h], self.team.ranks());
        let first = coords.values.first().map_or(0, |x| x.to_bits());
        let mut draw = self.choices(&format!("{role:?} {n} {first}"));
        match role {
            Role::Update if hand.deal.len() == n => hand.deal.clone(),
            Role::Add => {
                let mut deal = hand.deal.clone();
                deal.grow(&mut draw, n);
                deal
            }
            _ => Deal::new(&mut draw, n, ranks),
        }
    }

    /// After an update: whether lists must be made again.
    fn updated(&mut self, h: usize, coords: &Coords, rebuilt: &[i32]) -> Checked {
        let model = &mut self.hands[h].model;
        let (allowed, list) = model.update(coords);
        let is_far = model.moved.is_some_and(|moved| moved > 1.0) && allowed == [1];
        let is_kept = rebuilt[0] == 0;
        if rebuilt.iter().any(|other| *other != rebuilt[0]) || is_kept && is_far || !is_kept && allowed == [0] {
            return Err(format!(
                "rebuilt = {rebuilt:?}, {allowed:?} is right, moved by {:?} of the skin",
                model.moved
            ));
        }
        if is_kept {
            model.list = list;
        }
        Ok(())
    }
}
