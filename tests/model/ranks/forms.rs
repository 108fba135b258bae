//! Rows in other forms: of one length, in bins, by several cutoffs, of images, and the list with a skin as it is.

use neargrid::capi::{cell::*, list::*, padded::*, skin::*};

use super::super::call::{Call, Capacity};
use super::super::model::images::Entry;
use super::rows::{Rows, entries, named, same};
use super::team::{Out, Room, Told};
use super::*;

impl World {
    pub(super) fn padded(&mut self, h: usize, call: &Call) -> Result<Played, String> {
        let &Call::Padded {
            kind,
            width,
            off,
            nulls,
        } = call
        else {
            return Ok(Played::Done);
        };
        let asked = kind_of(kind);
        let mut checks = self.check_rows(h, asked, false);
        let kind_asked = asked.unwrap_or(Kind::Full);
        let (wanted, mine) = (self.dealt(h, kind_asked, &checks), self.mine(h, kind_asked));
        let (odd, off, nulls) = (self.odd, off.clamp(-1, 1), self.nulls(nulls & 1));
        let longest = |rank: usize| wanted[rank].iter().map(Vec::len).max().unwrap_or(0) as i64;
        let width = |rank: usize| match width {
            Capacity::More(more) => longest(rank) + more,
            _ if odd.is_some_and(|odd| odd != rank) => longest(rank),
            Capacity::Less(less) => (longest(rank) - less).max(0),
            Capacity::Is(width) => width,
        };
        let widths: Vec<i64> = (0..self.team.ranks()).map(width).collect();
        checks.must(off != 0, BAD_COUNT);
        checks.must(nulls.contains(&1), NULL_POINTER);
        checks.must(widths.iter().any(|&width| width < 0), BAD_COUNT);
        let is_short = (0..widths.len()).any(|rank| widths[rank] < longest(rank));
        checks.must(is_short && !checks.is_refused(), CAPACITY);
        let found = self.search(h, kind_asked, checks, |seat| {
            let (n, width) = (mine[seat.rank].len(), widths[seat.rank]);
            let (mut most, mut ids) = (Room::<i64>::new(1), Room::<i32>::new(n * width.max(0) as usize));
            let mut counts = Room::<i32>::new(n);
            let rows = n as i64 + if odd.is_none_or(|odd| odd == seat.rank) { off } else { 0 };
            let (place, search) = (most.at(nulls[seat.rank] == 1), seat.searches[h].cast());
            // SAFETY: room for so many rows, unless their number is refused.
            let status =
                unsafe { neargrid_neighbors_padded(search, kind, rows, width, place, ids.at(false), counts.at(false)) };
            let is_told = status == CAPACITY && most.first() == longest(seat.rank);
            let is_clean = status == OK || is_told || most.is_untouched();
            Told::of(status, &[&ids, &counts], || {
                (most.first(), ids.values().to_vec(), counts.values().to_vec())
            })
            .and(is_clean)
        })?;
        let Some(found) = found else { return Ok(Played::Done) };
        self.check_entries(h, &wanted)?;
        let (names, base) = (self.names_for(h, kind_asked)?, self.hands[h].model.base);
        for (rank, (most, ids, counts)) in found.into_iter().enumerate() {
            let lengths: Vec<i32> = wanted[rank].iter().map(|row| row.len() as i32).collect();
            same(&format!("the longest row on rank {rank}"), &[most], &[longest(rank)])?;
            same(&format!("counts on rank {rank}"), &counts, &lengths)?;
            let Some(names) = &names else { continue };
            let width = widths[rank] as usize;
            for (row, wanted) in wanted[rank].iter().enumerate() {
                let (front, behind) = ids[row * width..(row + 1) * width].split_at(wanted.len());
                same(
                    &format!("padded ids on rank {rank}"),
                    &named(front, base, &names[rank])?,
                    wanted,
                )?;
                same(
                    &format!("padding on rank {rank}"),
                    behind,
                    &vec![base as i32 - 1; behind.len()],
                )?;
            }
        }
        Ok(Played::Done)
    }

    pub(super) fn histogram(&mut self, h: usize, kind: i32, shares: &[f64], nulls: u8) -> Result<Played, String> {
        let asked = kind_of(kind);
        let mut checks = self.check_rows(h, asked, true);
        let asked = asked.unwrap_or(Kind::Full);
        let (hand, nulls) = (&self.hands[h], self.nulls(nulls & 3));
        let model = &hand.model;
        if asked == Kind::Half && hand.all_pairs {
            return Ok(Played::Skipped("pairs of two ranks are counted twice"));
        }
        let nbins = shares.len() as i64 - 1;
        let is_by_radii = model.radii.is_some() || asked == Kind::Queries && model.query_radii.is_some();
        checks.must(is_by_radii && model.dim.is_some(), NOT_SUPPORTED);
        checks.must(nbins < 1, BAD_COUNT);
        checks.must(nulls.iter().any(|&null| null != 0), NULL_POINTER);
        let of_kind = match asked {
            Kind::Queries => model.cutoff,
            _ => model.longest_bin(),
        };
        let cutoff = of_kind.unwrap_or(1.0);
        let edges: Vec<f64> = shares.iter().map(|share| share * cutoff).collect();
        let ascends = |k: usize| {
            if k == 0 {
                edges[0] >= 0.0
            } else {
                edges[k] > edges[k - 1]
            }
        };
        checks.must(!(0..edges.len()).all(|k| ascends(k) && edges[k] <= cutoff), BAD_VALUE);
        checks.may(checks.is_refused() && model.type_cutoffs.is_some(), BAD_VALUE);
        let wanted = (!checks.is_refused()).then(|| hand.truth().histogram(asked, &edges));
        let found = self.search(h, asked, checks, |seat| {
            let (mut counts, null) = (Room::<i64>::new(nbins.max(0) as usize), nulls[seat.rank]);
            let given = if null & 1 == 1 {
                std::ptr::null()
            } else {
                edges.as_ptr()
            };
            let (to, search) = (counts.at(null & 2 != 0), seat.searches[h].cast());
            // SAFETY: as many edges, and room for the bins.
            let status = unsafe { neargrid_neighbors_histogram(search, kind, nbins, given, to) };
            Told::of(status, &[&counts], || counts.values().to_vec())
        })?;
        if let (Some(found), Some(wanted)) = (found, wanted) {
            let sum: Vec<i64> = (0..wanted.len())
                .map(|bin| found.iter().map(|counts| counts[bin]).sum())
                .collect();
            same("the bins of all ranks", &sum, &wanted)?;
        }
        Ok(Played::Done)
    }

    pub(super) fn by_cutoffs(&mut self, h: usize, call: &Call) -> Result<Played, String> {
        let Call::ByCutoffs {
            first,
            kind,
            cutoffs,
            null,
        } = call
        else {
            return Ok(Played::Done);
        };
        let (first, asked, count) = (*first, kind_of(*kind), cutoffs.len());
        let (hand, mut checks) = (&self.hands[h], Checks::default());
        checks.must(asked.is_none(), BAD_VALUE);
        let kind_asked = asked.unwrap_or(Kind::Full);
        checks.must(!(1..=64).contains(&count), BAD_COUNT);
        let model = &hand.model;
        let is_by_radii = model.radii.is_some() || kind_asked == Kind::Queries && model.query_radii.is_some();
        let is_by_types = model.type_cutoffs.is_some() && kind_asked != Kind::Queries;
        checks.must(is_by_radii || is_by_types, NOT_SUPPORTED);
        let with = |model: &Model, cutoff: f64| Model {
            cutoff: Some(cutoff),
            skin: 0.0,
            ..model.clone()
        };
        (cutoffs.iter()).for_each(|&cutoff| with(model, cutoff).check_search(&mut checks, kind_asked, false));
        hand.check_ranks(&mut checks);
        let nulls = self.nulls((*null).into());
        checks.must(nulls.contains(&1), NULL_POINTER);
        let (truth, is_answered) = (self.hands[h].truth(), !checks.is_refused());
        let wanted: Vec<Vec<Vec<Vec<usize>>>> = match is_answered {
            false => Vec::new(),
            true => (cutoffs.iter())
                .map(|&cutoff| self.parts_of(h, kind_asked, &self.rows_by(h, kind_asked, &with(&truth, cutoff))))
                .collect(),
        };
        // The plan of these cutoffs, or that of the handle's, has the ghosts.
        let (fault, mut is_known) = (self.team.fault.take(), is_answered);
        is_known &= !self.check_rows(h, Some(Kind::Full), false).is_refused();
        if is_known {
            self.names_for(h, Kind::Full)?;
        }
        self.team.fault = fault;
        let found = self.search(h, kind_asked, checks, |seat| {
            let place = match nulls[seat.rank] {
                1 => std::ptr::null_mut(),
                _ => seat.lists[first..].as_mut_ptr(),
            };
            let (search, given) = (seat.searches[h].cast(), cutoffs.as_ptr());
            // SAFETY: as many cutoffs, and places of lists, unless there are too many.
            let status = unsafe { neargrid_neighbors_take_by_cutoffs(search, *kind, count as i64, given, place) };
            Told::of(status, &[], || ())
        })?;
        if found.is_none() {
            (0..LISTS).try_for_each(|list| self.view_list(list).map(|_| ()))?;
            return Ok(Played::Done);
        }
        let names = if is_known { self.names_for(h, Kind::Full)? } else { None };
        for (k, wanted) in wanted.iter().enumerate() {
            let rows = self.rows_of_list(first + k)?;
            self.compare(h, &rows, names.as_ref(), wanted)?;
            self.lists[first + k] = rows;
        }
        Ok(Played::Done)
    }

    pub(super) fn check_images(&self, h: usize, kind: Option<Kind>) -> Checks {
        let (hand, mut checks) = (&self.hands[h], Checks::default());
        checks.must(kind.is_none(), BAD_VALUE);
        hand.model.check_images(&mut checks, kind.unwrap_or(Kind::Full));
        hand.check_ranks(&mut checks);
        checks
    }

    /// Whether a cell has too many images to look at.
    pub(super) fn is_large(&self, h: usize) -> bool {
        let model = &self.hands[h].model;
        model.cell.is_some() && model.cutoff_of_points().is_some() && !model.is_small()
    }

    /// Rows in a cell: counted, copied or viewed.
    pub(super) fn images(&mut self, h: usize, kind: i32, how: usize, nulls: u8) -> Result<Played, String> {
        let asked = kind_of(kind);
        let mut checks = self.check_images(h, asked);
        if !checks.is_refused() && self.is_large(h) {
            return Ok(Played::Skipped("too many images to look at"));
        }
        let asked = asked.unwrap_or(Kind::Full);
        let wanted = match checks.is_refused() {
            true => vec![Vec::new(); self.team.ranks()],
            false => self.parts_of(h, Kind::Full, &self.images_of(h, asked)),
        };
        let (nulls, mine) = (self.nulls(nulls & 1), self.hands[h].deal.mine.clone());
        checks.must(nulls.contains(&1), NULL_POINTER);
        let needs: Vec<usize> = wanted.iter().map(|rows| rows.iter().map(Vec::len).sum()).collect();
        let found = self.team.together(&checks.answer(|| ()), |seat| {
            let (n, need, null) = (mine[seat.rank].len(), needs[seat.rank], nulls[seat.rank] == 1);
            let (mut count, mut total, search) = (Room::<i64>::new(1), Room::<i64>::new(1), seat.searches[h].cast());
            if how < 2 {
                let (mut ids, mut shifts) = (Room::<i32>::new(need), Room::<i32>::new(3 * need));
                let (mut offsets, to) = (Room::<i64>::new(n + 1), total.at(null));
                // SAFETY: room for all rows.
                let status = unsafe {
                    match how {
                        0 => neargrid_images_count(search, kind, to),
                        _ => {
                            let (ids, shifts) = (ids.at(false), shifts.at(false));
                            neargrid_images_copy(
                                search,
                                kind,
                                n as i64,
                                need as i64,
                                to,
                                offsets.at(false),
                                ids,
                                shifts,
                            )
                        }
                    }
                };
                return Told::of(status, &[&total, &ids, &shifts, &offsets], || {
                    let rows = (
                        offsets.values().to_vec(),
                        ids.values().to_vec(),
                        shifts.values().to_vec(),
                    );
                    (total.first(), (how == 1).then_some(rows))
                });
            }
            let [mut offsets, mut ids, mut shifts] = [(); 3].map(|()| Room::<usize>::new(1));
            let out = (offsets.pointer(false), ids.pointer(false), shifts.pointer(false));
            // SAFETY: places for numbers and pointers; then as many elements as was told.
            unsafe {
                let status = neargrid_images_view(search, kind, count.at(false), total.at(null), out.0, out.1, out.2);
                Told::of(status, &[&count, &total, &offsets, &ids, &shifts], || {
                    let (n, len) = (count.first() as usize, total.first() as usize);
                    let rows = (
                        offsets.lent::<i64>(n + 1),
                        ids.lent::<i32>(len),
                        shifts.lent::<i32>(3 * len),
                    );
                    (total.first(), Some(rows))
                })
            }
        })?;
        self.changed(h);
        let Ok(found) = found else { return Ok(Played::Done) };
        let names = if self.hands[h].model.limit == 0 {
            Some(self.names(h)?)
        } else {
            None
        };
        for (rank, (total, rows)) in found.into_iter().enumerate() {
            same(&format!("the images of rank {rank}"), &[total], &[needs[rank] as i64])?;
            let (Some((offsets, ids, shifts)), Some(names)) = (rows, &names) else {
                continue;
            };
            let js: Vec<Vec<usize>> = (wanted[rank].iter())
                .map(|row| row.iter().map(|&(j, _)| j).collect())
                .collect();
            let mut one = vec![Rows::default(); self.team.ranks()];
            let (mut of_one, base) = (vec![Vec::new(); one.len()], self.hands[h].model.base);
            of_one[rank] = js;
            one.iter_mut().for_each(|rows| rows.offsets = vec![base]);
            one[rank] = Rows { offsets, ids };
            self.compare(h, &one, Some(names), &of_one)?;
            let wanted: Vec<i32> = wanted[rank].iter().flatten().flat_map(|&(_, shift)| shift).collect();
            same(&format!("shifts on rank {rank}"), &shifts, &wanted)?;
        }
        Ok(Played::Done)
    }

    /// The right rows of images of each point of the world.
    fn images_of(&self, h: usize, kind: Kind) -> Vec<Vec<Entry>> {
        let (hand, truth) = (&self.hands[h], self.hands[h].truth());
        if kind != Kind::Half || !hand.all_pairs {
            return truth.images(kind);
        }
        let (owners, half) = (hand.deal.owners(), truth.images(Kind::Half));
        let mut rows = truth.images(Kind::Full);
        for (i, row) in rows.iter_mut().enumerate() {
            row.retain(|entry| owners[i] != owners[entry.0] || half[i].contains(entry));
        }
        rows
    }

    pub(super) fn verlet(&mut self, h: usize, kind: i32, nulls: u8) -> Result<Played, String> {
        let asked = kind_of(kind);
        let mut checks = self.check_rows(h, asked, false);
        let model = &self.hands[h].model;
        checks.must(asked == Some(Kind::Queries), BAD_VALUE);
        checks.must(model.skin == 0.0, BAD_STATE);
        let (asked, nulls) = (asked.unwrap_or(Kind::Full), self.nulls(nulls & 1));
        checks.must(nulls.contains(&1), NULL_POINTER);
        let found = self.search(h, asked, checks, |seat| {
            let (mut n, mut total, mut rebuilt) = (Room::<i64>::new(1), Room::<i64>::new(1), Room::<i32>::new(1));
            let (mut offsets, mut ids) = (Room::<usize>::new(1), Room::<usize>::new(1));
            let (search, out) = (seat.searches[h].cast(), (offsets.pointer(false), ids.pointer(false)));
            let numbers = (n.at(nulls[seat.rank] == 1), total.at(false), rebuilt.at(false));
            // SAFETY: places for numbers and pointers; then as many elements as was told.
            unsafe {
                let status = neargrid_verlet_view(search, kind, numbers.0, numbers.1, out.0, out.1, numbers.2);
                Told::of(status, &[&n, &total, &offsets, &ids, &rebuilt], || {
                    let rows = Rows {
                        offsets: offsets.lent(n.first() as usize + 1),
                        ids: ids.lent(total.first() as usize),
                    };
                    (rebuilt.first(), rows)
                })
            }
        })?;
        let Some(found) = found else { return Ok(Played::Done) };
        let Some(list) = self.hands[h]
            .model
            .list
            .as_mut()
            .filter(|list| list.value.kind == asked)
        else {
            return Err("a Verlet list of which nobody knows when it was made".to_owned());
        };
        let is_other = !std::mem::replace(&mut list.value.seen, true);
        let then = self.hands[h].then();
        let wanted = self.parts_of(h, asked, &self.rows_by(h, asked, &then));
        let (rebuilt, rows): (Vec<i32>, Vec<Rows>) = found.into_iter().unzip();
        same(
            "whether the list is another",
            &rebuilt,
            &vec![i32::from(is_other); rebuilt.len()],
        )?;
        let names = self.names_for(h, asked)?;
        self.compare(h, &rows, names.as_ref(), &wanted)?;
        same(
            "entries",
            &self.counter(h, 1),
            &wanted.iter().map(|rows| entries(rows)).collect::<Vec<_>>(),
        )?;
        Ok(Played::Done)
    }
}
