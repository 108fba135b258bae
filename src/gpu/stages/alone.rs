//! Stages on data that no search would make: sums of any length, cells of any offset, counts of any size.

use super::clouds::Random;
use super::twin::{MOST, cell, fixed, histogram, offset, sums};
use super::{RowsHead, Shape, Slot, Stage, clear_rows, gpu, read, read_one, run, write, write_params};
use crate::domain::Periods;
use crate::gpu::Gpu;
use crate::gpu::index::SCAN_BLOCK;
use crate::gpu::params::Params;
use crate::gpu::reflection::constant;
use crate::gpu::shader::Form;

/// Around the ends of blocks, of what one round of the scan of their sums takes, and far beyond.
const LENGTHS: [usize; 12] = [
    0,
    1,
    2,
    255,
    256,
    1022,
    1023,
    1024,
    1025,
    256 * 1024 - 1,
    256 * 1024,
    (1 << 20) + 3,
];

/// Marks what no stage may write.
const UNTOUCHED: u32 = 0xdead_beef;

/// Workgroups of a scan over `len` values and the end.
fn blocks(len: usize) -> usize {
    (len + 1).div_ceil(SCAN_BLOCK as usize)
}

/// Lengths of rows become offsets of 64 bits.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn scan_rows() {
    let (mut gpu, mut random) = (gpu(), Random(1));
    for len in LENGTHS {
        let lengths: Vec<u32> = (0..len).map(|_| random.bits() as u32).collect();
        gpu.params = Params {
            points: len as u32,
            ..Params::default()
        };
        write_params(&mut gpu);
        write(&mut gpu, Slot::Lengths, &lengths);
        write(
            &mut gpu,
            Slot::Offsets,
            &vec![[UNTOUCHED; 2]; len + 1 + SCAN_BLOCK as usize],
        );
        write(&mut gpu, Slot::Sums, &vec![[UNTOUCHED; 2]; blocks(len) + 256]);
        run(&mut gpu, Stage::ReduceRows, blocks(len));
        run(&mut gpu, Stage::ScanRowSums, 1);
        run(&mut gpu, Stage::ApplyRows, blocks(len));
        let expected = sums(lengths);
        assert_eq!(read::<u64>(&gpu, Slot::Offsets, 0, len + 1), expected, "{len} rows");
        check_untouched(&gpu, Slot::Offsets, 2 * (len + 1), 2 * SCAN_BLOCK as usize);
        check_untouched(&gpu, Slot::Sums, 2 * blocks(len), 512);
        let block_sums: Vec<u64> = read(&gpu, Slot::Sums, 0, blocks(len));
        assert!(
            block_sums
                .into_iter()
                .eq(expected.into_iter().step_by(SCAN_BLOCK as usize)),
            "sums of {len} rows"
        );
    }
}

/// Points per cell become starts, in place.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn scan_cells() {
    let (mut gpu, mut random) = (gpu(), Random(2));
    for cells in LENGTHS {
        let mut counts: Vec<u32> = (0..cells).map(|_| random.below(4000) as u32).collect();
        let expected = sums(counts.iter().copied());
        counts.push(0);
        counts.resize(cells + 1 + SCAN_BLOCK as usize, UNTOUCHED);
        write(
            &mut gpu,
            Slot::Shape,
            &[Shape {
                cells: cells as u32,
                ..Shape::default()
            }],
        );
        write(&mut gpu, Slot::Starts, &counts);
        write(&mut gpu, Slot::Sums, &vec![UNTOUCHED; blocks(cells) + 256]);
        run(&mut gpu, Stage::ReduceCells, blocks(cells));
        run(&mut gpu, Stage::ScanCellSums, 1);
        run(&mut gpu, Stage::ApplyCells, blocks(cells));
        let starts: Vec<u32> = read(&gpu, Slot::Starts, 0, cells + 1);
        assert!(starts.into_iter().map(u64::from).eq(expected), "{cells} cells");
        check_untouched(&gpu, Slot::Starts, cells + 1, SCAN_BLOCK as usize);
        check_untouched(&gpu, Slot::Sums, blocks(cells), 256);
    }
}

fn check_untouched(gpu: &Gpu, slot: Slot, first: usize, len: usize) {
    let behind: Vec<u32> = read(gpu, slot, first, len);
    assert!(
        behind.iter().all(|&word| word == UNTOUCHED),
        "{slot:?} was written behind word {first}"
    );
}

/// Cells of offsets up to 2^63 on a line folded as far as one may be, then points in their order.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn keys_of_any_offset() {
    let most_folded = constant("shape", "MOST_FOLDED") as u32;
    let mut random = Random(3);
    for reach in 1..=3 {
        let mut gpu = gpu();
        for dim in [7, 8, 1000, 8191, most_folded * 61 / 64, most_folded - 1] {
            let cutoff = 1.0 + random.uniform();
            gpu.params = Params {
                points: 20_000,
                dim: 1,
                reach,
                ..Params::default()
            };
            gpu.params.set_search(cutoff, cutoff * cutoff, &Periods::default());
            let coords: Vec<f64> = (0..gpu.params.points).map(|i| any_coordinate(i, &mut random)).collect();
            check_keys(&mut gpu, &coords, dim);
        }
    }
}

/// Of any size up to what saturates, a few beyond.
fn any_coordinate(i: u32, random: &mut Random) -> f64 {
    let scale = match i % 4 {
        0 | 1 => 2f64.powi(42), // 2^62 units or a little more
        2 => 2f64.powi(random.below(46) as i32),
        _ => 2f64.powi(random.below(2098) as i32 - 1074),
    };
    (2.0 * random.uniform() - 1.0) * scale
}

fn check_keys(gpu: &mut Gpu, coords: &[f64], dim: u32) {
    let (shift, multiplier, points) = (gpu.params.shift, gpu.params.multiplier, coords.len());
    let fixed: Vec<i64> = coords.iter().map(|&x| fixed(x, shift)).collect();
    let origin = fixed.iter().copied().min().unwrap();
    assert!(origin < 1000 - MOST, "offsets are as large as can be");
    let shape = Shape {
        origin_low: [origin as u32, 0, 0],
        origin_high: [(origin >> 32) as u32, 0, 0],
        cells: dim,
        verify: 1,
        dims: [dim, 1, 1],
        folds: 1,
        multiplier: [multiplier; 3],
        wraps: 0,
        ..Shape::default()
    };
    write_params(gpu);
    write(gpu, Slot::Shape, &[shape]);
    write(gpu, Slot::Coords, coords);
    write(gpu, Slot::Keys, &vec![[UNTOUCHED; 2]; points + 256]);
    write(gpu, Slot::Starts, &vec![0u32; dim as usize + 1]);
    run(gpu, Stage::Key, points.div_ceil(256));
    let keys: Vec<[u32; 2]> = read(gpu, Slot::Keys, 0, points);
    let mut cells = Vec::new();
    for (i, &[key, _]) in keys.iter().enumerate() {
        let unfolded = cell(offset(fixed[i], origin), multiplier);
        let folded = (unfolded % u64::from(dim)) as u32;
        assert_eq!(
            key, folded,
            "cell {unfolded} of {dim} at reach {}, of {:e}",
            gpu.params.reach, coords[i]
        );
        cells.push(folded);
    }
    check_untouched(gpu, Slot::Keys, 2 * points, 512);
    let counts = histogram(&cells, dim as usize);
    assert_eq!(
        read::<u32>(gpu, Slot::Starts, 0, dim as usize),
        counts,
        "points per cell"
    );

    let starts: Vec<u32> = sums(counts).into_iter().map(|start| start as u32).collect();
    write(gpu, Slot::Starts, &starts);
    write(gpu, Slot::Sorted, &vec![[UNTOUCHED; 4]; points]);
    write(gpu, Slot::Cells, &vec![UNTOUCHED; points]);
    run(gpu, Stage::Scatter, points.div_ceil(256));
    let sorted: Vec<[u32; 4]> = read(gpu, Slot::Sorted, 0, points);
    let mut order: Vec<u32> = sorted.iter().map(|point| point[3]).collect();
    for (point, cell) in sorted.iter().zip(read::<u32>(gpu, Slot::Cells, 0, points)) {
        let i = point[3] as usize;
        assert_eq!(
            (cell, point[..3].to_vec()),
            (cells[i], vec![fixed[i] as u32, 0, 0]),
            "point {i}"
        );
    }
    assert!(order.is_sorted_by_key(|&i| cells[i as usize]), "cells in order");
    order.sort_unstable();
    assert!(order.into_iter().eq(0..points as u32), "every point once");
}

/// Dispatches have a workgroup for every row and stay within 65,535 along each side.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn dispatch_sizes() {
    let (mut gpu, each) = (gpu(), constant("dispatch", "SHORTS") as u32);
    let radii = Form {
        radii: true,
        ..Form::default()
    };
    gpu.take_form(radii).unwrap();
    let most = 65535;
    for rows in [
        0,
        1,
        7,
        8,
        9,
        most - 1,
        most,
        most + 1,
        most * 8,
        most * 8 + 1,
        1 << 24,
        i32::MAX as u32,
    ] {
        for [shorts, longs] in [[rows, 0], [0, rows], [rows, 3]] {
            clear_rows(&mut gpu, 0);
            write(
                &mut gpu,
                Slot::Rows,
                &[RowsHead {
                    shorts,
                    longs,
                    ..RowsHead::default()
                }],
            );
            run(&mut gpu, Stage::SizeDispatches, 1);
            let head: RowsHead = read_one(&gpu, Slot::Rows);
            assert_eq!([head.shorts, head.longs], [shorts, longs]);
            for (size, rows, each) in [(head.short_workgroups, shorts, each), (head.long_workgroups, longs, 1)] {
                let [x, y, z] = size;
                let (workgroups, need) = (u64::from(x) * u64::from(y), u64::from(rows.div_ceil(each)));
                assert!(x <= most && y <= most && z == 1, "{size:?} for {rows} rows");
                assert!(
                    workgroups >= need && workgroups < need + u64::from(x.max(1)),
                    "{size:?} for {rows} rows"
                );
            }
        }
    }
}
