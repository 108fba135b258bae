//! Points that are spread over ranks, the same for every side of a test.

use crate::kinds::{GhostRows, Role};
use crate::plan::Backend;
use crate::radii::RadiusRule;
use crate::random::Random;

/// All points, as every side knows them.
#[derive(Clone)]
pub struct World {
    pub random_seed: u64,
    pub dim: usize,
    pub periodic: bool,
    /// Three vectors, and which of them are periodic.
    pub cell: Option<([[f64; 3]; 3], [bool; 3])>,
    pub with_ids: bool,
    pub coords: Vec<[f64; 3]>,
    /// The global number of each point, in any order.
    pub ids: Vec<i64>,
    pub owners: Vec<usize>,
    pub backend: Backend,
    pub types: Option<Vec<i32>>,
    /// The numbers of the two types are so far apart.
    pub apart: i32,
    /// The role of each point on its own rank, and the points that full rows of ghosts list.
    pub roles: Option<(Vec<Role>, GhostRows)>,
    /// Whether a type links into groups.
    pub primary: Option<[bool; 2]>,
    /// By pairs of types.
    pub cutoffs: Option<[f64; 4]>,
    pub radii: Option<(Vec<f64>, RadiusRule)>,
    /// Some pairs are excluded.
    pub excludes: bool,
}

pub fn mass(world: &World, point: usize) -> f64 {
    1.0 + (world.ids[point] % 7) as f64 * 0.37
}

impl World {
    /// The number that a point has over all ranks: the caller's, or one that is given rank by rank.
    pub fn number(&self, point: usize) -> i64 {
        match self.with_ids {
            true => self.ids[point],
            false => {
                let before = |other: &usize| (self.owners[*other], *other) < (self.owners[point], point);
                (0..self.owners.len()).filter(before).count() as i64
            }
        }
    }

    pub fn new(seed: u64, backend: Backend) -> (World, Random) {
        let mut random = Random(seed);
        let mut world = World {
            random_seed: seed,
            dim: 1 + (random.bits() % 3) as usize,
            periodic: random.bits().is_multiple_of(2),
            cell: None,
            with_ids: random.bits().is_multiple_of(2),
            coords: Vec::new(),
            ids: Vec::new(),
            owners: Vec::new(),
            backend,
            types: None,
            apart: 1,
            roles: None,
            primary: None,
            cutoffs: None,
            radii: None,
            excludes: false,
        };
        world.renew(&mut random, 1);
        (world, random)
    }

    /// Removes what a cell does not know.
    pub fn leave_in_cell(&mut self) {
        (self.radii, self.roles) = (None, None);
    }

    /// Another cell of three vectors, which may be smaller than a cutoff, and points in and outside of it.
    pub fn renew_cell(&mut self, random: &mut Random) {
        let mut vectors = [[0.0; 3]; 3];
        for (k, vector) in vectors.iter_mut().enumerate().take(self.dim) {
            let (length, tilt) = (0.2 + random.uniform(), [0.0, 0.4, 2.0][(random.bits() % 3) as usize]);
            for (axis, to) in vector.iter_mut().enumerate().take(self.dim) {
                let before: f64 = if axis < k { tilt } else { 0.1 };
                *to = before * (random.uniform() - 0.5) + if axis == k { length } else { 0.0 };
            }
        }
        let kinds = random.bits();
        self.cell = Some((vectors, [0, 1, 2].map(|axis| axis < self.dim && kinds >> axis & 3 != 0)));
        for at in &mut self.coords {
            let far = [6.0, 0.0, 0.0, 0.0, 0.0][(random.bits() % 5) as usize];
            *at = at.map(|coord| coord + far * (random.uniform() - 0.5));
        }
    }

    /// Some more points; returns how many there were.
    pub fn grow(&mut self, random: &mut Random, ranks: usize) -> usize {
        let before = self.coords.len();
        for k in before..before + 5 {
            self.coords.push([(); 3].map(|()| random.uniform() * 1.5 - 0.2));
            self.ids.push(k as i64 * 1_000_003 % 7_919 - 3_000);
            self.owners.push((random.bits() % ranks as u64) as usize);
        }
        self.renew_kinds(random);
        before
    }

    /// Other points, on other ranks.
    pub fn renew(&mut self, random: &mut Random, ranks: usize) {
        let n = [0, 1, 7, 40, 90][(random.bits() % 5) as usize];
        self.coords = (0..n).map(|_| [(); 3].map(|()| random.uniform() * 1.5 - 0.2)).collect();
        self.ids = (0..n as i64).map(|k| k * 1_000_003 % 7_919 - 3_000).collect();
        self.spread(random, ranks);
        self.renew_kinds(random);
    }

    /// The same points, on other ranks.
    pub fn spread(&mut self, random: &mut Random, ranks: usize) {
        let (rule, n) = (random.bits() % 4, self.coords.len());
        self.owners = (0..n)
            .map(|point| match rule {
                0 => (((self.coords[point][0] + 0.2) / 1.5 * ranks as f64) as usize).min(ranks - 1),
                1 => (random.bits() % ranks as u64) as usize,
                2 => ranks / 2,
                _ => point * ranks / n,
            })
            .collect();
    }

    /// The points that a point excludes, each with a class.
    pub fn excluded(&self, point: usize) -> impl Iterator<Item = (usize, i32)> {
        let others = (point.saturating_sub(9)..point + 10).filter(move |&other| other != point);
        let others = others.filter(move |other| (point + other) % 3 == 1 && *other < self.coords.len());
        others.map(move |other| (other, 1 + (point * other % 3) as i32))
    }

    /// The images that a point excludes in some cells, each with a class: of other points and of its own.
    pub fn excluded_images(&self, point: usize) -> Option<Vec<(usize, [i32; 3], i32)>> {
        let (_, periodic) = self.cell.filter(|_| self.random_seed.is_multiple_of(2))?;
        let steps = periodic.map(|along| if along { -1..=1 } else { 0..=0 });
        let mut images = Vec::new();
        for (other, class) in self.excluded(point).chain([(point, 2)]) {
            for a in steps[0].clone() {
                for b in steps[1].clone() {
                    for c in steps[2].clone() {
                        let is_some =
                            (a + b + c + (point + other) as i32) % 2 == 0 && (point, [a, b, c]) != (other, [0; 3]);
                        images.extend(is_some.then_some((other, [a, b, c], class)));
                    }
                }
            }
        }
        Some(images)
    }

    /// The role of a point.
    pub fn role(&self, point: usize) -> Role {
        self.roles.as_ref().map_or(Role::Active, |(roles, _)| roles[point])
    }

    /// Whether some point takes no part.
    pub fn has_absent(&self) -> bool {
        (0..self.coords.len()).any(|point| self.role(point) == Role::Absent)
    }

    /// Whether on each rank all active points come first.
    pub fn has_active_first(&self) -> bool {
        let is_behind = |point: usize, other: usize| {
            point < other && self.owners[point] == self.owners[other] && self.role(other) == Role::Active
        };
        let mut ghosts = (0..self.coords.len()).filter(|&point| self.role(point) == Role::Ghost);
        !ghosts.any(|point| (0..self.coords.len()).any(|other| is_behind(point, other)))
    }

    fn renew_roles(&mut self, random: &mut Random) {
        let (n, rule) = (self.coords.len(), random.bits() % 6);
        let roles = [Role::Active, Role::Ghost, Role::Absent];
        let first = (random.bits() % (n as u64 + 1)) as usize;
        let role = |point: usize, random: &mut Random| match rule {
            0 => roles[(random.bits() % 3) as usize],
            1 => roles[(random.bits() % 2) as usize],
            _ => roles[usize::from(point >= first)],
        };
        let roles = (0..n).map(|point| role(point, random)).collect();
        let rows = [GhostRows::Active, GhostRows::All, GhostRows::None];
        self.roles = (rule < 3).then_some((roles, rows[(random.bits() % 3) as usize]));
    }

    pub fn renew_kinds(&mut self, random: &mut Random) {
        let n = self.coords.len();
        self.types = (random.bits().is_multiple_of(3)).then(|| (0..n).map(|_| (random.bits() % 2) as i32).collect());
        self.apart = [1, 30][(random.bits() % 2) as usize];
        self.renew_roles(random);
        // A GPU that is asked for refuses primary types.
        let some_link = self.types.is_some() && self.backend != Backend::Gpu && random.bits().is_multiple_of(2);
        let links = random.bits().is_multiple_of(2);
        self.primary = some_link.then_some([links, !links]);
        let rules = [RadiusRule::Max, RadiusRule::Min, RadiusRule::Mean];
        let rule = rules[(random.bits() % 3) as usize];
        let radii = (0..n).map(|_| 0.02 + 0.15 * random.uniform()).collect();
        let [near, far] = [0.05, 0.12].map(|cutoff| cutoff + 0.05 * random.uniform());
        self.cutoffs = (random.bits().is_multiple_of(2) && self.types.is_some()).then_some([near, far, far, near]);
        // A GPU that is asked for refuses radii beside ids that do not ascend.
        let may_have = self.cutoffs.is_none() && self.backend != Backend::Gpu;
        self.radii = (random.bits().is_multiple_of(4) && may_have).then_some((radii, rule));
        self.excludes = random.bits().is_multiple_of(3);
    }
}
