//! Stages on data that no search of a test would make: sums of any length, counts of any size.

use super::{Shape, gpu, read, run, write, write_params};
use crate::gpu::Gpu;
use crate::gpu::kernels::{Slot, Stage};
use crate::gpu::params::Params;
use crate::gpu::params::SCAN_BLOCK;
use crate::gpu::shader::Form;
use crate::random::Random;

/// Around the ends of blocks, of as many blocks as a workgroup has lanes, and far beyond.
const LENGTHS: [usize; 7] = [0, 1, 2047, 2048, 256 * 2048 - 1, 257 * 2048, (1 << 20) + 3];

/// Marks what no stage may write.
const UNTOUCHED: u32 = 0xdead_beef;

/// Sums of all values before each, and of all.
fn sums(values: &[u32]) -> Vec<u64> {
    let mut sums = vec![0];
    sums.extend(values.iter().scan(0, |sum, &value| {
        *sum += u64::from(value);
        Some(*sum)
    }));
    sums
}

/// The scan turns the lengths of rows into offsets of 64 bits, and writes their low words over the lengths.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn scan_rows() {
    let stages = [Stage::ReduceRows, Stage::ApplyRows];
    check_scan(u32::MAX, stages, Slot::Offsets, |gpu, lengths| {
        gpu.rows.params = Params {
            points: lengths.len() as u32,
            ..Params::default()
        };
        write_params(gpu);
        write(gpu, Slot::Lengths, &[lengths, &[UNTOUCHED]].concat());
    });
}

/// Points per cell become starts, in place.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn scan_cells() {
    let stages = [Stage::ReduceCells, Stage::ApplyCells];
    check_scan(1 << 11, stages, Slot::Starts, |gpu, counts| {
        let cells = counts.len() as u32;
        write(
            gpu,
            Slot::Shape,
            &[Shape {
                cells,
                ..Shape::default()
            }],
        );
        write(gpu, Slot::Starts, &[counts, &[0]].concat());
    });
}

/// Scans values below `end`, which `put` brings to the device, into `slot`; nothing is written after the sums.
fn check_scan(end: u32, stages: [Stage; 2], slot: Slot, put: impl Fn(&mut Gpu, &[u32])) {
    let (mut gpu, mut random) = (gpu(), Random(1));
    let words = if slot == Slot::Offsets { 2 } else { 1 };
    for len in LENGTHS {
        let values: Vec<u32> = (0..len).map(|_| random.bits() as u32 % end).collect();
        let blocks = (len + 1).div_ceil(SCAN_BLOCK as usize);
        for (slot, words) in [(slot, words * (len + 1)), (Slot::Sums, words * blocks)] {
            write(&mut gpu, slot, &vec![UNTOUCHED; words + 256]);
        }
        put(&mut gpu, &values);
        for stage in stages {
            run(&mut gpu, stage, blocks);
        }
        let found: Vec<u64> = match words {
            2 => read(&gpu, slot, 0, len + 1),
            _ => read::<u32>(&gpu, slot, 0, len + 1).into_iter().map(u64::from).collect(),
        };
        let expected = sums(&values);
        if words == 2 {
            let mut lows: Vec<_> = expected[..len].iter().map(|&sum| sum as u32).collect();
            lows.push(UNTOUCHED);
            assert!(read::<u32>(&gpu, Slot::Lengths, 0, len + 1) == lows, "{len} values");
        }
        assert!(found == expected, "{len} values");
        for (slot, words) in [(slot, words * (len + 1)), (Slot::Sums, words * blocks)] {
            check_untouched(&gpu, slot, words);
        }
    }
}

fn check_untouched(gpu: &Gpu, slot: Slot, first: usize) {
    let behind: Vec<u32> = read(gpu, slot, first, 256);
    assert!(
        behind.iter().all(|&word| word == UNTOUCHED),
        "{slot:?} was written behind word {first}"
    );
}

/// Dispatches have a workgroup for every row and stay within 65,535 along each side.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn dispatch_sizes() {
    let (mut gpu, most) = (gpu(), 65535);
    gpu.rows
        .take_form(
            &mut gpu.channel,
            Form {
                radii: true,
                ..Form::default()
            },
        )
        .unwrap();
    write_params(&mut gpu);
    write(&mut gpu, Slot::Far, &[0u32; 16]);
    write(&mut gpu, Slot::Direct, &[0u32; 16]);
    for rows in [0, 1, 8, 9, most, most + 1, most * 8, most * 8 + 1, i32::MAX as u32] {
        write(&mut gpu, Slot::Rows, &[rows, 0]);
        run(&mut gpu, Stage::SizeSelected, 1);
        let [x, y, z]: [u32; 3] = read(&gpu, Slot::Far, 8, 3).try_into().unwrap();
        let (workgroups, need) = (u64::from(x) * u64::from(y), u64::from(rows));
        assert!(x <= most && y <= most && z == 1, "{x} by {y} for {rows} rows");
        assert!(
            (need..need + u64::from(x.max(1))).contains(&workgroups),
            "{x} by {y} for {rows} rows"
        );
    }
}
