//! The test of a device's arithmetic at the first sum on it: operations with known answers, special and random numbers among
//! them. Sums run on a device only if all of them are those of the CPU, bit for bit. Stage: `shaders/arithmetic.wgsl`.
//!
//! in: a device; out: its float controls, or nothing where its arithmetic does not suffice.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use super::beside;
use super::buffers::Buffers;
use super::channel::Channel;
use super::clock::Phase;
use super::device::Exact;
use super::dispatch::{Before, Size};
use super::kernels::{Kernels, Slot, Stage, TABLE_OF_SUMS};
use super::shader::{self, Form};
use super::strict;
use super::transfer::SHARE;
use crate::error::Result;
use crate::formula::functions;
use crate::list::as_atomic_u32;
use crate::threads::Team;

/// Numbers of a triple, and results of them: `GIVEN` and `RESULTS` in the shader.
const GIVEN: usize = 3;
const RESULTS: usize = 15;

/// Triples of random numbers.
const RANDOM: usize = 4096;

const WHAT: &str = "the test of the device's arithmetic";

/// The arithmetic of the device, if it is that of the CPU. It is tested once, beside a search that is in a hurry.
pub fn exact_arithmetic(channel: &mut Channel, kernels: &Arc<Kernels>) -> Result<Option<Exact>> {
    if let Some(&known) = channel.device.arithmetic.get() {
        return Ok(known);
    }
    if beside::is_in_hurry() {
        let (device, kernels) = (channel.device.clone(), kernels.clone());
        let work = move || exact_arithmetic(&mut Channel::new(device)?, &kernels).map(drop);
        return Err(channel.device.later.ask(beside::COMPILING, work));
    }
    let mut found = None;
    for is_fused in [true, false] {
        if let (None, Some(controls)) = (found, channel.device.float_controls) {
            let exact = Exact { controls, is_fused };
            found = wrong_arithmetic(channel, kernels, exact)?
                .iter()
                .all(Option::is_none)
                .then_some(exact);
        }
    }
    Ok(*channel.device.arithmetic.get_or_init(|| found))
}

/// Of each operation: the first result that is not that of the CPU.
fn wrong_arithmetic(
    channel: &mut Channel,
    kernels: &Kernels,
    Exact { controls, is_fused }: Exact,
) -> Result<[Option<String>; RESULTS]> {
    let given = triples();
    let mut records = vec![-0.0f32];
    for triple in &given {
        records.extend(triple);
        records.extend([0.0; RESULTS]);
    }
    let bytes = size_of_val(&*records) as u64;
    let [row, ..] = &TABLE_OF_SUMS;
    let form = Form {
        fused: is_fused,
        ..Form::default()
    };
    let source = shader::expand(row.1, form).unwrap_or_default();
    let kernel = strict::kernel(&channel.device, [row.1, row.2], &source, row.3, controls)?;
    let kernels = kernels.with([(Stage::Arithmetic, kernel)]);
    let mut buffers = Buffers::default();
    buffers.ensure(&channel.device, Slot::Records, bytes, WHAT)?;
    let given_to_it = [Before::Write(Slot::Records, 0, bytemuck::cast_slice(&records))];
    let stages = [(Stage::Arithmetic, Size::Lanes(given.len() as u64, 64))];
    channel.submit((&mut buffers, &kernels), &given_to_it, (Phase::Index, &stages))?;
    let cells: &[AtomicU32] = as_atomic_u32(bytemuck::cast_slice_mut(&mut records));
    let take = |share: usize, bytes: &[u8]| {
        let cells = cells[share * (SHARE / size_of::<f32>())..].iter();
        for (cell, word) in cells.zip(bytemuck::cast_slice(bytes)) {
            cell.store(*word, Relaxed);
        }
    };
    channel.download(&Team::caller(), buffers.get(Slot::Records)?, bytes, &take)?;
    let records = records[1..].chunks_exact(GIVEN + RESULTS);
    let mut wrong: [Option<String>; RESULTS] = Default::default();
    for (record, &triple) in records.zip(&given) {
        for ((wrong, &found), expected) in wrong.iter_mut().zip(&record[GIVEN..]).zip(results(triple)) {
            if wrong.is_none() && !is_same(found, expected) {
                *wrong = Some(format!("{found:e} instead of {expected:e} for {triple:?}"));
            }
        }
    }
    Ok(wrong)
}

/// The results on the CPU.
fn results([a, b, c]: [f32; GIVEN]) -> [f32; RESULTS] {
    [
        a + b,
        a - b,
        a * b,
        a * b + c,
        a + b * c - a * c,
        a / b,
        a.sqrt(),
        a.floor(),
        functions::exp(a),
        functions::log(a),
        functions::pow(a, b),
        if a < b { a } else { b },
        f32::from(a == b) + 2.0 * if a == 0.0 || a.is_nan() { a } else { a.signum() },
        b.abs(),
        -c,
    ]
}

/// The same number, or none in both.
fn is_same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// Special numbers in all combinations of two, and random ones of three kinds: of all bits, of about 1, and of few digits.
fn triples() -> Vec<[f32; GIVEN]> {
    let special = [
        0.0,
        1.0,
        2.0,
        3.0,
        0.5,
        1.0 + f32::EPSILON,
        1.0 - f32::EPSILON / 2.0,
        f32::MIN_POSITIVE,
        f32::MIN_POSITIVE.next_down(),
        f32::from_bits(1),
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
        1e-20,
        1e20,
        88.5,
        16_777_216.0,
    ];
    let signed = special.iter().flat_map(|&x| [x, -x]);
    let mut triples: Vec<_> = signed
        .clone()
        .flat_map(|a| signed.clone().map(move |b| [a, b, a]))
        .collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        // xorshift64 (Marsaglia, 2003)
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    };
    for k in 0..RANDOM {
        triples.push(std::array::from_fn(|_| {
            let bits = next();
            match k % 4 {
                0 => f32::from_bits(bits),
                1 => f32::from_bits(bits & 0x807f_ffff | (0x3f80_0000 - (bits >> 8 & 1) * 0x80_0000)),
                2 => f32::from_bits(bits & 0x81ff_ffff | 0x3e00_0000),
                _ => f32::from_bits(bits & 0x80ff_ffff), // about the least normal numbers
            }
        }));
    }
    triples
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{Gpu, acquire};
    use crate::plan::WantedDevice;

    /// The results that differ and their triples, so that a device that fails can be looked at.
    #[test]
    #[ignore = "needs a Vulkan device: make test-gpu"]
    fn arithmetic_is_that_of_the_cpu() {
        let mut gpu = Gpu::new(acquire(WantedDevice::Best, true).unwrap()).unwrap();
        let controls = gpu.channel.device.float_controls.expect("Vulkan 1.2");
        assert!(controls.specials && controls.nearest, "{controls:?}");
        let Gpu { channel, rows, .. } = &mut gpu;
        let kernels = &rows.kernels;
        let exact = exact_arithmetic(channel, kernels).unwrap();
        let is_fused = exact.is_some_and(|exact| exact.is_fused);
        let mut wrong = |is_fused| wrong_arithmetic(channel, kernels, Exact { controls, is_fused });
        let fused = wrong(true);
        println!("with fma: {:#?}", fused.unwrap()); // why it is not taken
        let wrong = wrong(is_fused).unwrap();
        assert!(wrong.iter().all(Option::is_none), "{controls:?}: {wrong:#?}");
    }
}
