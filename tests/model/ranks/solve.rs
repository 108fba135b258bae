//! Radii at which a number of neighbors is reached: each rank gets those of its points.

use super::super::call::{Call, Capacity};
use super::super::solved::{Target, with_radii};
use super::super::sums::FIELDS;
use super::precision::Precise;
use super::rows::same;
use super::team::{Out, Room, Told};
use super::*;

impl World {
    pub(super) fn solve(&mut self, h: usize, call: &Call) -> Result<Played, String> {
        match call {
            Call::Solve { single: true, .. } => self.solve_in::<f32>(h, call),
            _ => self.solve_in::<f64>(h, call),
        }
    }

    fn solve_in<T: Precise>(&mut self, h: usize, call: &Call) -> Result<Played, String> {
        let &Call::Solve {
            which,
            kind,
            single,
            target,
            range,
            tolerance,
            times,
            capacity,
            nulls,
        } = call
        else {
            return Ok(Played::Done);
        };
        if self.formulas[which].as_ref().is_none_or(|formula| formula.text != 0) {
            self.make_formula(&Call::Formula {
                which,
                text: 0,
                precision: 1,
                with_self: 0,
            })?;
        }
        let (Some(formula), hand, asked) = (self.formulas[which].clone(), &self.hands[h], kind_of(kind)) else {
            return Ok(Played::Done);
        };
        let (model, mut checks, [smallest, largest]) =
            (&hand.model, Checks::default(), range.map(|r| rounded(single, r)));
        checks.must(!matches!(asked, Some(Kind::Full | Kind::Queries)), BAD_VALUE);
        let asked = asked.filter(|&kind| kind != Kind::Half).unwrap_or(Kind::Full);
        checks.must(single != model.single, BAD_VALUE);
        checks.must(asked == Kind::Queries && !model.has_queries, BAD_STATE);
        checks.must(!is_radius(single, smallest), BAD_RADIUS);
        checks.must(!is_radius(single, largest) || smallest >= largest, BAD_RADIUS);
        checks.must(!(0.0..1.0).contains(&tolerance), BAD_VALUE);
        checks.must(!target.is_finite(), BAD_VALUE);
        checks.must(times < 1, BAD_COUNT);
        let all = if asked == Kind::Queries {
            model.nqueries()
        } else {
            model.n()
        };
        with_radii(model, asked, vec![smallest; all]).check_run(&mut checks, asked);
        hand.check_ranks(&mut checks);
        checks.must(model.cell.is_some(), NOT_SUPPORTED);
        let halves = model.periodic_axes().into_iter();
        let mut halves = halves.map(|(_, _, length)| T::from_f64(length).mul(T::from_f64(0.5)).to_f64());
        checks.must(halves.any(|half| half < largest), BAD_DOMAIN);
        formula.check(&mut checks, model, asked);
        let active: Vec<Vec<usize>> = match asked {
            Kind::Queries => hand.queries.mine.clone(),
            _ => {
                let active = |mine: &Vec<usize>| mine.iter().copied().filter(|&i| model.is_active(i)).collect();
                hand.deal.mine.iter().map(active).collect()
            }
        };
        let (odd, nulls) = (self.odd, self.nulls(nulls & 9));
        let room = |rank: usize| {
            let rows = active[rank].len() as i64;
            match capacity {
                Capacity::More(more) => rows + more,
                _ if odd.is_some_and(|odd| odd != rank) => rows,
                Capacity::Less(less) => (rows - less).max(0),
                Capacity::Is(capacity) => capacity,
            }
        };
        let rooms: Vec<i64> = (0..self.team.ranks()).map(room).collect();
        checks.must(nulls.iter().any(|&null| null != 0), NULL_POINTER);
        checks.must(rooms.iter().any(|&room| room < 0), BAD_COUNT);
        checks.must(
            rooms.iter().zip(&active).any(|(room, rows)| *room < rows.len() as i64),
            CAPACITY,
        );
        let told = self.team.together(&checks.answer(|| ()), |seat| {
            let (room, null, rows) = (rooms[seat.rank], nulls[seat.rank], active[seat.rank].len());
            let len = room.clamp(0, 1 << 20) as usize;
            let (mut n, mut unsolved) = (Room::<i64>::new(1), Room::<i64>::new(1));
            let (mut radii, mut outcomes) = (Room::<T>::new(len), Room::<i32>::new(len));
            let (asked, numbers) = (
                (seat.formulas[which], kind, FIELDS[2]),
                (target, range, tolerance, times, room),
            );
            let (counts, out) = (
                [n.at(null & 1 != 0), unsolved.at(null & 8 != 0)],
                (radii.at(false), outcomes.at(false)),
            );
            // SAFETY: a formula of ours, places for numbers, and as much room as is said.
            let status = unsafe { T::solve(seat.searches[h], asked, numbers, counts, out) };
            let is_told = status == CAPACITY && n.first() == rows as i64;
            let is_clean = status == OK || is_told || n.is_untouched();
            let told = Told::of(status, &[&radii, &outcomes, &unsolved], || {
                let radii: Vec<f64> = radii.values()[..rows].iter().map(|r| r.to_f64()).collect();
                (n.first(), unsolved.first(), radii, outcomes.values()[..rows].to_vec())
            });
            told.and(is_clean)
        })?;
        self.changed(h);
        let Ok(found) = told else {
            return Ok(Played::Done);
        };
        let (hand, model) = (&self.hands[h], &self.hands[h].model);
        let (mut radii, mut outcomes) = (vec![0.0; all], vec![0; all]);
        for (rank, (n, unsolved, of_rank, outcomes_of_rank)) in found.iter().enumerate() {
            same(
                &format!("the number of radii on rank {rank}"),
                &[*n],
                &[active[rank].len() as i64],
            )?;
            let wanted = outcomes_of_rank.iter().filter(|&&outcome| outcome != 0).count() as i64;
            same(
                &format!("the number of unsolved radii on rank {rank}"),
                &[*unsolved],
                &[wanted],
            )?;
            for (k, &row) in active[rank].iter().enumerate() {
                (radii[row], outcomes[row]) = (of_rank[k], outcomes_of_rank[k]);
            }
        }
        let sought = model.sought(asked);
        let radii: Vec<f64> = sought.iter().map(|&row| radii[row]).collect();
        let outcomes: Vec<i32> = sought.iter().map(|&row| outcomes[row]).collect();
        let target = Target {
            count: target,
            range: [smallest, largest],
            tolerance,
        };
        let (mut found, _) = (hand.truth()).with_solved::<T>(&formula, asked, target, (&radii, &outcomes))?;
        formula.make_sums(&mut found, asked);
        self.hands[h].model.fields = found.fields;
        self.get_fields(h)
    }
}
