//! Time steps of weakly compressible SPH particles as texts, in the precision of the points. In: a cloud. Out: accelerations of two stages
//! at one position, or points that have moved; checked by plain loops, or where a GPU made them by the CPU.

use neargrid::{Backend, Formula, Neighbors, NeighborsKind, PointsView, Search, SumPrecision};

use crate::cloud::Cloud;
use crate::loops::{Float, Fluid, between, cutoff, dot, each, kernel, momentum, row};
use crate::options::Outcome;

/// Densities, and the accelerations that they make.
const STAGES: &str = "
    t = 1 - r/c
    rho += m_j*(t^4*(4*r/c + 1))
    p_i = 2*((rho_i/10)^7 - 1)
    dW = -20*t^3/c^2
    h = c/2
    vr = dot(v_i - v_j, d)
    mu = h*min(vr, 0)/(r2 + h^2/100)
    a += -m_j*(p_i/rho_i^2 + p_j/rho_j^2 - mu/((rho_i + rho_j)/2))*dW*d";
/// The rest of a step, which is so short that ten thousand of them do not change the cloud for others to search.
const MOVES: &str = "
    fastest all max= dot(v_i, v_i)
    dt := 1e-6/(1 + sqrt(fastest))
    v_i = v_i + dt*a_i
    x_i = x_i + dt*v_i";

/// The formula and the first values of its fields.
pub struct Steps<'a, T> {
    cloud: &'a Cloud<T>,
    formula: Formula,
    mass: Vec<T>,
    velocity: Vec<T>,
    found: Vec<T>,
    moves: bool,
    has_begun: bool,
}

/// Positions, velocities and accelerations between two steps.
struct Moment<T> {
    x: Vec<T>,
    v: Vec<T>,
    a: Vec<T>,
}

impl<T: Float> Moment<T> {
    fn of(search: &mut Search) -> Outcome<Moment<T>> {
        let mut field = |name| search.field_as::<T>(name).map(|values| values.to_vec());
        Ok(Moment {
            x: field("x")?,
            v: field("v")?,
            a: field("a")?,
        })
    }
}

impl<'a, T: Float> Steps<'a, T> {
    /// `moves`: whole steps, which move the points.
    pub fn new(cloud: &'a Cloud<T>, moves: bool) -> Outcome<Steps<'a, T>> {
        let points = cloud.coords.len() / cloud.dim;
        let some = |n: usize, least: f64, step: usize| {
            let value = |k: usize| T::from_f64(least + (k * step % 1009) as f64 / 1009.0);
            (0..n).map(value).collect::<Vec<T>>()
        };
        let mut formula = Formula::new(&[STAGES, if moves { MOVES } else { "" }].concat())?;
        formula.set_include_self(true);
        if T::NAME == "real64" {
            formula.set_precision(SumPrecision::Double);
        }
        Ok(Steps {
            cloud,
            formula,
            mass: some(points, 0.5, 31),
            velocity: some(points * cloud.dim, -0.5, 7919),
            found: vec![T::default(); points * cloud.dim],
            moves,
            has_begun: false,
        })
    }

    /// Two stages, with points and fields set and accelerations copied; or a step, which needs them only at the first call.
    pub fn call(&mut self, search: &mut Search) -> Outcome<()> {
        if !(self.moves && self.has_begun) {
            search.set_points(&self.cloud.view()?)?;
            search.set_field("m", &self.mass, 1)?;
            search.set_field("v", &self.velocity, self.cloud.dim)?;
            self.has_begun = true;
        }
        search.run(&mut self.formula, NeighborsKind::Full, 1)?;
        if !self.moves {
            self.found.copy_from_slice(search.field("a")?);
        }
        Ok(())
    }

    /// Compares one more call, from where `search` is.
    pub fn check(&mut self, search: &mut Search, on_gpu: bool) -> Outcome<String> {
        let before = Moment::of(search)?;
        self.call(search)?;
        let after = Moment::of(search)?;
        let mut other = self.cloud.search()?;
        other.set_backend(Backend::Cpu);
        other.set_points(&PointsView::interleaved(self.cloud.dim, &before.x)?)?;
        let (truth, judge) = match on_gpu {
            true => {
                other.set_field("m", &self.mass, 1)?;
                other.set_field("v", &before.v, self.cloud.dim)?;
                other.run(&mut self.formula, NeighborsKind::Full, 1)?;
                (Moment::of(&mut other)?, "cpu")
            }
            false => {
                let rows = other.neighbors(NeighborsKind::Full)?;
                let a = match self.cloud.dim {
                    1 => self.plain::<1>(&before, &rows),
                    2 => self.plain::<2>(&before, &rows),
                    _ => self.plain::<3>(&before, &rows),
                };
                (self.moved(before, a, &mut other)?, "loops")
            }
        };
        for (name, found, truth) in [
            ("a", after.a, truth.a),
            ("v", after.v, truth.v),
            ("x", after.x, truth.x),
        ] {
            let bits = |value: &T| value.to_f64().to_bits();
            if let Some(k) = (0..truth.len()).find(|&k| bits(&found[k]) != bits(&truth[k])) {
                let (found, truth) = (found[k], truth[k]);
                return Err(format!("number {k} of '{name}' is {found}, by the {judge} {truth}").into());
            }
        }
        Ok(judge.to_owned())
    }

    /// Accelerations by plain loops over the rows.
    fn plain<const DIM: usize>(&self, at: &Moment<T>, rows: &Neighbors) -> Vec<T> {
        let ((x, _), c) = (at.x.as_chunks::<DIM>(), cutoff::<T, T>(self.cloud));
        let periodic = self.cloud.periodic;
        let mut rho = vec![T::default(); x.len()];
        each(0, &mut rho, |i| {
            let term = |rho: T, j: i32| {
                let d: [T; DIM] = between(periodic, &x[i], &x[j as usize]);
                rho + self.mass[j as usize] * kernel(dot(&d, &d).sqrt(), c)
            };
            // A point is in its own row, in the order of all.
            let (row, own) = (row(rows, i), i as i32);
            let (before, after) = row.split_at(row.partition_point(|&j| j < own));
            let rho = before.iter().fold(T::default(), |rho, &j| term(rho, j));
            after.iter().fold(term(rho, own), |rho, &j| term(rho, j))
        });
        let pressure = |rho: &T| {
            let ratio = *rho / T::from_f64(10.0);
            let cube = ratio * ratio * ratio;
            T::from_f64(2.0) * (cube * cube * ratio - T::from_f64(1.0))
        };
        let fluid = Fluid {
            m: &self.mass,
            p: &rho.iter().map(pressure).collect::<Vec<T>>(),
            rho: &rho,
            v: &at.v,
        };
        let mut a = vec![[T::default(); DIM]; x.len()];
        each(0, &mut a, |i| {
            momentum::<T, T, DIM>((&at.x, periodic, c), &fluid, row(rows, i), i).0
        });
        a.into_flattened()
    }

    /// The moment after a step with these accelerations. `other` wraps the points.
    fn moved(&self, mut at: Moment<T>, a: Vec<T>, other: &mut Search) -> Outcome<Moment<T>> {
        at.a = a;
        if !self.moves {
            return Ok(at);
        }
        let squared = |v: &[T]| v[1..].iter().fold(v[0] * v[0], |sum, &v| sum + v * v).to_f64();
        let active = self.cloud.active.unwrap_or(self.mass.len()); // ghosts do not count
        let speeds = at.v.chunks(self.cloud.dim).take(active).map(squared);
        let fastest = speeds.fold(f64::NEG_INFINITY, f64::max);
        let dt = T::from_f64(1e-6 / (1.0 + fastest.sqrt()));
        for ((x, v), a) in at.x.iter_mut().zip(&mut at.v).zip(&at.a) {
            *v = *v + dt * *a;
            *x = *x + dt * *v;
        }
        other.set_points(&PointsView::interleaved(self.cloud.dim, &at.x)?)?;
        at.x = other.field_as("x")?.into_owned();
        Ok(at)
    }
}
