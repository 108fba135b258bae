//! Ranks without MPI, ways to spread a cloud over them, and what the plain loop says of it.
#![allow(dead_code)] // each test uses its part

#[path = "../../../tests/common/mod.rs"]
pub mod clouds;
pub mod fake;
pub mod refusing;

use clouds::{Case, Random};
use neargrid::{Real as CoreReal, TieRule};
use neargrid_mpi::{Comm, Domain, Error, Given, Real, Search};

/// A precision of the library's and of the plain loop's.
pub trait Both: Real + CoreReal {}
impl Both for f32 {}
impl Both for f64 {}

pub const SIZES: [usize; 6] = [1, 2, 3, 4, 5, 7];

/// The way that points are spread over ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// As many to each, in the order that they are in.
    Block,
    /// Dice.
    Random,
    /// By the first coordinate.
    Slab,
    /// All on the last rank.
    AllOnOne,
    /// On every second rank.
    EverySecond,
}

pub const SPREADS: [Spread; 5] = [
    Spread::Block,
    Spread::Random,
    Spread::Slab,
    Spread::AllOnOne,
    Spread::EverySecond,
];

impl Spread {
    /// The rank of each point.
    pub fn ranks(self, case: &Case, size: usize) -> Vec<usize> {
        let n = case.coords.len() / case.dim;
        let mut random = Random(n as u64 + size as u64);
        let share = |k: usize| k * size / n.max(1);
        match self {
            Spread::Block => (0..n).map(share).collect(),
            Spread::Random => (0..n).map(|_| random.below(size)).collect(),
            Spread::AllOnOne => vec![size - 1; n],
            Spread::EverySecond => (0..n).map(|_| 2 * random.below(size.div_ceil(2))).collect(),
            Spread::Slab => {
                let mut order: Vec<_> = (0..n).collect();
                order.sort_by(|&a, &b| case.coords[a * case.dim].total_cmp(&case.coords[b * case.dim]));
                let mut ranks = vec![0; n];
                order.iter().enumerate().for_each(|(k, &point)| ranks[point] = share(k));
                ranks
            }
        }
    }
}

/// Points for `set_points`.
pub fn given<T>(dim: usize, coords: Vec<T>, ids: Option<&[i64]>) -> Result<Given<'_, T>, Error> {
    Ok(Given { dim, coords, ids })
}

/// This rank's part of a case: coordinates and global ids, which are places in the whole cloud unless told otherwise.
pub fn part<T: Both>(case: &Case, ranks: &[usize], ids: &[i64], rank: usize) -> (Vec<T>, Vec<i64>) {
    let mine = || {
        ranks
            .iter()
            .enumerate()
            .filter(|&(_, &owner)| owner == rank)
            .map(|(k, _)| k)
    };
    let coords = case.coords_as::<T>();
    let coords = mine()
        .flat_map(|k| coords[k * case.dim..(k + 1) * case.dim].to_vec())
        .collect();
    (coords, mine().map(|k| ids[k]).collect())
}

/// A search with the settings of a case.
pub fn search_for<C: Comm>(comm: C, case: &Case, base: i32) -> Search<C> {
    let mut search = Search::create(comm).unwrap();
    search.set_threads(1).unwrap();
    search.set_index_base(base).unwrap();
    set_case(&mut search, case);
    search
}

/// Cutoff, tie rule and box of a case.
pub fn set_case<C: Comm>(search: &mut Search<C>, case: &Case) {
    search.set_cutoff(case.cutoff).unwrap();
    search.set_tie_rule(i32::from(case.rule == TieRule::Exclusive)).unwrap();
    let axes = |values: &[f64; 3]| values[..case.dim].to_vec();
    let domain = Domain {
        lo: axes(&case.domain.lo),
        length: axes(&case.domain.length),
        periodic: case.domain.periodic[..case.dim].to_vec(),
    };
    search.set_box(domain).unwrap();
}

/// Sets this rank's part of a case; coordinates come as C's do.
pub fn set_part<C: Comm, T: Both>(
    search: &mut Search<C>,
    case: &Case,
    ranks: &[usize],
    ids: &[i64],
) -> Result<(), Error> {
    let ((coords, ids), dim) = (part::<T>(case, ranks, ids, search.rank_and_size().0), case.dim);
    let copy = |first: usize, to: &mut [T]| to.copy_from_slice(&coords[first * dim..][..to.len()]);
    let taken = search.take_in(dim, ids.len(), copy);
    search.set_points(taken.and_then(|coords| given(dim, coords, Some(&ids))))
}

/// The pairs of the plain loop by global ids, the smaller one left, ordered by both.
pub fn truth_by_ids<T: Both>(case: &Case, ids: &[i64]) -> Vec<(i64, i64)> {
    let id = |k: i32| ids[k as usize];
    let sorted = |(i, j): (i32, i32)| (id(i).min(id(j)), id(i).max(id(j)));
    let mut pairs: Vec<_> = case.truth::<T>().into_iter().map(sorted).collect();
    pairs.sort_unstable();
    pairs
}
