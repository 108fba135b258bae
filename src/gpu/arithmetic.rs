//! The test of a device's arithmetic at the first sum on it: operations with known answers, special and random numbers among
//! them. Sums run on a device only if all of them are those of the CPU, bit for bit. Stage: `shaders/arithmetic.wgsl`.
//!
//! in: a device; out: its float controls, or nothing where its arithmetic does not suffice.

mod numbers;

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use super::beside;
use super::buffers::Buffers;
use super::channel::Channel;
use super::clock::Phase;
use super::device::{Exact, FloatControls};
use super::dispatch::{Before, Size};
use super::kernels::{Kernels, Slot, Stage, TABLE_OF_SUMS};
use super::real64_rate;
use super::shader::{self, Form};
use super::strict;
use super::transfer::SHARE;
use crate::domain::{Period, Periods};
use crate::error::Result;
use crate::formula::functions;
use crate::list::as_atomic_u32;
use crate::threads::Team;
use numbers::{triples, wide_triples};

/// Words of numbers that are given, and results of them: `GIVEN` and `RESULTS` in the shader.
const GIVEN: usize = 9;
const RESULTS: usize = 25;

/// Results in real64: `RESULTS` in `shaders/arithmetic_real64.wgsl`.
const REAL64_RESULTS: usize = 19;

/// The first result that is of real64.
const WIDE: usize = 23;

/// Triples of random numbers. `sum::kept` has bindings of 589,824 bytes, which hold all records.
const RANDOM: usize = 3072;

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
            let exact = Exact {
                controls,
                is_fused,
                has_doubles: channel.device.doubles,
                real64_rate: None,
            };
            let wrong = wrong_arithmetic(channel, kernels, exact, RANDOM)?;
            let [narrow, wide] = [&wrong[..WIDE], &wrong[WIDE..]].map(|wrong| wrong.iter().all(Option::is_none));
            // Without f64, differences in real64 are made of integers.
            let has_doubles = exact.has_doubles && wide;
            if !narrow || !(wide || exact.has_doubles) {
                continue;
            }
            let has_real64 = has_doubles
                && wrong_real64(channel, kernels, controls, RANDOM)?
                    .iter()
                    .all(Option::is_none);
            let real64_rate = match has_real64 {
                true => Some(real64_rate::of_device(&channel.device, kernels, controls)?),
                false => None,
            };
            found = Some(Exact {
                has_doubles,
                real64_rate,
                ..exact
            });
        }
    }
    Ok(*channel.device.arithmetic.get_or_init(|| found))
}

/// Of each operation: the first result that is not that of the CPU.
fn wrong_arithmetic(
    channel: &mut Channel,
    kernels: &Kernels,
    Exact {
        controls,
        is_fused,
        has_doubles,
        ..
    }: Exact,
    random: usize,
) -> Result<[Option<String>; RESULTS]> {
    let narrow = triples(random);
    let given: Vec<_> = narrow.iter().zip(wide_triples(narrow.len())).collect();
    let mut records = vec![(-0.0f32).to_bits()];
    for (triple, wide) in &given {
        records.extend(triple.map(f32::to_bits));
        records.extend(wide.map(words).as_flattened());
        records.extend([0; RESULTS]);
    }
    let form = Form {
        fused: is_fused,
        doubles: has_doubles,
        ..Form::default()
    };
    compute(channel, kernels, (form, controls), (&mut records, given.len()))?;
    let records = records[1..].chunks_exact(GIVEN + RESULTS);
    let mut wrong: [Option<String>; RESULTS] = Default::default();
    for (record, &(&triple, wide)) in records.zip(&given) {
        let expected = results(triple).into_iter().chain(differences(wide)).map(f64::from);
        let found = record[GIVEN..].iter().map(|&bits| f32::from_bits(bits).into());
        note_wrong(&mut wrong, found.zip(expected), |k| match k < WIDE {
            true => format!("{triple:?}"),
            false => format!("{wide:?}"),
        });
    }
    Ok(wrong)
}

/// The same in real64.
fn wrong_real64(
    channel: &mut Channel,
    kernels: &Kernels,
    controls: FloatControls,
    random: usize,
) -> Result<[Option<String>; REAL64_RESULTS]> {
    let given = wide_triples(random);
    let mut records = Vec::new();
    for triple in &given {
        records.extend(triple.map(words).as_flattened());
        records.extend([0; 2 * REAL64_RESULTS]);
    }
    let form = Form {
        doubles: true,
        real64: true,
        ..Form::default()
    };
    compute(channel, kernels, (form, controls), (&mut records, given.len()))?;
    let mut wrong: [Option<String>; REAL64_RESULTS] = Default::default();
    for (record, &triple) in records.chunks_exact(2 * (3 + REAL64_RESULTS)).zip(&given) {
        let found = record[6..].chunks_exact(2);
        let found = found.map(|words| f64::from_bits(u64::from(words[1]) << 32 | u64::from(words[0])));
        note_wrong(&mut wrong, found.zip(real64_results(triple)), |_| format!("{triple:?}"));
    }
    Ok(wrong)
}

/// Notes of each operation the first result that is not the one expected. `given`: the numbers that an operation has.
fn note_wrong(
    wrong: &mut [Option<String>],
    results: impl Iterator<Item = (f64, f64)>,
    given: impl Fn(usize) -> String,
) {
    for ((k, wrong), (found, expected)) in wrong.iter_mut().enumerate().zip(results) {
        if wrong.is_none() && !is_same(found, expected) {
            *wrong = Some(format!("{found:e} instead of {expected:e} for {}", given(k)));
        }
    }
}

/// The words of a number, the low one first.
fn words(number: f64) -> [u32; 2] {
    let bits = number.to_bits();
    [bits as u32, (bits >> 32) as u32]
}

/// Has the device compute the results of `len` records.
fn compute(
    channel: &mut Channel,
    kernels: &Kernels,
    (form, controls): (Form, FloatControls),
    (records, len): (&mut [u32], usize),
) -> Result<()> {
    let bytes = size_of_val(records) as u64;
    let [row, ..] = &TABLE_OF_SUMS;
    let source = shader::expand(row.1, form).unwrap_or_default();
    let kernel = strict::kernel(&channel.device, [row.1, row.2], &source, row.3, controls)?;
    let kernels = kernels.with(&[(Stage::Arithmetic, kernel)]);
    let mut buffers = Buffers::default();
    buffers.ensure(&channel.device, Slot::Records, bytes, WHAT)?;
    let given_to_it = [Before::Write(Slot::Records, 0, bytemuck::cast_slice(records))];
    let stages = [(Stage::Arithmetic, Size::Lanes(len as u64, 64))];
    channel.submit((&mut buffers, &kernels), &given_to_it, (Phase::Index, &stages))?;
    let cells: &[AtomicU32] = as_atomic_u32(records);
    let take = |share: usize, bytes: &[u8]| {
        let cells = cells[share * (SHARE / size_of::<u32>())..].iter();
        for (cell, word) in cells.zip(bytemuck::cast_slice(bytes)) {
            cell.store(*word, Relaxed);
        }
    };
    channel.download(&Team::caller(), buffers.get(Slot::Records)?, bytes, &take)
}

/// Differences of two numbers in real64, rounded: without a period, and to the nearest image.
fn differences([a, b, period]: [f64; 3]) -> [f32; 2] {
    let mut period_of_axis = Periods::default();
    period_of_axis.0[0] = (period > 0.0).then(|| Period::new(0.0, period));
    [Periods::default(), period_of_axis].map(|periods| periods.difference(0, a, b) as f32)
}

/// The results of triples on the CPU.
fn results([a, b, c]: [f32; 3]) -> [f32; WIDE] {
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
        a / b,
        functions::sin(a),
        functions::cos(a),
        functions::tan(a),
        functions::tanh(a),
        functions::atan2(a, b),
        functions::erf(a),
        functions::erfc(a),
    ]
}

/// The results of triples in real64 on the CPU.
fn real64_results([a, b, c]: [f64; 3]) -> [f64; REAL64_RESULTS] {
    let mut period = Periods::default();
    period.0[0] = (c > 0.0).then(|| Period::new(0.0, c));
    [
        a + b,
        a - b,
        a * b,
        a * b + c,
        a + b * c - a * c,
        a / b,
        a.sqrt(),
        a.floor(),
        if a < b { a } else { b },
        f64::from(u8::from(a == b)) + 2.0 * if a == 0.0 || a.is_nan() { a } else { a.signum() },
        b.abs(),
        -c,
        (a as f32).into(),
        Periods::default().difference(0, a, b),
        period.difference(0, a, b),
        functions::exp(a),
        functions::log(a),
        functions::pow(a, b),
        functions::pow(a.abs(), c),
    ]
}

/// The same number, or none in both.
fn is_same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::acquire::acquire_masked;
    use crate::gpu::fault::Mask;
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
        let mut wrong = |is_fused, has_doubles| {
            let exact = Exact {
                controls,
                is_fused,
                has_doubles,
                real64_rate: None,
            };
            wrong_arithmetic(channel, kernels, exact, 32 * RANDOM).unwrap()
        };
        println!("with fma: {:#?}", wrong(true, false)); // why it is not taken
        let has_doubles = exact.is_some_and(|exact| exact.has_doubles);
        for has_doubles in [false, has_doubles] {
            let wrong = wrong(is_fused, has_doubles);
            assert!(wrong.iter().all(Option::is_none), "{controls:?}: {wrong:#?}");
        }
        if has_doubles {
            let wrong = wrong_real64(channel, kernels, controls, 32 * RANDOM).unwrap();
            assert!(wrong.iter().all(Option::is_none), "{controls:?}: {wrong:#?}");
        }
    }

    /// A device with f64 takes it.
    #[test]
    #[ignore = "needs a Vulkan device: make test-gpu"]
    fn differences_are_in_f64_where_it_is() {
        for no_f64 in [false, true] {
            let mask = Mask {
                no_f64,
                ..Mask::default()
            };
            let device = acquire_masked(WantedDevice::Best, true, mask).unwrap();
            let has = device.doubles;
            let mut gpu = Gpu::new(device).unwrap();
            let exact = exact_arithmetic(&mut gpu.channel, &gpu.rows.kernels).unwrap();
            assert_eq!(exact.map(|exact| exact.has_doubles), Some(has));
            assert!(!(has && no_f64));
        }
    }
}
