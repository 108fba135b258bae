//! The catalogue of groups over all ranks. Each group is on the rank that owns the point that its label names: its home.
//!
//! Members stay where they are. Each rank sums over its own members of a group, relative to the label and without rounding (the
//! core's sums), and sends the result to the home of the group, which rounds once. A second pass sums the squared distances
//! from the center, which the home sends out.

mod members;
mod tally;

use members::{Members, Shares};
use tally::Made;

use crate::agree::agree;
use crate::comm::{Comm, Mail};
use crate::error::{Error, Result, reserve, room, status};
use crate::held::{Held, no_points};
use crate::mail::{deliver, letter};
use crate::points::Real;
use crate::search::Search;

const WHAT: &str = "the catalogue of groups";

/// The arguments of a search for groups: their minimum size, masses and velocities.
#[derive(Clone, Debug)]
pub struct Wanted<T> {
    /// The minimum number of points, 1 or more, the same on all ranks.
    pub min_size: i64,
    /// A mass for each point of this rank, finite and greater than 0. Without masses, each point has mass 1.
    pub masses: Option<Vec<T>>,
    /// A velocity of `dim` components for each point of this rank.
    pub velocities: Option<Vec<T>>,
}

/// The groups whose label is a point of this rank, ordered by size, the largest first, and groups of equal size by label.
/// Arrays of vectors have `dim` elements for each group.
#[derive(Clone, Copy, Debug)]
pub struct Groups<'a> {
    /// Dimension of the points.
    pub dim: usize,
    /// The label of each group: its smallest global id.
    pub labels: &'a [i64],
    /// The number of points in each group, over all ranks.
    pub sizes: &'a [i64],
    /// The total mass of each group.
    pub masses: &'a [f64],
    /// The center of mass, wrapped into the box along periodic axes.
    pub centers: &'a [f64],
    /// The mean velocity weighted by mass, if velocities were given.
    pub velocities: Option<&'a [f64]>,
    /// The root mean square distance from the center, weighted by mass.
    pub radii: &'a [f64],
    /// 1 for a group that extends over half the box or more along a periodic axis, otherwise 0.
    pub wide: &'a [i32],
}

/// A catalogue as it is kept.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    dim: usize,
    moving: bool,
    labels: Vec<i64>,
    sizes: Vec<i64>,
    masses: Vec<f64>,
    centers: Vec<f64>,
    velocities: Vec<f64>,
    radii: Vec<f64>,
    wide: Vec<i32>,
}

impl<C: Comm> Search<C> {
    /// Finds the groups with at least `min_size` points, with sums over their members. Collective.
    pub fn groups<T: Real>(&mut self, asked: Result<Wanted<T>>) -> Result<Groups<'_>> {
        let local = asked.and_then(|wanted| {
            self.check_precision::<T>()?;
            let held = self.held.as_ref().ok_or_else(no_points)?;
            wanted.check(held, self.base().into())?;
            Ok(wanted)
        });
        let least = local.as_ref().map(|wanted| wanted.min_size).map_err(Clone::clone);
        self.prepare("groups", least)?;
        let wanted = local?; // all ranks' are good
        self.find_friends()?;
        self.clusters.groups = None;
        let moving = self.agree_on_properties(&wanted)?;
        let catalogue = self.make_catalogue(&wanted, moving)?;
        self.clusters.groups = Some(catalogue);
        self.held_groups()
    }

    /// The groups found last. Not collective.
    pub fn held_groups(&self) -> Result<Groups<'_>> {
        let text = "no groups for the current points and settings yet: first call groups_find (or groups)";
        let groups = self
            .clusters
            .groups
            .as_ref()
            .ok_or_else(|| Error::new(status::BAD_STATE, text))?;
        Ok(groups.show())
    }

    /// Whether velocities are given; ranks with points must all give them, or none, and masses too.
    fn agree_on_properties<T>(&self, wanted: &Wanted<T>) -> Result<bool> {
        let given = [wanted.masses.is_some(), wanted.velocities.is_some()];
        let owns = self.owned() > 0;
        let mut flags = [given[0], !given[0], given[1], !given[1]].map(|flag| i64::from(flag || !owns));
        self.comm.min(&mut flags)?;
        for (what, both) in [("masses", &flags[..2]), ("velocities", &flags[2..])] {
            if both == [0, 0] {
                let text = format!(
                    "{what} are given on some ranks and not on others: all ranks that have points must give them, or none"
                );
                return Err(Error::new(status::DISAGREEMENT, text));
            }
        }
        Ok(flags[2] == 1 && flags[3] == 0)
    }

    fn make_catalogue<T: Real>(&self, wanted: &Wanted<T>, moving: bool) -> Result<Catalogue> {
        let (Some(held), Some(friends)) = (&self.held, &self.clusters.friends) else {
            return Err(no_points());
        };
        let comm = &self.comm;
        let domain = self.domain();
        let mut traffic = friends.traffic;
        let members = agree(comm, Members::new(held, friends, &domain, wanted, moving))?;
        let out = agree(comm, members.report())?;
        let came = deliver(comm, out, &mut traffic)?;
        let shares = agree(comm, Shares::new(&came, held.dim, moving))?;
        let made = agree(comm, members.sum(&shares, wanted.min_size))?;
        let out = agree(comm, centers_out(&made, &shares))?;
        let came = deliver(comm, out, &mut traffic)?;
        let out = agree(comm, members.report_squares(&came))?;
        let came = deliver(comm, out, &mut traffic)?;
        let local = members
            .radii(made, &came)
            .and_then(|made| Catalogue::new(made, held.dim, moving));
        agree(comm, local)
    }
}

/// For each rank that has members of groups which are large enough: their labels, and where their centers are from these.
fn centers_out(made: &[Made], shares: &Shares<'_>) -> Result<Vec<Mail>> {
    let mut out: Vec<Mail> = Vec::new();
    for group in made {
        for (rank, _) in shares.of(group.label) {
            let bytes = letter(&mut out, rank);
            reserve(bytes, 32, WHAT)?;
            bytes.extend_from_slice(&group.label.to_ne_bytes());
            bytes.extend_from_slice(bytemuck::bytes_of(&group.mean));
        }
    }
    Ok(out)
}

impl<T: Real> Wanted<T> {
    fn check(&self, held: &Held, base: i64) -> Result<()> {
        if self.min_size < 1 {
            let allowed = "at least 1";
            return Err(Error::not_allowed(
                status::BAD_COUNT,
                "min_size",
                self.min_size,
                allowed,
            ));
        }
        let count = |what: &str, found: usize, each: usize| match found == each * held.owned {
            true => Ok(()),
            false => {
                let allowed = format!("{}, as many as the points have", each * held.owned);
                Err(Error::not_allowed(status::BAD_COUNT, what, found, &allowed))
            }
        };
        if let Some(masses) = &self.masses {
            count("number of masses", masses.len(), 1)?;
            if let Some(at) = masses
                .iter()
                .position(|m| !(m.to_f64() > 0.0 && m.to_f64().is_finite()))
            {
                let allowed = format!("finite and greater than 0 (first at point {})", at as i64 + base);
                return Err(Error::not_allowed(
                    status::BAD_VALUE,
                    "mass",
                    masses[at].to_f64(),
                    &allowed,
                ));
            }
        }
        if let Some(velocities) = &self.velocities {
            count("number of components of velocities", velocities.len(), held.dim)?;
            if let Some(k) = velocities.iter().position(|v| !v.to_f64().is_finite()) {
                let allowed = format!("finite (first at point {})", (k / held.dim) as i64 + base);
                let (what, value) = (["vx", "vy", "vz"][k % held.dim], velocities[k].to_f64());
                return Err(Error::not_allowed(status::NON_FINITE, what, value, &allowed));
            }
        }
        Ok(())
    }
}

impl Catalogue {
    fn new(mut made: Vec<Made>, dim: usize, moving: bool) -> Result<Catalogue> {
        made.sort_unstable_by_key(|group| (std::cmp::Reverse(group.size), group.label));
        let n = made.len();
        let mut all = Catalogue {
            dim,
            moving,
            labels: room(n, WHAT)?,
            sizes: room(n, WHAT)?,
            masses: room(n, WHAT)?,
            centers: room(n * dim, WHAT)?,
            velocities: room(n * dim, WHAT)?,
            radii: room(n, WHAT)?,
            wide: room(n, WHAT)?,
        };
        for group in made {
            all.labels.push(group.label);
            all.sizes.push(group.size as i64);
            all.masses.push(group.mass);
            all.centers.extend_from_slice(&group.center[..dim]);
            all.velocities.extend_from_slice(&group.velocity[..dim]);
            all.radii.push(group.radius);
            all.wide.push(group.wide.into());
        }
        Ok(all)
    }

    fn show(&self) -> Groups<'_> {
        Groups {
            dim: self.dim,
            labels: &self.labels,
            sizes: &self.sizes,
            masses: &self.masses,
            centers: &self.centers,
            velocities: self.moving.then_some(&self.velocities),
            radii: &self.radii,
            wide: &self.wide,
        }
    }
}
