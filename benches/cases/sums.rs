//! Densities of SPH particles by a kernel: by a formula, or by a loop over a list. In: a cloud. Out: a number for each point, the
//! same bits in both ways.

use neargrid::{Formula, Neighbors, NeighborsKind, Search};

use crate::cloud::Cloud;
use crate::loops::{Float, between, cutoff, dot, each, kernel, row};
use crate::options::Outcome;

const TEXT: &str = "q = 1 - r/c\nrho += m_j * (q^4 * (4*r/c + 1))";

/// The data of densities, and the densities.
pub struct Density<'a, T> {
    cloud: &'a Cloud<T>,
    formula: Formula,
    mass: Vec<f32>,
    rho: Vec<f32>,
    /// Of the loop; 0 is all that there are.
    threads: usize,
}

impl<'a, T: Float> Density<'a, T> {
    pub fn new(cloud: &'a Cloud<T>, threads: i64) -> Outcome<Density<'a, T>> {
        let points = cloud.coords.len() / cloud.dim;
        Ok(Density {
            cloud,
            formula: Formula::new(TEXT)?,
            mass: (0..points).map(|i| 1.0 + (i % 7) as f32 / 8.0).collect(),
            rho: vec![0.0; points],
            threads: threads as usize,
        })
    }

    /// Finds the densities of the points of `search`. Setting masses and copying densities is part of a sum.
    pub fn find(&mut self, search: &mut Search, by_loop: bool) -> Outcome<()> {
        if by_loop {
            self.by_loop(&search.neighbors(NeighborsKind::Full)?);
            return Ok(());
        }
        search.set_field("m", &self.mass, 1)?;
        search.run(&mut self.formula, NeighborsKind::Full, 1)?;
        self.rho.copy_from_slice(search.field("rho")?);
        Ok(())
    }

    fn by_loop(&mut self, rows: &Neighbors) {
        let (cloud, mass) = (self.cloud, &self.mass);
        each(self.threads, &mut self.rho, |i| density(cloud, mass, rows, i));
    }

    /// Compares the densities with those of a loop over a list that the CPU finds.
    pub fn check(&self) -> Outcome<String> {
        let mut search = self.cloud.search()?;
        search.set_backend(neargrid::Backend::Cpu);
        search.set_points(&self.cloud.view()?)?;
        let rows = search.neighbors(NeighborsKind::Full)?;
        let differs = |&i: &usize| density(self.cloud, &self.mass, &rows, i).to_bits() != self.rho[i].to_bits();
        match (0..self.rho.len()).find(differs) {
            Some(i) => Err(format!("the density of point {i} is {}, by a loop another", self.rho[i]).into()),
            None => Ok("a loop".to_owned()),
        }
    }
}

/// The density of a point by its row.
#[inline]
fn density<T: Float>(cloud: &Cloud<T>, mass: &[f32], rows: &Neighbors, i: usize) -> f32 {
    match cloud.dim {
        1 => density_in::<T, 1>(cloud, mass, rows, i),
        2 => density_in::<T, 2>(cloud, mass, rows, i),
        _ => density_in::<T, 3>(cloud, mass, rows, i),
    }
}

#[inline]
fn density_in<T: Float, const DIM: usize>(cloud: &Cloud<T>, mass: &[f32], rows: &Neighbors, i: usize) -> f32 {
    let (points, _) = cloud.coords.as_chunks::<DIM>();
    let (x, c) = (points[i], cutoff(cloud));
    row(rows, i).iter().fold(0.0, |rho, &j| {
        let d: [f32; DIM] = between(cloud.periodic, &x, &points[j as usize]);
        rho + mass[j as usize] * kernel(dot(&d, &d).sqrt(), c)
    })
}
