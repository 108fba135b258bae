//! The rate of arithmetic in real64, of a device and of a thread of the CPU. Many devices have one unit for it for each 32 or 64 in
//! real32, and are slower than a CPU then.
//!
//! in: a device whose arithmetic in real64 is that of the CPU; out: operations in a microsecond. Stage: `shaders/real64_rate.wgsl`.

use std::hint::black_box;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::adapters::DeviceKind;
use super::buffers::Buffers;
use super::channel::Channel;
use super::clock::Phase;
use super::device::{Device, FloatControls};
use super::dispatch::Size;
use super::kernels::{Kernels, Slot, Stage, TABLE_OF_SUMS};
use super::shader::{self, Form};
use super::strict;
use crate::error::Result;
use crate::simd::{InstructionSet, Isa, Kernel, Simd};

/// Lanes of the device, with as many bytes as the test of its arithmetic takes.
const LANES: u64 = 1 << 16;

/// Operations of a lane: `STEPS` of the shader, of four products and four sums. All lanes take 5 ms at the rate of a good CPU.
const OPERATIONS: u64 = 8 * 1024;

const WHAT: &str = "the test of the device's speed";

/// Operations in a microsecond on a device.
pub fn of_device(device: &Arc<Device>, kernels: &Kernels, controls: FloatControls) -> Result<u64> {
    if device.mask.slow_f64 {
        return Ok(1);
    }
    if device.info.kind == DeviceKind::Software {
        return Ok(u64::MAX); // it is the CPU, and only who asks for it gets it
    }
    let form = Form {
        doubles: true,
        real64: true,
        ..Form::default()
    };
    let [_, row, ..] = &TABLE_OF_SUMS;
    let source = shader::expand(row.1, form).unwrap_or_default();
    let kernel = strict::kernel(device, [row.1, row.2], &source, row.3, controls)?;
    let kernels = kernels.with(&[(Stage::Real64Rate, kernel)]);
    let (mut channel, mut buffers) = (Channel::new(device.clone())?, Buffers::default());
    buffers.ensure(device, Slot::Records, LANES * size_of::<f64>() as u64, WHAT)?;
    let stages = [(Stage::Real64Rate, Size::Lanes(LANES, 64))];
    let mut seconds = f64::INFINITY;
    // The first time the device still raises its clock.
    for _ in 0..3 {
        let begin = Instant::now();
        channel.submit((&mut buffers, &kernels), &[], (Phase::Index, &stages))?;
        channel.finish()?;
        let elapsed = begin.elapsed().as_secs_f64();
        let by_its_clock = channel.take_seconds()[1 + Phase::Index as usize];
        seconds = seconds.min(if by_its_clock > 0.0 { by_its_clock } else { elapsed });
    }
    Ok(((LANES * OPERATIONS) as f64 / (seconds * 1e6)) as u64)
}

/// Operations in a microsecond on a thread of the CPU.
pub fn of_a_thread() -> u64 {
    static RATE: OnceLock<u64> = OnceLock::new();
    *RATE.get_or_init(|| {
        let simd = Simd::new(Isa::best());
        let time = |_| {
            let begin = Instant::now();
            black_box(simd.run(Chains(black_box(1.0))));
            begin.elapsed().as_secs_f64()
        };
        let seconds = (0..5).map(time).fold(f64::INFINITY, f64::min);
        (Chains::OPERATIONS as f64 / (seconds.max(1e-9) * 1e6)) as u64
    })
}

/// The same products and sums, in as many chains as keep the units of a core busy.
struct Chains(f64);

impl Chains {
    const LANES: usize = 64;
    const STEPS: usize = 2048;
    const OPERATIONS: usize = 2 * Chains::LANES * Chains::STEPS;
}

impl Kernel for Chains {
    type Output = [f64; Chains::LANES];

    #[inline(always)]
    fn run<S: InstructionSet>(self, _: S) -> [f64; Chains::LANES] {
        let first = self.0;
        let mut chains = std::array::from_fn(|k| k as f64 * first);
        for _ in 0..Chains::STEPS {
            for number in &mut chains {
                *number = *number * 0.5 + first;
            }
        }
        chains
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::acquire::acquire_masked;
    use crate::gpu::arithmetic::exact_arithmetic;
    use crate::gpu::fault::Mask;
    use crate::gpu::{Gpu, acquire};
    use crate::plan::WantedDevice;

    /// A core does some operations in a nanosecond, and none does thousands.
    #[test]
    fn a_thread_has_a_rate() {
        let rate = of_a_thread();
        assert!((10..1_000_000).contains(&rate), "{rate} operations in a microsecond");
    }

    /// Each device computes in real64 at some rate, is the CPU, or cannot; one that is slow by its mask is slower than a thread.
    #[test]
    #[ignore = "needs a Vulkan device: make test-gpu"]
    fn a_device_has_a_rate() {
        let device = acquire(WantedDevice::Best, true).unwrap();
        let mut gpu = Gpu::new(device.clone()).unwrap();
        let exact = exact_arithmetic(&mut gpu.channel, &gpu.rows.kernels).unwrap();
        if let Some(rate) = exact.and_then(|exact| exact.real64_rate) {
            println!("{}: {rate}, a thread {}", device.info.name, of_a_thread());
            assert!(rate > 100, "{rate} operations in a microsecond");
        }
        let mask = Mask {
            slow_f64: true,
            ..Mask::default()
        };
        let slow = acquire_masked(WantedDevice::Best, true, mask).unwrap();
        let mut gpu = Gpu::new(slow.clone()).unwrap();
        assert_eq!(gpu.is_slower_in_real64(1).unwrap(), slow.doubles);
    }
}
