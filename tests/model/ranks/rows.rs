//! The right pairs and rows of each rank, and those it has.

use neargrid::capi::search::neargrid_search_counter;

use super::precision::Precise;
use super::team::Told;
use super::*;

/// Rows as a rank has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    pub offsets: Vec<i64>,
    pub ids: Vec<i32>,
}

/// Rows that ranks are being given in chunks.
pub struct Chunks {
    pub kind: Kind,
    /// The rows of each rank, by numbers of the world, and the next that comes.
    pub rows: Vec<Vec<Vec<usize>>>,
    pub next: Vec<usize>,
    pub max_entries: i64,
    /// Whether chunks of pairs were asked for.
    pub pairs: Option<bool>,
    /// The points that numbers of each rank mean, if this is known.
    pub names: Option<Vec<Vec<usize>>>,
}

impl World {
    /// Faults of a search for rows.
    pub(super) fn check_rows(&self, h: usize, kind: Option<Kind>, in_chunks: bool) -> Checks {
        let (hand, mut checks) = (&self.hands[h], Checks::default());
        checks.must(kind.is_none(), BAD_VALUE);
        hand.model
            .check_search(&mut checks, kind.unwrap_or(Kind::Full), in_chunks);
        hand.check_ranks(&mut checks);
        checks
    }

    /// The right rows of each point or query of the world.
    pub(super) fn rows_of(&self, h: usize, kind: Kind) -> Vec<Vec<usize>> {
        self.rows_by(h, kind, &self.hands[h].truth())
    }

    /// The same for a model with other points or cutoffs.
    pub(super) fn rows_by(&self, h: usize, kind: Kind, truth: &Model) -> Vec<Vec<usize>> {
        let hand = &self.hands[h];
        if kind != Kind::Half || !hand.all_pairs {
            return truth.rows(kind);
        }
        let owners = hand.deal.owners();
        let of_active = Model {
            ghost_rows: 2,
            ..truth.clone()
        };
        let mut rows = of_active.rows(Kind::Full);
        for (i, row) in rows.iter_mut().enumerate() {
            let is_left = |j: usize| !truth.is_active(j) || owners[i] != owners[j] || truth.rank(i) < truth.rank(j);
            row.retain(|&j| is_left(j));
        }
        rows
    }

    /// The points or queries of each rank.
    pub(super) fn mine(&self, h: usize, kind: Kind) -> Vec<Vec<usize>> {
        match kind {
            Kind::Queries => self.hands[h].queries.mine.clone(),
            _ => self.hands[h].deal.mine.clone(),
        }
    }

    /// The right rows of each rank's points or queries.
    pub(super) fn dealt(&self, h: usize, kind: Kind, checks: &Checks) -> Vec<Vec<Vec<usize>>> {
        if checks.is_refused() {
            return vec![Vec::new(); self.team.ranks()];
        }
        self.parts_of(h, kind, &self.rows_of(h, kind))
    }

    /// The parts of rows that each rank has.
    pub(super) fn parts_of<T: Clone>(&self, h: usize, kind: Kind, rows: &[T]) -> Vec<Vec<T>> {
        let part = |mine: &Vec<usize>| mine.iter().map(|&i| rows[i].clone()).collect();
        self.mine(h, kind).iter().map(part).collect()
    }

    /// The numbers in the world of a rank's points and ghosts, if rows of a kind have such; asked for before a search, too, so that this
    /// finds the same ghosts.
    pub(super) fn names_for(&mut self, h: usize, kind: Kind) -> Result<Option<Vec<Vec<usize>>>, String> {
        let is_known = match self.hands[h].model.cell {
            Some(_) => true,
            None => kind != Kind::Queries || !self.check_rows(h, Some(Kind::Full), false).is_refused(),
        };
        // With memory that does not suffice there may be none.
        match is_known && self.hands[h].model.limit == 0 {
            true => self.names(h).map(Some),
            false => Ok(None),
        }
    }

    /// Makes a call that finds rows, and has `judge` look at them with the names of points.
    pub(super) fn search<V: Send>(
        &mut self,
        h: usize,
        kind: Kind,
        checks: Checks,
        call: impl Fn(&mut team::Seat) -> Told<V> + Sync,
    ) -> Result<Option<Vec<V>>, String> {
        let fault = self.team.fault.take();
        let is_answered = !checks.is_refused();
        if is_answered && kind == Kind::Queries {
            self.names_for(h, kind)?;
        }
        self.team.fault = fault;
        let before = self.skin_lists(h);
        let told = self.team.together(&checks.answer(|| ()), call)?;
        self.changed(h);
        let made = self.skin_lists(h) > before;
        let hand = &mut self.hands[h];
        if made {
            hand.model.list = Some(hand.model.skin_list(kind, told.is_ok()));
        }
        Ok(told.ok())
    }

    /// The times that any rank has made a list with a skin.
    pub(super) fn skin_lists(&mut self, h: usize) -> i64 {
        match self.hands[h].model.skin > 0.0 {
            true => self.counter(h, 12).into_iter().max().unwrap_or(0),
            false => 0,
        }
    }

    pub(super) fn counter(&mut self, h: usize, counter: i32) -> Vec<i64> {
        self.team.each(|seat| {
            let mut value = 0;
            // SAFETY: a handle of ours, and a place for a number.
            unsafe { neargrid_search_counter(seat.searches[h].cast_const().cast(), counter, &mut value) };
            value
        })
    }

    pub(super) fn check_entries(&mut self, h: usize, rows: &[Vec<Vec<usize>>]) -> Checked {
        let wanted: Vec<i64> = rows.iter().map(|rows| entries(rows)).collect();
        same("the counter of entries", &self.counter(h, 1), &wanted)
    }

    /// Compares rows of ranks with the right ones.
    pub(super) fn compare(
        &self,
        h: usize,
        found: &[Rows],
        names: Option<&Vec<Vec<usize>>>,
        wanted: &[Vec<Vec<usize>>],
    ) -> Checked {
        let base = self.hands[h].model.base;
        for (rank, (found, wanted)) in found.iter().zip(wanted).enumerate() {
            let mut offsets = vec![base];
            offsets.extend(wanted.iter().scan(base, |end, row| {
                *end += row.len() as i64;
                Some(*end)
            }));
            same(&format!("offsets on rank {rank}"), &found.offsets, &offsets)?;
            if let Some(names) = names {
                let found = named(&found.ids, base, &names[rank])?;
                same(&format!("ids on rank {rank}"), &found, &wanted.concat())?;
            }
        }
        Ok(())
    }

    pub(super) fn compare_pairs(
        &self,
        h: usize,
        found: &[[Vec<i32>; 2]],
        names: Option<&Vec<Vec<usize>>>,
        wanted: &[Vec<Vec<usize>>],
    ) -> Checked {
        let (truth, Some(names)) = (self.hands[h].truth(), names) else {
            return Ok(());
        };
        for (rank, ([left, right], wanted)) in found.iter().zip(wanted).enumerate() {
            let mut rows: Vec<_> = self.hands[h].deal.mine[rank].iter().zip(wanted).collect();
            rows.sort_by_key(|(i, _)| truth.rank(**i));
            let pairs = rows.into_iter().flat_map(|(&i, row)| row.iter().map(move |&j| (i, j)));
            let (wanted_left, wanted_right): (Vec<usize>, Vec<usize>) = pairs.unzip();
            let [left, right] = [left, right].map(|side| named(side, truth.base, &names[rank]));
            same(&format!("pair_i on rank {rank}"), &left?, &wanted_left)?;
            same(&format!("pair_j on rank {rank}"), &right?, &wanted_right)?;
        }
        Ok(())
    }
}

impl Hand {
    /// The truth when the list with a skin was made, with the skin added to all cutoffs.
    pub(super) fn then(&self) -> Model {
        let now = self.truth();
        let skin = now.skin;
        let list = now.list.clone().map(|list| list.value);
        let (reference, domain) = list.map_or_else(Default::default, |list| (list.reference.concat(), list.domain));
        let enlarged = |&r: &f64| match now.single {
            true => f64::from(r as f32 + skin as f32),
            false => r + skin,
        };
        let of_types = |&cutoff: &f64| if cutoff > 0.0 { cutoff + skin } else { 0.0 };
        Model {
            points: reference,
            domain,
            queries: Vec::new(),
            cutoff: now.cutoff.map(|cutoff| cutoff + skin),
            type_cutoffs: (now.type_cutoffs.as_ref())
                .map(|(ntypes, cutoffs)| (*ntypes, cutoffs.iter().map(of_types).collect())),
            radii: (now.radii.as_ref())
                .map(|(single, radii, rule)| (*single, radii.iter().map(enlarged).collect(), *rule)),
            ..now
        }
    }
}

/// The entries of rows.
pub fn entries(rows: &[Vec<usize>]) -> i64 {
    rows.iter().map(|row| row.len() as i64).sum()
}

/// The points that a rank's numbers mean.
pub fn named(ids: &[i32], base: i64, names: &[usize]) -> Result<Vec<usize>, String> {
    let name = |&id: &i32| names.get((i64::from(id) - base) as usize).copied();
    let all: Option<Vec<usize>> = ids.iter().map(name).collect();
    all.ok_or_else(|| {
        format!(
            "a number in {ids:?} is of no point: base {base}, {} points",
            names.len()
        )
    })
}

/// Refuses the first value that is not the one wanted.
pub fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &[T], wanted: &[T]) -> Checked {
    if found.len() != wanted.len() {
        return Err(format!("{what}: {} elements, {} are right", found.len(), wanted.len()));
    }
    match found.iter().zip(wanted).position(|(a, b)| a != b) {
        None => Ok(()),
        Some(k) => {
            let near = k.saturating_sub(3)..(k + 4).min(found.len());
            let (found, wanted) = (&found[near.clone()], &wanted[near.clone()]);
            Err(format!(
                "{what}: from element {} on {found:?}, {wanted:?} is right",
                near.start
            ))
        }
    }
}

/// The same bits; any NaN is one.
pub fn same_bits<T: Precise>(what: &str, found: &[T], wanted: &[T]) -> Checked {
    let is_same = |(a, b): (&T, &T)| {
        let [a, b] = [a, b].map(|x| x.to_f64());
        a.is_nan() && b.is_nan() || a.to_bits() == b.to_bits()
    };
    match found.len() == wanted.len() && found.iter().zip(wanted).all(is_same) {
        true => Ok(()),
        false => {
            let at = found.iter().zip(wanted).position(|both| !is_same(both)).unwrap_or(0);
            let [found, wanted] = [found, wanted].map(|all| &all[at.min(all.len())..(at + 4).min(all.len())]);
            Err(format!("{what}: from element {at} on {found:?}, {wanted:?} is right"))
        }
    }
}
