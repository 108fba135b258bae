//! Radii at which a number of neighbors is reached.

use neargrid::Real;
use neargrid::capi::solve_radii::*;

use super::super::solved::{Target, with_radii};
use super::super::sums::FIELDS;
use super::*;

impl Run {
    pub(super) fn solve(&mut self, h: usize, call: &Call) -> Checked {
        match call {
            Call::Solve { single: true, .. } => self.solve_in::<f32>(h, call),
            _ => self.solve_in::<f64>(h, call),
        }
    }

    fn solve_in<T: Solved>(&mut self, h: usize, call: &Call) -> Checked {
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
            return Ok(());
        };
        if !self.formulas[which].counts() {
            self.make_formula(&Call::Formula {
                which,
                text: 0,
                precision: 1,
                with_self: 0,
            })?;
        }
        let formula = self.formulas[which].model.clone();
        let is_null = |k: u32| nulls >> k & 1 != 0;
        let mut checks = Checks::default();
        checks.must(h == 2 || is_null(0) || is_null(3), NULL_POINTER);
        let asked = kind_of(kind);
        checks.must(!matches!(asked, Some(Kind::Full | Kind::Queries)), BAD_VALUE);
        let asked = asked.unwrap_or(Kind::Full);
        let model = self.model(h);
        checks.must(single != model.single, BAD_VALUE);
        checks.must(asked == Kind::Queries && !model.has_queries, BAD_STATE);
        let active = model.sought(asked);
        let (rows, all) = (
            active.len() as i64,
            if asked == Kind::Queries {
                model.nqueries()
            } else {
                model.n()
            },
        );
        let [smallest, largest] = range.map(|radius| rounded(single, radius));
        checks.must(!is_radius(single, smallest), BAD_RADIUS);
        checks.must(!is_radius(single, largest) || smallest >= largest, BAD_RADIUS);
        checks.must(!(0.0..1.0).contains(&tolerance), BAD_VALUE);
        checks.must(!target.is_finite(), BAD_VALUE);
        checks.must(times < 1, BAD_COUNT);
        let with = |radius: f64| with_radii(model, asked, vec![radius; all]);
        with(smallest).check_run(&mut checks, asked);
        let halves = model.periodic_axes().into_iter();
        let mut halves = halves.map(|(_, _, length)| T::from_f64(length).mul(T::from_f64(0.5)).to_f64());
        checks.must(halves.any(|half| half < largest), BAD_DOMAIN);
        formula.check(&mut checks, model, asked);
        checks.may(model.limit > 0, MEMORY_LIMIT);
        let room = match capacity {
            Capacity::More(more) => rows + more,
            Capacity::Less(less) => (rows - less).max(0),
            Capacity::Is(capacity) => capacity,
        };
        checks.must(room < 0, BAD_COUNT);
        checks.must(room < rows, CAPACITY);
        checks.must(is_null(1) && rows > 0, NULL_POINTER);
        let out = Outs {
            n: self.arena.write::<i64>(1, is_null(0)),
            radii: self.arena.write::<T>(room.max(0) as usize, is_null(1)),
            outcomes: self.arena.write::<i32>(room.max(0) as usize, is_null(2)),
            unsolved: self.arena.write::<i64>(1, is_null(3)),
        };
        let status = T::solve(self, h, which, kind, (target, range, tolerance, times, room), &out);
        let is_solved = self
            .judge(status, checks.answer(|| ()), Some((&out.n, rows)))?
            .is_some();
        if h == 2 {
            return Ok(());
        }
        self.handles[h].last = None;
        if !is_solved {
            self.model_mut(h).doubt_chunks();
            return self.check_fields(h, asked == Kind::Queries); // as before
        }
        self.model_mut(h).chunks = None;
        same("the number of radii", &out.n.values(), &[rows])?;
        if rows == 0 || is_null(1) {
            return self.renew(h);
        }
        let radii: Vec<f64> = out.radii.values()[..active.len()].iter().map(|r| r.to_f64()).collect();
        let outcomes = out.outcomes.values();
        let outcomes = &outcomes[..active.len().min(outcomes.len())];
        let target = Target {
            count: target,
            range: [smallest, largest],
            tolerance,
        };
        let (mut found, unsolved) = (self.model(h)).with_solved::<T>(&formula, asked, target, (&radii, outcomes))?;
        if !is_null(2) {
            same("the number of unsolved radii", &out.unsolved.values(), &[unsolved])?;
        }
        formula.make_sums(&mut found, asked);
        self.model_mut(h).fields = found.fields;
        self.check_fields(h, asked == Kind::Queries)
    }
}

/// The results.
pub(super) struct Outs<T> {
    n: Out<i64>,
    radii: Out<T>,
    outcomes: Out<i32>,
    unsolved: Out<i64>,
}

/// Target, range, tolerance, iterations and capacity.
type Wanted = (f64, [f64; 2], f64, i64, i64);

/// The call in each precision.
pub(super) trait Solved: Coordinate + Real {
    fn solve(run: &mut Run, h: usize, which: usize, kind: i32, wanted: Wanted, out: &Outs<Self>) -> i32;
}

macro_rules! solved {
    ($type:ident, $name:ident) => {
        impl Solved for $type {
            fn solve(run: &mut Run, h: usize, which: usize, kind: i32, wanted: Wanted, out: &Outs<$type>) -> i32 {
                let (target, [smallest, largest], tolerance, times, room) = wanted;
                let (formula, field) = (run.given(which, false), FIELDS[2]);
                let Outs {
                    n,
                    radii,
                    outcomes,
                    unsolved,
                } = out;
                call!(
                    run,
                    h,
                    $name(
                        formula, kind, field, target, smallest, largest, tolerance, times, room, *n, *radii, *outcomes,
                        *unsolved
                    )
                )
            }
        }
    };
}
solved!(f32, neargrid_solve_radii_f32);
solved!(f64, neargrid_solve_radii_f64);
