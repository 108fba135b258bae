//! The standard clouds. In: the name of a case. Out: its points in one precision, the same at every run, and its cutoff.

use neargrid::{PointsView, Precision, RadiusRule, Real, Search};

/// All cases.
pub const CASES: [&str; 27] = [
    "C1", "C1s", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "U7", "B7", "H6", "H7", "D6", "K6", "L6", "O6", "R5",
    "R6", "W5", "W5m", "W5g", "W6", "W6m", "F4s", "F4n",
];

/// A search to be timed.
pub struct Cloud<T> {
    pub dim: usize,
    /// `dim` coordinates a point.
    pub coords: Vec<T>,
    pub cutoff: f64,
    /// All axes are periodic, from 0 to 1.
    pub periodic: bool,
    /// A radius for each point and their rule, instead of the cutoff.
    pub radii: Option<(Vec<T>, RadiusRule)>,
    /// The type of each point, 0 for fluid and 1 for walls, which do not interact with each other.
    pub types: Vec<i32>,
    /// The first points are active, the rest are ghosts.
    pub active: Option<usize>,
    /// Many points are within a linking length of many: too many pairs to look at all.
    pub crowded: bool,
}

/// Neighbors of a point on average, with radii and in the cases R5 and R6.
const BY_RADII: f64 = 50.0;

impl<T: Precision> Cloud<T> {
    /// The same points with radii at random, evenly spread over the logarithms of 1 to `spread`, so large that the rule gives
    /// points anywhere in the unit cube as many neighbors as in R5 and R6.
    pub fn with_radii(self, rule: RadiusRule, spread: f64) -> Cloud<T> {
        let n = self.coords.len() / self.dim;
        let mut random = Random(3);
        let shares: Vec<f64> = (0..n).map(|_| spread.powf(random.uniform())).collect();
        let cube = |k: usize| {
            let (mine, other) = (shares[k], shares[(random.uniform() * n as f64) as usize]);
            rule.cutoff(mine, other).powi(3)
        };
        let mean = (0..n).map(cube).sum::<f64>() / n as f64;
        let scale = spacing(n, BY_RADII) / mean.cbrt();
        let radii = shares.iter().map(|share| T::from_f64(scale * share)).collect();
        Cloud {
            radii: Some((radii, rule)),
            ..self
        }
    }
}

/// The cutoff that gives a point in the unit cube that many neighbors, unless it is near a face.
fn spacing(n: usize, neighbors: f64) -> f64 {
    (neighbors / (4.0 / 3.0 * std::f64::consts::PI * n as f64)).cbrt()
}

impl<T: Precision> Cloud<T> {
    /// Its points.
    pub fn view(&self) -> neargrid::Result<PointsView<'_, T>> {
        PointsView::interleaved(self.dim, &self.coords)
    }

    /// A handle to search it.
    pub fn search(&self) -> neargrid::Result<Search> {
        let mut search = Search::new()?;
        search.set_cutoff(self.cutoff)?;
        let lengths = [1.0; 3];
        search.set_box(
            &[0.0; 3][..self.dim],
            &lengths[..self.dim],
            &[self.periodic; 3][..self.dim],
        )?;
        search.set_types(
            &self.types,
            &[true, true, true, false][..if self.types.is_empty() { 0 } else { 4 }],
        )?;
        search.set_active(self.active.map(|active| active as i64))?;
        if let Some((radii, rule)) = &self.radii {
            search.set_radii(radii, *rule)?;
        }
        Ok(search)
    }

    /// Whether a half row of point `i`, or a `full` one, may list point `j`.
    pub fn may_list(&self, i: usize, j: usize, full: bool) -> bool {
        let is_ghost = |k: usize| self.active.is_some_and(|active| k >= active);
        let interact = self.types.is_empty() || self.types[i] + self.types[j] < 2;
        interact && !(is_ghost(i) && (!full || is_ghost(j)))
    }

    /// The linking length of groups: a fifth of the mean spacing in the unit cube.
    pub fn linking_length(&self) -> f64 {
        0.2 * ((self.coords.len() / self.dim) as f64).powf(-1.0 / self.dim as f64)
    }

    /// The periodic axes, as the plain loop takes them.
    pub fn periods(&self) -> [Option<[T; 2]>; 3] {
        [self.periodic.then(|| [0.0, 1.0].map(T::from_f64)); 3]
    }
}

/// The cloud of a case, in its own domain, or one that is `open` or `periodic`.
pub fn cloud<T: Real>(name: &str, domain: &str) -> Result<Cloud<T>, String> {
    let periodic = domain == "periodic" || (domain == "case" && name == "C8");
    Ok(Cloud {
        periodic,
        ..open_cloud(name)?
    })
}

fn open_cloud<T: Real>(name: &str) -> Result<Cloud<T>, String> {
    let spacings = |dim, n| uniform(dim, n, 3.0 * (n as f64).powf(-1.0 / dim as f64));
    Ok(match name {
        "C1" => uniform(3, 1_000_000, 0.03),
        "C1s" => sorted(uniform(3, 1_000_000, 0.03)),
        "C2" => uniform(3, 1_000_000, 0.02),
        "C3" => spacings(3, 100_000),
        "C4" => spacings(3, 10_000),
        "C5" => spacings(3, 1_000),
        "C6" => spacings(2, 1_000_000),
        "F4s" => sorted(spacings(2, 10_000)),
        "F4n" => sorted(uniform(2, 10_000, 0.012)),
        "C7" => blobs(1_000_000, 0.00724),
        "C8" => uniform(3, 1_000_000, 0.03),
        "C9" => spacings(3, 100),
        "U7" => spacings(3, 10_000_000),
        "B7" => blobs(10_000_000, 0.00336),
        "H6" => hierarchical(1_000_000),
        "H7" => hierarchical(10_000_000),
        "R5" => uniform(3, 100_000, spacing(100_000, BY_RADII)),
        "R6" => uniform(3, 1_000_000, spacing(1_000_000, BY_RADII)),
        "W5" => lattice(60),
        "W5m" => walls(lattice(60), 60, 20),
        "W5g" => with_ghosts(walls(lattice(60), 60, 20)),
        "W6" => lattice(130),
        "W6m" => walls(lattice(130), 130, 44),
        "D6" => placed(|k, _| [k % 10, k / 10 % 10, k / 100 % 10].map(|place| 0.1 * place as f64)),
        // A clump that is a linking length across, a chain of points within a linking length of the next, one place.
        "K6" => crowded(placed(|_, uniform| uniform.map(|c| 0.00115 * c))),
        "L6" => placed(|k, _| [0.0017 * k as f64, 0.0, 0.0]),
        "O6" => crowded(placed(|_, _| [0.1; 3])),
        _ => return Err(format!("cases are {}, not {name}", CASES.join(", "))),
    })
}

/// Points anywhere in the unit cube.
fn uniform<T: Real>(dim: usize, n: usize, cutoff: f64) -> Cloud<T> {
    let mut random = Random(1);
    Cloud {
        dim,
        coords: (0..dim * n).map(|_| T::from_f64(random.uniform())).collect(),
        cutoff,
        periodic: false,
        radii: None,
        types: Vec::new(),
        active: None,
        crowded: false,
    }
}

/// A cube of `side` points along each axis, each near its place, whose cutoff is three spacings.
fn lattice<T: Real>(side: usize) -> Cloud<T> {
    let (mut cloud, mut random) = (uniform(3, side.pow(3), 3.0 / side as f64), Random(5));
    for (k, coordinate) in cloud.coords.iter_mut().enumerate() {
        let place = [k / 3 % side, k / 3 / side % side, k / 3 / side / side][k % 3];
        *coordinate = T::from_f64((place as f64 + 0.5 + 0.2 * (random.uniform() - 0.5)) / side as f64);
    }
    cloud
}

/// The same lattice, of which a cube of `fluid` points along each axis in the middle is fluid, and all else is walls.
fn walls<T>(cloud: Cloud<T>, side: usize, fluid: usize) -> Cloud<T> {
    let middle = (side - fluid) / 2..(side + fluid) / 2;
    let is_fluid = |i: usize| {
        [i % side, i / side % side, i / side / side]
            .iter()
            .all(|k| middle.contains(k))
    };
    Cloud {
        types: (0..side.pow(3)).map(|i| i32::from(!is_fluid(i))).collect(),
        ..cloud
    }
}

/// The same points without types: the fluid comes first, and all else is ghosts.
fn with_ghosts<T: Copy>(cloud: Cloud<T>) -> Cloud<T> {
    let (points, _) = cloud.coords.as_chunks::<3>();
    let of_type = |wanted: i32| points.iter().zip(&cloud.types).filter(move |(_, is)| **is == wanted);
    Cloud {
        active: Some(of_type(0).count()),
        coords: of_type(0).chain(of_type(1)).flat_map(|(point, _)| *point).collect(),
        types: Vec::new(),
        ..cloud
    }
}

/// The same points, numbered along the cells.
fn sorted<T: Real>(mut cloud: Cloud<T>) -> Cloud<T> {
    let cell = |coordinate: T| (coordinate.to_f64() / cloud.cutoff) as i64;
    let mut points: Vec<&[T]> = cloud.coords.chunks(cloud.dim).collect();
    points.sort_by_key(|point| point.iter().rev().map(|&c| cell(c)).collect::<Vec<_>>());
    cloud.coords = points.concat();
    cloud
}

/// Points in 50 Gaussian blobs of sigma 0.02, clipped to the unit cube; the cutoffs give about 50 pairs a point.
fn blobs<T: Real>(n: usize, cutoff: f64) -> Cloud<T> {
    let mut random = Random(7);
    let centers: Vec<f64> = (0..150).map(|_| random.uniform()).collect();
    let coordinate = |k: usize| {
        let center = centers[k / 3 % 50 * 3 + k % 3];
        T::from_f64((center + 0.02 * random.normal()).clamp(0.0, 1.0))
    };
    Cloud {
        coords: (0..3 * n).map(coordinate).collect(),
        ..uniform(3, 0, cutoff)
    }
}

/// Points in clumps of clumps: each of 64 places becomes four within a cube about it, again and again in cubes smaller by 1.9.
fn hierarchical<T: Real>(n: usize) -> Cloud<T> {
    let mut random = Random(11);
    let (mut points, mut side) = (Vec::new(), 0.1);
    points.extend((0..64).map(|_| [(); 3].map(|()| random.uniform())));
    while points.len() < n {
        let mut near = |place: [f64; 3]| place.map(|c| c + side * (random.uniform() - 0.5));
        points = points.iter().flat_map(|&place| [place; 4].map(&mut near)).collect();
        side /= 1.9;
    }
    for k in (1..points.len()).rev() {
        points.swap(k, (random.uniform() * (k + 1) as f64) as usize);
    }
    // A number that rounds to 1 would be outside a periodic box.
    let coordinate = |c: &f64| T::from_f64(c.rem_euclid(1.0).min(0.999_999));
    let coords = points[..n].iter().flatten().map(coordinate).collect();
    let cutoff = 0.2 * (n as f64).cbrt().recip();
    Cloud {
        coords,
        ..uniform(3, 0, cutoff)
    }
}

/// A million points, each where `place` says from its number and a uniform point.
fn placed<T: Real>(place: impl Fn(usize, [f64; 3]) -> [f64; 3]) -> Cloud<T> {
    let mut random = Random(1);
    let mut point = |k| place(k, [(); 3].map(|()| random.uniform())).map(T::from_f64);
    Cloud {
        coords: (0..1_000_000).flat_map(&mut point).collect(),
        ..uniform(3, 0, 1e-5)
    }
}

fn crowded<T>(cloud: Cloud<T>) -> Cloud<T> {
    Cloud { crowded: true, ..cloud }
}

/// splitmix64.
struct Random(u64);

impl Random {
    /// In [0, 1).
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Of mean 0 and deviation 1, by Box and Muller.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}
