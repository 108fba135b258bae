//! Accelerations and density rates of weakly compressible SPH particles: by a formula, or by a loop over a list. In: a cloud. Out: a vector
//! and a number for each point, the same bits in both ways.

use neargrid::{Backend, Formula, Neighbors, NeighborsKind, Search};

use crate::cloud::Cloud;
use crate::loops::{Float, Fluid, cutoff, each, momentum, row};
use crate::options::Outcome;

/// Wendland's kernel of degree two, and Monaghan's viscosity.
const TEXT: &str = "
    t = 1 - r/c
    dW = -20*t^3/c^2
    h = c/2
    vr = dot(v_i - v_j, d)
    mu = h*min(vr, 0)/(r2 + h^2/100)
    f = -m_j*(p_i/rho_i^2 + p_j/rho_j^2 - mu/((rho_i + rho_j)/2))*dW
    a += f*d
    rate += m_j*vr*dW";

/// The data of forces, and what they make.
pub struct Forces<'a, T> {
    cloud: &'a Cloud<T>,
    formula: Formula,
    velocity: Vec<f32>,
    density: Vec<f32>,
    pressure: Vec<f32>,
    mass: Vec<f32>,
    found: [Vec<f32>; 2],
    /// Three axes and the rate, by the loop.
    looped: Vec<[f32; 4]>,
    /// Of the loop; 0 is all that there are.
    threads: usize,
}

impl<'a, T: Float> Forces<'a, T> {
    pub fn new(cloud: &'a Cloud<T>, threads: i64) -> Outcome<Forces<'a, T>> {
        let points = cloud.coords.len() / cloud.dim;
        let some =
            |n: usize, least: f32, step: usize| (0..n).map(|k| least + (k * step % 1009) as f32 / 1009.0).collect();
        Ok(Forces {
            cloud,
            formula: Formula::new(TEXT)?,
            velocity: some(points * cloud.dim, -0.5, 7919),
            density: some(points, 1.0, 31),
            pressure: some(points, 0.5, 17),
            mass: vec![1.0 / points as f32; points],
            found: [vec![0.0; points * cloud.dim], vec![0.0; points]],
            looped: Vec::new(),
            threads: threads as usize,
        })
    }

    /// Finds them for the points of `search`. Setting fields and copying outputs is part of it.
    pub fn find(&mut self, search: &mut Search, by_loop: bool) -> Outcome<()> {
        if by_loop {
            self.by_loop(&search.neighbors(NeighborsKind::Full)?);
            return Ok(());
        }
        search.set_field("v", &self.velocity, self.cloud.dim)?;
        for (name, field) in [("rho", &self.density), ("p", &self.pressure), ("m", &self.mass)] {
            search.set_field(name, field, 1)?;
        }
        search.run(&mut self.formula, NeighborsKind::Full, 1)?;
        for (name, found) in ["a", "rate"].into_iter().zip(&mut self.found) {
            found.copy_from_slice(search.field(name)?);
        }
        Ok(())
    }

    fn by_loop(&mut self, rows: &Neighbors) {
        self.looped.resize(self.density.len(), [0.0; 4]);
        match self.cloud.dim {
            1 => self.by_loop_in::<1>(rows),
            2 => self.by_loop_in::<2>(rows),
            _ => self.by_loop_in::<3>(rows),
        }
    }

    fn by_loop_in<const DIM: usize>(&mut self, rows: &Neighbors) {
        let fluid = Fluid {
            m: &self.mass,
            rho: &self.density,
            p: &self.pressure,
            v: &self.velocity,
        };
        let (x, periodic, c) = (&self.cloud.coords, self.cloud.periodic, cutoff::<T, f32>(self.cloud));
        each(self.threads, &mut self.looped, |i| {
            let (a, rate) = momentum::<T, f32, DIM>((x, periodic, c), &fluid, row(rows, i), i);
            let mut all = [0.0, 0.0, 0.0, rate];
            all[..DIM].copy_from_slice(&a);
            all
        });
    }

    /// Compares all bits with those of a loop over a list that the CPU finds, or those of a loop with those of the formula there.
    pub fn check(&mut self, by_loop: bool) -> Outcome<String> {
        let mut search = self.cloud.search()?;
        search.set_backend(Backend::Cpu);
        search.set_points(&self.cloud.view()?)?;
        self.find(&mut search, !by_loop)?;
        let ([a, rate], dim) = (&self.found, self.cloud.dim);
        let differs = |(i, all): (usize, &[f32; 4])| {
            let found = a[i * dim..(i + 1) * dim].iter().chain([&rate[i]]);
            let looped = all[..dim].iter().chain([&all[3]]);
            !found.map(|x| x.to_bits()).eq(looped.map(|x| x.to_bits()))
        };
        match self.looped.iter().enumerate().position(differs) {
            Some(i) => Err(format!("the forces on point {i} are others by a loop").into()),
            None => Ok(if by_loop { "a formula" } else { "a loop" }.to_owned()),
        }
    }
}
