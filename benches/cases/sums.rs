//! Densities of SPH particles by a kernel: by a formula, or by a loop over a list. In: a cloud. Out: a number for each point, the
//! same bits in both ways.

use neargrid::{Formula, Neighbors, NeighborsKind, Precision, Search};

use crate::cloud::Cloud;
use crate::options::Outcome;

const TEXT: &str = "q = 1 - r/c\nrho += m_j * (q^4 * (4*r/c + 1))";

/// The data of densities, and the densities.
pub struct Density<'a, T> {
    cloud: &'a Cloud<T>,
    formula: Formula,
    mass: Vec<f32>,
    rho: Vec<f32>,
    /// Of the loop.
    threads: usize,
}

impl<'a, T: Precision> Density<'a, T> {
    /// `threads` for the loop; 0 is all that there are.
    pub fn new(cloud: &'a Cloud<T>, threads: i64) -> Outcome<Density<'a, T>> {
        let points = cloud.coords.len() / cloud.dim;
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Density {
            cloud,
            formula: Formula::new(TEXT)?,
            mass: (0..points).map(|i| 1.0 + (i % 7) as f32 / 8.0).collect(),
            rho: vec![0.0; points],
            threads: if threads == 0 { all } else { threads as usize },
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
        let (cloud, mass, threads) = (self.cloud, &self.mass, self.threads);
        let each = self.rho.len().div_ceil(8 * threads).max(1);
        let pieces = std::sync::Mutex::new(self.rho.chunks_mut(each).enumerate());
        std::thread::scope(|scope| {
            let work = || {
                loop {
                    let next = pieces.lock().map(|mut pieces| pieces.next());
                    let Ok(Some((piece, rho))) = next else { return };
                    for (k, rho) in rho.iter_mut().enumerate() {
                        *rho = density(cloud, mass, rows, piece * each + k);
                    }
                }
            };
            (1..threads).for_each(|_| drop(scope.spawn(work)));
            work();
        });
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
fn density<T: Precision>(cloud: &Cloud<T>, mass: &[f32], rows: &Neighbors, i: usize) -> f32 {
    match cloud.dim {
        1 => density_in::<T, 1>(cloud, mass, rows, i),
        2 => density_in::<T, 2>(cloud, mass, rows, i),
        _ => density_in::<T, 3>(cloud, mass, rows, i),
    }
}

#[inline]
fn density_in<T: Precision, const DIM: usize>(cloud: &Cloud<T>, mass: &[f32], rows: &Neighbors, i: usize) -> f32 {
    let (points, _) = cloud.coords.as_chunks::<DIM>();
    let (x, c) = (points[i], T::from_f64(cloud.cutoff).to_f64() as f32);
    let row = &rows.ids[rows.offsets[i] as usize..rows.offsets[i + 1] as usize];
    let (half, one) = (T::from_f64(0.5), T::from_f64(1.0));
    row.iter().fold(0.0, |rho, &j| {
        let y = points[j as usize];
        let d = |axis: usize| {
            let d = x[axis].sub(y[axis]);
            let nearest = match cloud.periodic {
                true if d > half => d.sub(one),
                true if d < T::default().sub(half) => d.add(one),
                _ => d,
            };
            nearest.to_f64() as f32
        };
        let r = (1..DIM).fold(d(0) * d(0), |r2, axis| r2 + d(axis) * d(axis)).sqrt();
        let q = 1.0 - r / c;
        rho + mass[j as usize] * ((q * q) * (q * q) * (4.0 * r / c + 1.0))
    })
}
