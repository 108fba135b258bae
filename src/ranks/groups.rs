//! The catalogue of groups over all ranks. Each group is on the rank that owns the point that its label names: its home.
//!
//! Members stay where they are. Each rank sums over its own members of a group, relative to the label and without rounding,
//! and sends the result to the home of the group, which rounds once. A second pass sums the squared distances
//! from the center, which the home sends out.

mod members;

use members::{Made, Members, Shares};

use super::agree::agree;
use super::comm::{Comm, Mail};
use super::fof::Friends;
use super::mail::{deliver, letter};
use super::stats::Traffic;
use crate::error::{Error, Result, Status, words};
use crate::groups::{Properties, Totals};
use crate::memory::{reserve_keeping, with_capacity};
use crate::points::Precision;
use crate::search::Search;

const WHAT: &str = "the catalogue of groups";

/// The groups whose label is a point of this rank, ordered by size, the largest first, and groups of equal size by label.
#[derive(Clone, Copy, Debug)]
pub struct Groups<'a> {
    /// The label of each group: its smallest global id.
    pub labels: &'a [i64],
    /// Over the members on all ranks.
    pub totals: Totals<'a>,
}

/// A catalogue as it is kept.
#[derive(Debug, Default)]
pub struct Catalogue {
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

/// Makes the catalogue of the groups with at least `min_size` points. `search` has the points, whose global ids and groups are these.
/// All ranks asked for the same size. Collective.
pub fn find<T: Precision>(
    comm: &Comm,
    search: &mut Search,
    (ids, friends): (&[i64], &Friends),
    (min_size, properties): (i64, &Properties<T>),
) -> Result<(Catalogue, Traffic)> {
    let checked = search.points_home().and_then(|()| {
        check(search, min_size, properties)?;
        Members::new(search.held::<T>()?, ids, friends, properties)
    });
    let mut members = agree(comm, checked)?;
    let moving = agree_on_properties(comm, properties, !ids.is_empty())?;
    let mut traffic = Traffic::default();
    let out = agree(comm, members.report())?;
    let came = deliver(comm, out, &mut traffic)?;
    let made = Shares::new(&came).and_then(|shares| {
        let made = members.sum(&shares, min_size as u64)?;
        let out = centers_out(&made, &shares)?;
        Ok((made, out))
    });
    let (mut made, out) = agree(comm, made)?;
    let came = deliver(comm, out, &mut traffic)?;
    let out = agree(comm, members.report_squares(&came))?;
    let came = deliver(comm, out, &mut traffic)?;
    let local = members.radii(&mut made, &came);
    let local = local.and_then(|()| Catalogue::new(made, search.dim(), moving));
    Ok((agree(comm, local)?, traffic))
}

/// Refuses a size and properties that points cannot have.
pub fn check<T: Precision>(search: &Search, min_size: i64, properties: &Properties<T>) -> Result<()> {
    if min_size < 1 {
        return Err(Error::not_allowed(Status::BadCount, "min_size", min_size, "at least 1"));
    }
    properties.check(search.len(), search.dim(), search.index_base())
}

/// Whether velocities are given; ranks with points must all give them, or none, and masses too.
fn agree_on_properties<T>(comm: &Comm, properties: &Properties<T>, owns: bool) -> Result<bool> {
    let given = [properties.masses.is_some(), properties.velocities.is_some()];
    let mut flags = [given[0], !given[0], given[1], !given[1]].map(|flag| i64::from(flag || !owns));
    comm.min(&mut flags)?;
    for (what, both) in [("masses", &flags[..2]), ("velocities", &flags[2..])] {
        if both == [0, 0] {
            let text = words(format_args!(
                "{what} are given on some ranks and not on others: all ranks that have points must give them, or none"
            ));
            return Err(Error::Disagreement { text });
        }
    }
    Ok(flags[2] == 1 && flags[3] == 0)
}

/// For each rank that has members of groups which are large enough: their labels, and where their centers are from these.
fn centers_out(made: &[Made], shares: &Shares) -> Result<Vec<Mail>> {
    let mut out: Vec<Mail> = Vec::new();
    for group in made {
        for share in shares.of(group.label) {
            let bytes = letter(&mut out, share.rank)?;
            let len = bytes.len() + 32;
            reserve_keeping(bytes, len, WHAT)?;
            bytes.extend_from_slice(&group.label.to_ne_bytes());
            bytes.extend_from_slice(bytemuck::bytes_of(&group.mean));
        }
    }
    Ok(out)
}

impl Catalogue {
    fn new(mut made: Vec<Made>, dim: usize, moving: bool) -> Result<Catalogue> {
        made.sort_unstable_by_key(|group| (std::cmp::Reverse(group.size), group.label));
        let n = made.len();
        let mut all = Catalogue {
            dim,
            moving,
            labels: with_capacity(n, WHAT)?,
            sizes: with_capacity(n, WHAT)?,
            masses: with_capacity(n, WHAT)?,
            centers: with_capacity(n * dim, WHAT)?,
            velocities: with_capacity(n * dim, WHAT)?,
            radii: with_capacity(n, WHAT)?,
            wide: with_capacity(n, WHAT)?,
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

    /// Its contents.
    pub fn show(&self) -> Groups<'_> {
        Groups {
            labels: &self.labels,
            totals: Totals {
                dim: self.dim,
                sizes: &self.sizes,
                masses: &self.masses,
                centers: &self.centers,
                velocities: self.moving.then_some(&self.velocities),
                radii: &self.radii,
                wide: &self.wide,
            },
        }
    }
}
