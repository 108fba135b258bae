//! Shaders, run alone on any Vulkan device: what they compute is compared bit for bit with Rust.
//!
//! `real`: shaders/shared/real.wgsl against the processor's own f32 and f64. A missing device is a failure.
#![cfg(feature = "gpu")]

use std::ops::{Add, Mul, Sub};

use wgpu::naga;
use wgpu::util::DeviceExt;

const REAL: &str = include_str!("../../shaders/shared/real.wgsl");

/// Does everything with every row, in both precisions; results go back as bits.
const REAL_TEST: &str = "
struct Row { a: vec2<u32>, b: vec2<u32>, shift: i32 }
alias Answer = array<vec2<u32>, 7>;

@group(0) @binding(0) var<storage, read> rows: array<Row>;
@group(0) @binding(1) var<storage, read_write> answers: array<Answer>;

@compute @workgroup_size(64)
fn real32(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&rows) {
        let row = rows[id.x];
        answers[id.x] = answer(real_from_bits32(row.a.x), real_from_bits32(row.b.x), row.shift, REAL32);
    }
}

@compute @workgroup_size(64)
fn real64(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&rows) {
        let row = rows[id.x];
        answers[id.x] = answer(real_from_bits64(row.a), real_from_bits64(row.b), row.shift, REAL64);
    }
}

// The order of |a| and |b|, and of d2 and b * b. Operands of d2 and the last product may be infinite.
fn answer(a: Real, b: Real, shift: i32, format: Format) -> Answer {
    let difference = real_subtract(a, b, format);
    let square = real_multiply(b, b, format);
    let d2 = real_add(real_multiply(difference, difference, format), square, format);
    return Answer(
        real_to_bits(difference, format),
        real_to_bits(real_add(a, b, format), format),
        real_to_bits(real_multiply(a, b, format), format),
        real_to_bits(d2, format),
        real_to_bits(real_subtract(real_multiply(real_multiply(a, a, format), b, format), b, format), format),
        real_fixed(a, shift),
        vec2(u32(real_at_most(a, b)), u32(real_at_most(d2, square))),
    );
}

// All bits set, a NaN, for a number that is not in the form real.wgsl promises.
fn real_to_bits(a: Real, format: Format) -> vec2<u32> {
    let single = format.digits == 24u;
    let fraction = select(20u, 23u, single);
    let top = select(a.mantissa.y, a.mantissa.x, single);
    var biased = u32(a.exponent - format.least + 1);
    var stored = top & ((1u << fraction) - 1u);
    if a.exponent == INFINITE {
        biased = select(0x7ffu, 0xffu, single);
        stored = 0u;
    } else if (top >> fraction) == 0u && a.exponent == format.least {
        biased = 0u;
    } else if (top >> fraction) != 1u || a.exponent < format.least || a.exponent > format.most {
        return vec2(0xffffffffu);
    }
    let word = (u32(a.negative) << 31u) | (biased << fraction) | stored;
    let low = select(a.mantissa.x, 0u, a.exponent == INFINITE);
    return select(vec2(low, word), vec2(word, 0u), single);
}
";

/// Bits of `a` and of `b`, low word first, the shift, padding.
type Row = [u32; 6];
type Answer = [[u32; 2]; 7];

const ANSWERS: [&str; 7] = [
    "a - b",
    "a + b",
    "a * b",
    "(a - b)^2 + b^2",
    "a^2 * b - b",
    "fixed",
    "order",
];
const SHIFTS: std::ops::RangeInclusive<i32> = -1100..=1100;
const RANDOM_ROWS: usize = (1 << 20) + (1 << 18);

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn real() {
    let source = format!("{REAL}{REAL_TEST}");
    check_module(&source);
    let device = Device::new();
    let module = device.module(&source);
    check::<f32>(&device, &module);
    check::<f64>(&device, &module);
}

/// Valid for a device that has nothing optional, and without a single float.
fn check_module(source: &str) {
    let module =
        naga::front::wgsl::parse_str(source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
    let (flags, capabilities) = (naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
    let mut validator = naga::valid::Validator::new(flags, capabilities);
    validator
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
    let floats = module
        .types
        .iter()
        .filter(|(_, ty)| ty.inner.scalar_kind() == Some(naga::ScalarKind::Float));
    assert_eq!(floats.count(), 0, "real.wgsl has a float type");
}

fn check<T: Native>(device: &Device, module: &wgpu::ShaderModule) {
    let mut random = Random(0x6e65_6172_6772_6964);
    let rows: Vec<Row> = (0..RANDOM_ROWS).map(|_| random_row::<T>(&mut random)).collect();
    compare::<T>(&rows, &device.run(module, T::ENTRY, &rows));

    let edges = edges::<T>();
    let pairs = edges.iter().flat_map(|&a| edges.iter().map(move |&b| row(a, b, 0)));
    let shifted = edges.iter().flat_map(|&a| SHIFTS.map(move |shift| row(a, a, shift)));
    let rows: Vec<Row> = pairs.chain(shifted).collect();
    compare::<T>(&rows, &device.run(module, T::ENTRY, &rows));
}

fn compare<T: Native>(rows: &[Row], answers: &[Answer]) {
    assert_eq!(rows.len(), answers.len());
    for (row, answer) in rows.iter().zip(answers) {
        let (a, b) = (T::from_bits(join(row[0], row[1])), T::from_bits(join(row[2], row[3])));
        let shift = row[4] as i32;
        let d2 = (a - b) * (a - b) + b * b;
        let ordered = [a.into().abs() <= b.into().abs(), d2 <= b * b].map(u32::from);
        let (fixed, order) = (fixed(a.into(), shift) as u64, join(ordered[0], ordered[1]));
        let exact = [a - b, a + b, a * b, d2, a * a * b - b].map(T::bits);
        let expected = exact.into_iter().chain([fixed, order]);
        for ((expected, &[low, high]), name) in expected.zip(answer).zip(ANSWERS) {
            let found = join(low, high);
            // Infinity times zero is the one thing here that real.wgsl leaves out.
            let undefined = name == ANSWERS[4] && (a * a * b).into().is_nan();
            assert!(
                found == expected || undefined,
                "{}: {name} is {found:#x} instead of {expected:#x} for a = {a:e}, b = {b:e}, shift = {shift}",
                T::ENTRY,
            );
        }
    }
}

/// floor(a * 2^shift), saturated to [-(2^62), 2^62].
fn fixed(a: f64, shift: i32) -> i64 {
    let biased = (a.to_bits() >> 52 & 0x7ff) as i32;
    let hidden = u64::from(biased > 0) << 52;
    let magnitude = i128::from(a.to_bits() & ((1 << 52) - 1) | hidden);
    let mantissa = if a.is_sign_negative() { -magnitude } else { magnitude };
    let exponent = biased.max(1) - 1075 + shift;
    // Shifting to the right floors; 64 to the left is beyond the limits already, for all but zero.
    let floored = if exponent < 0 {
        mantissa >> (-exponent).min(127)
    } else {
        mantissa << exponent.min(64)
    };
    floored.clamp(-(1 << 62), 1 << 62) as i64
}

/// f32 and f64, with bits in a u64.
trait Native: Copy + PartialOrd + Into<f64> + std::fmt::LowerExp
where
    Self: Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>,
{
    const ENTRY: &str;
    const FRACTION: u32;
    const EXPONENT: u32;
    fn from_bits(bits: u64) -> Self;
    fn bits(self) -> u64;
}

impl Native for f32 {
    const ENTRY: &str = "real32";
    const FRACTION: u32 = 23;
    const EXPONENT: u32 = 8;
    fn from_bits(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

impl Native for f64 {
    const ENTRY: &str = "real64";
    const FRACTION: u32 = 52;
    const EXPONENT: u32 = 11;
    fn from_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    fn bits(self) -> u64 {
        self.to_bits()
    }
}

/// Bits of a number; `biased` is moved into the range of finite ones, 0 is that of subnormals.
fn encode<T: Native>(negative: bool, biased: i64, fraction: u64) -> u64 {
    let biased = biased.clamp(0, (1 << T::EXPONENT) - 2) as u64;
    u64::from(negative) << (T::FRACTION + T::EXPONENT) | biased << T::FRACTION | fraction & ((1 << T::FRACTION) - 1)
}

/// Exponents at which something changes, with fractions that make ties and carries, of both signs.
fn edges<T: Native>() -> Vec<u64> {
    let (digits, bias) = (i64::from(T::FRACTION) + 1, (1 << (T::EXPONENT - 1)) - 1);
    // Subnormals, the square of one, 1, a square that overflows, the largest; and their last places.
    let centers = [0, bias / 2, bias, bias * 3 / 2, 2 * bias];
    let near = [
        -digits - 1,
        -digits,
        1 - digits,
        -1,
        0,
        1,
        digits - 1,
        digits,
        digits + 1,
    ];
    let half = 1 << (T::FRACTION - 1);
    let mut edges = Vec::new();
    for biased in centers.iter().flat_map(|center| near.map(|near| center + near)) {
        for fraction in [0, 1, 2, half, half + 1, u64::MAX - 1, u64::MAX] {
            edges.extend([false, true].map(|negative| encode::<T>(negative, biased, fraction)));
        }
    }
    edges.sort_unstable();
    edges.dedup(); // those beyond the range of finite numbers
    edges
}

fn random_row<T: Native>(random: &mut Random) -> Row {
    let (bias, infinite) = ((1 << (T::EXPONENT - 1)) - 1, (1 << T::EXPONENT) - 1);
    let places = i64::from(T::FRACTION) + 3;
    let exponent = random.within(0, infinite - 1);
    let a = encode::<T>(random.flag(), exponent, random.fraction(T::FRACTION));
    let other = match random.within(0, 4) {
        0 => random.within(0, infinite - 1),
        1 => exponent + random.within(-places, places),
        // A product among the subnormals, one at the largest number.
        2 => bias - exponent + random.within(-places, 3),
        3 => bias - exponent + infinite - 1 + random.within(-2, 1),
        // The neighborhood of `a`, where sums and differences cancel.
        _ => {
            let near = (a as i64 + random.within(-4, 4)) as u64 & ((1 << (T::FRACTION + T::EXPONENT)) - 1);
            return row(
                a,
                near.min(encode::<T>(false, infinite, u64::MAX)),
                random.shift(exponent - bias),
            );
        }
    };
    let b = encode::<T>(random.flag(), other, random.fraction(T::FRACTION));
    row(a, b, random.shift(exponent - bias))
}

fn row(a: u64, b: u64, shift: i32) -> Row {
    [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32, shift as u32, 0]
}

fn join(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// splitmix64
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn flag(&mut self) -> bool {
        self.bits() >> 63 == 1
    }

    fn within(&mut self, low: i64, high: i64) -> i64 {
        low + (self.bits() % (high - low + 1) as u64) as i64
    }

    /// All bits random, or the last ones all clear (ties) or all set (carries).
    fn fraction(&mut self, length: u32) -> u64 {
        let last = (1 << self.within(0, length.into())) - 1;
        let bits = self.bits();
        match self.within(0, 2) {
            0 => bits,
            1 => bits & !last,
            _ => bits | last,
        }
    }

    /// Any shift, or one that makes a number of this exponent something between a fraction and too large.
    fn shift(&mut self, exponent: i64) -> i32 {
        let any = self.flag();
        let shift = if any {
            self.within(-1100, 1100)
        } else {
            self.within(-3, 65) - exponent
        };
        shift.clamp(-1100, 1100) as i32
    }
}

/// Any Vulkan device, asked for nothing optional.
struct Device {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Device {
    fn new() -> Device {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))
            .expect("this test needs a Vulkan device; Mesa's lavapipe (mesa-vulkan-drivers) is one without a GPU");
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            required_limits: wgpu::Limits::downlevel_defaults(),
            ..Default::default()
        }))
        .expect("a Vulkan device with the least limits");
        Device { device, queue }
    }

    fn module(&self, source: &str) -> wgpu::ShaderModule {
        self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(source.into()),
        })
    }

    fn run(&self, module: &wgpu::ShaderModule, entry: &str, rows: &[Row]) -> Vec<Answer> {
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: None,
            module,
            entry_point: Some(entry),
            compilation_options: Default::default(),
            cache: None,
        });
        let input = self.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: None,
            contents: bytemuck::cast_slice(rows),
            usage: wgpu::BufferUsages::STORAGE,
        });
        let size = size_of::<Answer>() * rows.len();
        let output = self.buffer(size, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);
        let read = self.buffer(size, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
        let entries = [(0, &input), (1, &output)].map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
        });
        let bindings = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bindings, &[]);
        pass.dispatch_workgroups(rows.len().div_ceil(64) as u32, 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&output, 0, &read, 0, None);
        self.queue.submit([encoder.finish()]);
        read.map_async(wgpu::MapMode::Read, .., |mapped| mapped.expect("the answers"));
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .expect("the device finishes");
        let bytes = read.get_mapped_range(..).expect("the answers");
        bytemuck::cast_slice(&bytes).to_vec()
    }

    fn buffer(&self, size: usize, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let size = size as wgpu::BufferAddress;
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        })
    }
}
