//! Groups of friends of friends, and their catalogue, each group on one rank.

use neargrid::capi::{fof::*, groups::*};

use super::super::call::Call;
use super::precision::Precise;
use super::rows::same;
use super::team::{Room, Told};
use super::*;

/// The groups that ranks must have, and who has them.
pub struct Found {
    catalogue: Catalogue,
}

impl World {
    fn check_groups(&self, h: usize) -> Checks {
        let (hand, mut checks) = (&self.hands[h], Checks::default());
        let model = &hand.model;
        let is_empty = model.dim.is_some() && model.n() == 0;
        match is_empty {
            false => model.check_groups(&mut checks),
            // Ranks without points say nothing of their settings. Where no rank has any, none is there to refuse them.
            true => {
                let mut of_one = Checks::default();
                model.check_groups(&mut of_one);
                (of_one.answer(|| ()).statuses.into_iter()).for_each(|status| checks.may(true, status));
            }
        }
        hand.check_ranks(&mut checks);
        checks.must(model.misfit() && !is_empty, BAD_COUNT);
        checks.may(model.misfit(), BAD_COUNT);
        // The ghosts that groups need come with the pairs that rows exclude.
        checks.may(model.exclusions.is_some(), BAD_COUNT);
        checks.may(model.cell.is_some(), BAD_DOMAIN);
        checks
    }

    pub(super) fn fof(&mut self, h: usize, off: i64, nulls: u8) -> Result<Played, String> {
        self.hands[h].chunks = None; // a query, which ends them
        let mut checks = self.check_groups(h);
        let (nulls, off) = (self.nulls(nulls & 3), off.clamp(-1, 1));
        let mine = self.hands[h].deal.mine.clone();
        let odd = self.odd;
        let is_null = |(nulls, mine): (&u8, &Vec<usize>)| nulls & 1 != 0 || nulls & 2 != 0 && !mine.is_empty();
        checks.must(nulls.iter().zip(&mine).any(is_null), NULL_POINTER);
        checks.must(off != 0, BAD_COUNT);
        let found = self.team.together(&checks.answer(|| ()), |seat| {
            let (len, nulls) = (mine[seat.rank].len(), nulls[seat.rank]);
            let n = len as i64 + if odd.is_none_or(|odd| odd == seat.rank) { off } else { 0 };
            let (mut labels, mut groups) = (Room::<i64>::new(len), Room::<i64>::new(1));
            let (to, count) = (labels.at(nulls & 2 != 0), groups.at(nulls & 1 != 0));
            // SAFETY: room for all labels.
            let status = unsafe { neargrid_fof_copy_ids(seat.searches[h].cast(), n, to, count) };
            Told::of(status, &[&labels, &groups], || {
                (groups.first(), labels.values().to_vec())
            })
        })?;
        let Ok(found) = found else { return Ok(Played::Done) };
        let truth = self.hands[h].truth();
        let labels = truth.groups();
        let groups = (0..labels.len()).filter(|&i| labels[i] == i).count() as i64;
        for (rank, (count, found)) in found.iter().enumerate() {
            same(&format!("the number of groups on rank {rank}"), &[*count], &[groups])?;
            let wanted: Vec<i64> = mine[rank].iter().map(|&i| truth.ids[labels[i]]).collect();
            same(&format!("labels on rank {rank}"), found, &wanted)?;
        }
        Ok(Played::Done)
    }

    pub(super) fn groups(&mut self, h: usize, call: &Call) -> Result<Played, String> {
        match call {
            Call::Groups {
                properties: Some(properties),
                ..
            } if properties.single => self.groups_in::<f32>(h, call),
            _ => self.groups_in::<f64>(h, call),
        }
    }

    fn groups_in<T: Precise>(&mut self, h: usize, call: &Call) -> Result<Played, String> {
        let Call::Groups {
            min_size,
            properties,
            null,
        } = call
        else {
            return Ok(Played::Done);
        };
        self.hands[h].chunks = None;
        let mut checks = self.check_groups(h);
        let model = &self.hands[h].model;
        let (n, dim, least) = (model.n(), model.dim.unwrap_or(1), *min_size);
        checks.must(least < 1, BAD_COUNT);
        let nulls = self.nulls((*null).into());
        checks.must(nulls.contains(&1), NULL_POINTER);
        let is_single = size_of::<T>() == 4;
        let all = |few: &Vec<f64>, len: usize| -> Vec<f64> {
            (0..len).map(|k| rounded(is_single, few[k % few.len()])).collect()
        };
        let given = properties.as_ref();
        let masses = given.and_then(|p| p.masses.as_ref()).map(|few| all(few, n));
        let velocities = given.and_then(|p| p.velocities.as_ref()).map(|few| all(few, n * dim));
        if let Some(properties) = given {
            checks.must(properties.off != 0, BAD_COUNT);
            let are_given = masses.is_some() || velocities.is_some();
            checks.must(are_given && properties.single != model.single, BAD_VALUE);
            let is_mass = |mass: &f64| mass.is_finite() && *mass > 0.0;
            checks.must(masses.iter().flatten().any(|mass| !is_mass(mass)), BAD_VALUE);
            checks.must(velocities.iter().flatten().any(|v| !v.is_finite()), NON_FINITE);
        }
        // Without masses and velocities the call has the precision of the points.
        let is_other = !(masses.is_some() || velocities.is_some()) && is_single != model.single && model.dim.is_some();
        if is_other {
            return Ok(Played::Skipped(
                "no masses in another precision than that of the points",
            ));
        }
        let off = given.map_or(0, |properties| properties.off.clamp(-1, 1));
        let deal = &self.hands[h].deal;
        let masses_of = masses.as_ref().map(|masses| deal.parts(masses, 1));
        let velocities_of = velocities.as_ref().map(|velocities| deal.parts(velocities, dim));
        let (mine, odd) = (deal.mine.clone(), self.odd);
        let found = self.team.together(&checks.answer(|| ()), |seat| {
            let part = |parts: &Option<Vec<Vec<f64>>>| parts.as_ref().map(|parts| T::all(&parts[seat.rank]));
            let (masses, velocities) = (part(&masses_of), part(&velocities_of));
            let first = |part: &Option<Vec<T>>| part.as_ref().map_or(std::ptr::null(), Vec::as_ptr);
            let n = mine[seat.rank].len() as i64 + if odd.is_none_or(|odd| odd == seat.rank) { off } else { 0 };
            let mut groups = Room::<i64>::new(1);
            let (count, v) = (groups.at(nulls[seat.rank] == 1), (first(&velocities), dim));
            // SAFETY: a mass and a velocity of each point, and a place for a number.
            let status = unsafe { T::groups(seat.searches[h], (least, n), first(&masses), v, count) };
            Told::of(status, &[&groups], || groups.first())
        })?;
        let Ok(found) = found else {
            self.hands[h].groups = None;
            return Ok(Played::Done);
        };
        let hand = &self.hands[h];
        let truth = Model {
            base: 0,
            ..hand.truth()
        };
        let catalogue = truth.catalogue(least, masses.as_deref(), velocities.as_deref());
        let owners = hand.deal.owners();
        let wanted: Vec<i64> = (0..self.team.ranks())
            .map(|rank| {
                catalogue
                    .labels
                    .iter()
                    .filter(|&&label| owners[label as usize] == rank)
                    .count() as i64
            })
            .collect();
        same("the groups of ranks", &found, &wanted)?;
        self.hands[h].groups = Some(Found { catalogue });
        Ok(Played::Done)
    }

    /// Labels, sizes and sums of the groups that each rank has.
    pub(super) fn groups_view(&mut self, h: usize) -> Result<Played, String> {
        let Some(Found { catalogue }) = self.hands[h].groups.take() else {
            return Ok(Played::Skipped("no groups were found, or something has changed"));
        };
        let (hand, mut parts) = (&self.hands[h], Vec::new());
        let (owners, ids) = (hand.deal.owners(), hand.truth().ids);
        for rank in 0..self.team.ranks() {
            let labels = catalogue.labels.iter().enumerate();
            parts.push(
                labels
                    .filter(|(_, label)| owners[**label as usize] == rank)
                    .map(|(k, _)| k)
                    .collect::<Vec<usize>>(),
            );
        }
        let found = self.team.alone("the catalogue", |seat| {
            let (len, search) = (parts[seat.rank].len(), seat.searches[h].cast());
            let (mut labels, mut sizes, mut count) =
                (Room::<i64>::new(len), Room::<i64>::new(len), Room::<i64>::new(1));
            let to = (labels.at(false), sizes.at(false));
            // SAFETY: room for as many groups as there are.
            let status = unsafe { neargrid_groups_copy_ids(search, len as i64, count.at(false), to.0, to.1) };
            Told::of(status, &[], || [labels.values().to_vec(), sizes.values().to_vec()])
        })?;
        let sums = self.team.alone("the sums of the catalogue", |seat| sums_of(seat, h))?;
        for (rank, ([labels, sizes], sums)) in found.iter().zip(sums).enumerate() {
            let part = &parts[rank];
            // The order is that of sizes, then of ids.
            let wanted: Vec<i64> = part.iter().map(|&k| ids[catalogue.labels[k] as usize]).collect();
            same(&format!("labels of groups on rank {rank}"), labels, &wanted)?;
            let wanted: Vec<i64> = part.iter().map(|&k| catalogue.sizes[k]).collect();
            same(&format!("sizes of groups on rank {rank}"), sizes, &wanted)?;
            catalogue.compare(rank, part, &sums)?;
        }
        self.hands[h].groups = Some(Found { catalogue });
        Ok(Played::Done)
    }
}

/// Sums over members: masses, centers, velocities, radii, and which groups are wide.
struct Sums {
    numbers: [Vec<f64>; 4],
    wide: Vec<i32>,
}

fn sums_of(seat: &mut team::Seat, h: usize) -> Told<Sums> {
    let (mut count, mut dim) = (Room::<i64>::new(1), Room::<i32>::new(1));
    let [mut masses, mut centers, mut velocities, mut radii, mut wide] = [(); 5].map(|()| Room::<usize>::new(1));
    // SAFETY: places for numbers and pointers; then as many elements as was told.
    unsafe {
        let status = neargrid_groups_view_sums(
            seat.searches[h].cast(),
            count.at(false),
            dim.at(false),
            masses.pointer(false),
            centers.pointer(false),
            velocities.pointer(false),
            radii.pointer(false),
            wide.pointer(false),
        );
        Told::of(status, &[], || {
            let (n, dim) = (count.first() as usize, dim.first() as usize);
            let moving = if velocities.first() == 0 { 0 } else { n * dim };
            Sums {
                numbers: [
                    masses.lent(n),
                    centers.lent(n * dim),
                    velocities.lent(moving),
                    radii.lent(n),
                ],
                wide: wide.lent(n),
            }
        })
    }
}

impl Catalogue {
    /// Compares sums with those of some groups.
    fn compare(&self, rank: usize, part: &[usize], sums: &Sums) -> Checked {
        let of = |all: &[f64], width: usize| -> Vec<f64> {
            part.iter()
                .flat_map(|&k| &all[k * width..(k + 1) * width])
                .copied()
                .collect()
        };
        let none = Vec::new();
        let has_velocities = self.velocities.is_some();
        let wanted = [
            of(&self.masses, 1),
            of(&self.centers, self.dim),
            of(
                self.velocities.as_ref().unwrap_or(&none),
                if has_velocities { self.dim } else { 0 },
            ),
            of(&self.radii, 1),
        ];
        for (kind, (found, wanted)) in sums.numbers.iter().zip(&wanted).enumerate() {
            // Numbers that are not certain are NaN. Centers are wrapped.
            let is_right = |k: usize| {
                let (a, b) = (found[k], wanted[k]);
                let is_near = || {
                    let length = self.lengths[k % self.dim];
                    let off = length.map_or((a - b).abs(), |length| {
                        (a - b).abs().min(((a - b).abs() - length).abs())
                    });
                    off <= 1e-14 * (a.abs() + b.abs() + length.unwrap_or(0.0))
                };
                b.is_nan() || a.to_bits() == b.to_bits() || kind == 1 && is_near()
            };
            let is_missing = found.len() != wanted.len() && !(kind == 2 && part.is_empty());
            if is_missing || !(0..wanted.len()).all(is_right) {
                let what = ["masses", "centers", "velocities", "radii"][kind];
                return Err(format!(
                    "{what} of groups on rank {rank}: {found:?}, {wanted:?} is right"
                ));
            }
        }
        let wide: Vec<i32> = part.iter().map(|&k| self.wide[k]).collect();
        same(&format!("wide groups on rank {rank}"), &sums.wide, &wide)
    }
}
