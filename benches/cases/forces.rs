//! Accelerations and density rates of weakly compressible SPH particles by a formula. In: a cloud. Out: a vector and a number for each
//! point.

use neargrid::{Backend, Formula, NeighborsKind, Precision, Search};

use crate::cloud::Cloud;
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
}

impl<'a, T: Precision> Forces<'a, T> {
    pub fn new(cloud: &'a Cloud<T>) -> Outcome<Forces<'a, T>> {
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
        })
    }

    /// Finds them for the points of `search`. Setting fields and copying outputs is part of it.
    pub fn find(&mut self, search: &mut Search) -> Outcome<()> {
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

    /// Compares all bits with those of the other backend.
    pub fn check(&mut self, on_gpu: bool) -> Outcome<String> {
        if !on_gpu {
            return Ok("nobody".to_owned());
        }
        let mut search = self.cloud.search()?;
        search.set_backend(Backend::Cpu);
        search.set_points(&self.cloud.view()?)?;
        let found = self.found.clone();
        self.find(&mut search)?;
        let bits = |all: &[Vec<f32>; 2]| all.iter().flatten().map(|value| value.to_bits()).collect::<Vec<_>>();
        match bits(&found) == bits(&self.found) {
            true => Ok("cpu".to_owned()),
            false => Err("the forces are others on the cpu".into()),
        }
    }
}
