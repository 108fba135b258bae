//! Each point has its row from one block, in boxes whose faces have points too.

use super::super::doubt::Doubt;
use super::super::rows::{LeafRows, Memory, Sink, Source, Wanted};
use super::*;
use crate::cost::Cost;
use crate::domain::{Period, Periods};
use crate::grid::Grid;
use crate::random::Random;
use crate::simd::Isa;

/// The number of times that the row of each point was found.
struct Times(Vec<u32>);

impl Sink for Times {
    fn leaf(&mut self, rows: &LeafRows) -> Result<()> {
        rows.members.iter().for_each(|&number| self.0[number as usize] += 1);
        Ok(())
    }

    fn row(&mut self, number: u32, _: &mut [i32]) -> Result<()> {
        self.0[number as usize] += 1;
        Ok(())
    }
}

/// A lattice from the lower corner of a box.
fn lattice(dim: usize, side: usize, length: f64) -> Vec<f64> {
    let coord = |k: usize| (k / dim / side.pow((k % dim) as u32) % side) as f64 * length / side as f64;
    (0..dim * side.pow(dim as u32)).map(coord).collect()
}

/// Two clumps in a box of `length`: one on the lower face of x, the other one below the upper face. The last unit along
/// x has points and images of points then.
fn faces(length: f64) -> Vec<f64> {
    let mut random = Random(5);
    let mut point = |k: usize| {
        let x = [0.0, length.next_down()][k % 2];
        [x, 0.3 + 0.3 * random.uniform(), 0.3 + 0.3 * random.uniform()]
    };
    (0..1500).flat_map(&mut point).collect()
}

/// Checks that each point has its row from one block; blocks are searched in frames.
fn check(name: &str, dim: usize, coords: &[f64], length: Option<f64>, cutoff: f64, what: &str) {
    let view = PointsView::interleaved(dim, coords).unwrap();
    let periods = Periods([length.map(|length| Period::new(0.0, length)); 3]);
    let team = Team::caller();
    let mut grid = Grid::default();
    grid.build(&view, &periods, cutoff, &team).unwrap();
    assert_eq!(grid.what(), what, "{name}");
    let query = Query {
        grid: &grid,
        fixed: grid.fixed(cutoff * cutoff, periods.slack()),
        view: Some(&view),
        periods: &periods,
        classes: None,
        by_types: None,
        excluded: None,
        cells: &[],
        bound: cutoff * cutoff,
        full: true,
        isa: Isa::best(),
        cost: &Cost::default(),
        list_limit: None,
    };
    let mut blocks = Vec::new();
    grid.blocks(200, query.fixed.as_ref(), &mut blocks).unwrap();
    let fixed = query.fixed.as_ref().unwrap();
    let framed = blocks.iter().filter(|block| grid.frame(block, fixed).is_some());
    assert!(length.is_none() || framed.count() > 1, "{name}: no frames");
    let source = Pairs { query, blocks: &blocks };
    let (mut memory, mut times) = (Searched::default(), Times(vec![0; view.len()]));
    memory.reserve_leaves(0).unwrap();
    source.prepare(&mut std::iter::once(&mut memory)).unwrap();
    for block in 0..source.blocks() {
        source
            .find(&mut memory, block, &Wanted::ALL, &mut Doubt::Decide, &mut times)
            .unwrap();
    }
    let others: Vec<_> = times.0.iter().enumerate().filter(|(_, times)| **times != 1).collect();
    assert!(
        others.is_empty(),
        "{name}: {} points, such as {:?}",
        others.len(),
        others[0]
    );
}

#[test]
fn each_row_is_found_once() {
    for (dim, side, cutoff) in [(1, 2000, 0.004), (2, 44, 0.06), (3, 14, 0.11)] {
        for length in [1.0, 0.7, 3.3, 1e9 / 3.0] {
            let name = format!("a lattice in {dim}D, length {length}");
            let coords = lattice(dim, side, length);
            check(&name, dim, &coords, Some(length), cutoff * length, "a full box");
        }
    }
    for length in [1e4, 1e5 / 3.0, 77777.7] {
        let name = format!("two faces, length {length}");
        check(&name, 3, &faces(length), Some(length), 0.05, "occupied cells only");
    }
    // The stray is so far away that the index tells the others apart by their places alone.
    let clump = (0..118).map(|k| match k {
        63 => 1000000070.5300026,
        84 => 1000000001.0935601,
        _ => 1000000026.4,
    });
    let coords: Vec<_> = clump.chain([0.0; 10]).chain([-2e18]).collect();
    check("a stray", 1, &coords, None, 2.0, "occupied cells only");
}
