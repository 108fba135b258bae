//! The first test of a device in a process: small work with a known answer, through the stages that most searches need anyway.
//! Drivers exist that get it wrong.
//!
//! in: a device that was opened; out: nothing, or what it got wrong. Stage of its own: `shaders/self_test.wgsl`.

use std::sync::Arc;

use super::clock::Phase;
use super::device::Device;
use super::dispatch::Size;
use super::handle::Gpu;
use super::kernels::{Slot, Stage};
use super::queries::{Rule, Want};
use crate::domain::{Periods, TieRule, bound};
use crate::error::Result;
use crate::ids::{Labels, Offsets, OutputMap, Places};
use crate::list::Rows;
use crate::oracle;
use crate::points::{PointsView, Real};
use crate::threads::Team;

/// Points along an edge of the lattice in `shaders/self_test.wgsl`.
const SIDE: i32 = 3;
const LATTICE: usize = (SIDE * SIDE * SIDE) as usize;

/// Points along an edge of the lattice that is searched.
const EDGE: usize = 7;

/// Its spacing, and a cutoff of two of them: many distances round to the cutoff, or to a number next to it.
const SPACING: f64 = 0.3;
const CUTOFF: f64 = 0.6;

/// The first wrong answer of `device`, if any. An error is a failure of another kind, such as too little memory.
pub fn fault_of(device: &Arc<Device>) -> Result<Option<String>> {
    let mut gpu = Gpu::new(device.clone())?;
    for test in [check_loops, check_rows::<f32>, check_rows::<f64>] {
        let wrong = test(&mut gpu)?;
        if wrong.is_some() {
            return Ok(wrong);
        }
    }
    Ok(None)
}

fn check_loops(gpu: &mut Gpu) -> Result<Option<String>> {
    let expected = looped();
    let bytes = size_of_val(&expected) as u64;
    gpu.rows
        .buffers
        .ensure(&gpu.channel.device, Slot::Ids, bytes, "the test of the device")?;
    let workgroups = u64::from(!gpu.channel.device.mask.wrong_loops);
    let stages = [(Stage::SelfTest, Size::Workgroups(workgroups))];
    gpu.rows.submit(&mut gpu.channel, &[], (Phase::Index, &stages))?;
    let found: [i32; LATTICE] = gpu.channel.fetch(&gpu.rows.buffers, (Slot::Ids, 0))?;
    Ok(difference("three nested loops: number", &found, &expected))
}

/// The numbers that the loops of `shaders/self_test.wgsl` find.
fn looped() -> [i32; LATTICE] {
    std::array::from_fn(|number| {
        let number = number as i32;
        let place = [number % SIDE, number / SIDE % SIDE, number / (SIDE * SIDE)];
        let corners = (0..8).filter(|corner| {
            let at = |axis: usize| place[axis] + 2 * (corner >> axis & 1) - 1;
            (0..3).all(|axis| (0..SIDE).contains(&at(axis)))
        });
        corners.count() as i32 + 16 * (2 + 4 * (2 + 4 * 2))
    })
}

/// Rows of a lattice, half in real32 and full in real64.
fn check_rows<T: Real>(gpu: &mut Gpu) -> Result<Option<String>> {
    let (coords, team) = (lattice::<T>(), Team::caller());
    let view = PointsView::interleaved(3, &coords)?;
    let full = size_of::<T>() == size_of::<f64>();
    let pairs = oracle::pairs(&view, T::from_f64(CUTOFF), TieRule::Inclusive);
    let (rows, neighbors) = oracle::neighbors(view.len(), &pairs, full);
    let rule = Rule {
        full,
        classes: None,
        excluded: None,
        base: 0,
        lower_ghosts: [0; 2],
        eager: false,
    };
    let cutoff = if gpu.channel.device.mask.wrong_rows { 0.9 } else { 1.0 } * CUTOFF;
    let bound = bound::<T>(cutoff, TieRule::Inclusive)?;
    gpu.index(
        (&view, None),
        &Periods::default(),
        T::from_f64(CUTOFF).to_f64(),
        bound,
        &team,
    )?;
    let (mut counted, mut ids) = (vec![0; rows.len()], vec![-1; neighbors.len()]);
    gpu.count(bound, rule, &team, &mut counted)?;
    let wrong = difference("the search of a lattice: offset", &counted, &rows);
    if wrong.is_some() {
        return Ok(wrong); // there is no room for other rows
    }
    let mut offsets = Offsets::default();
    offsets.make(&team, |offsets| {
        *offsets = counted;
        Ok(())
    })?;
    let output = OutputMap {
        places: Places::as_searched(&offsets),
        labels: Labels {
            base: 0,
            order: None,
            ghosts: None,
        },
    };
    let want = Want {
        output,
        ids: Rows::new(&mut ids),
        left: None,
    };
    gpu.fill(&team, want)?;
    Ok(difference("the search of a lattice: id", &ids, &neighbors))
}

/// The coordinates of the lattice, its points in no order.
fn lattice<T: Real>() -> Vec<T> {
    let points = EDGE * EDGE * EDGE;
    let places = (0..points).map(|number| number * 100 % points);
    let coords = places.flat_map(|place| [place % EDGE, place / EDGE % EDGE, place / (EDGE * EDGE)]);
    coords.map(|k| T::from_f64(SPACING * k as f64)).collect()
}

/// The first difference of `found` from what was `expected` of `what`.
fn difference<N: PartialEq + std::fmt::Display>(what: &str, found: &[N], expected: &[N]) -> Option<String> {
    let at = found
        .iter()
        .zip(expected)
        .position(|(found, expected)| found != expected)?;
    Some(format!("{what} {at} is {} instead of {}", found[at], expected[at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The center of the lattice has all corners around it, and a corner has one; loops end at 2.
    #[test]
    fn loops() {
        let ends = 16 * 42;
        assert_eq!(
            [looped()[0], looped()[13], looped()[26]],
            [ends + 1, ends + 8, ends + 1]
        );
        assert_eq!(looped().iter().sum::<i32>(), 27 * ends + 64);
    }

    /// The lattice has all its points, and distances that are the cutoff in one precision only.
    #[test]
    fn points_of_the_lattice() {
        let mut places: Vec<_> = lattice::<f64>().chunks(3).map(|point| point.to_vec()).collect();
        places.sort_by(|a, b| a.partial_cmp(b).unwrap());
        places.dedup();
        assert_eq!(places.len(), EDGE * EDGE * EDGE);
        let pairs = [rows_of::<f32>(), rows_of::<f64>()];
        let whole = 3 * EDGE * EDGE * (EDGE - 2);
        assert_ne!(pairs[0], pairs[1]);
        assert!(pairs.iter().all(|&pairs| pairs > whole), "{pairs:?}");
    }

    fn rows_of<T: Real>() -> usize {
        let coords = lattice::<T>();
        let view = PointsView::interleaved(3, &coords).unwrap();
        oracle::pairs(&view, T::from_f64(CUTOFF), TieRule::Inclusive).len()
    }

    #[test]
    fn the_first_difference_is_named() {
        assert_eq!(difference("row", &[1, 2], &[1, 2]), None);
        let text = difference("row", &[1, 2, 3], &[1, 5, 4]).unwrap();
        assert_eq!(text, "row 1 is 2 instead of 5");
    }
}
