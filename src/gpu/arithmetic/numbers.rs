//! Numbers by which the arithmetic of a device is tested: special ones in all combinations of two, and random ones.

/// Special numbers in all combinations of two, and random ones: of all bits, and of certain ranges.
pub fn triples(random: usize) -> Vec<[f32; 3]> {
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
    let mut next = random_words();
    for k in 0..random {
        triples.push(std::array::from_fn(|_| {
            let bits = (next() >> 32) as u32;
            match k % 5 {
                0 => f32::from_bits(bits),
                1 => f32::from_bits(bits & 0x807f_ffff | (0x3f80_0000 - (bits >> 8 & 1) * 0x80_0000)),
                2 => f32::from_bits(bits & 0x81ff_ffff | 0x3e00_0000),
                3 => f32::from_bits(bits & 0x80ff_ffff | 0x4000_0000), // from 2 to 8
                _ => f32::from_bits(bits & 0x80ff_ffff),               // about the least normal numbers
            }
        }));
    }
    triples
}

/// Two coordinates, and a period that is at least twice the least normal number, or 0. Special ones in all combinations of
/// two, and random ones of five kinds: of all bits, of one box, near to each other, halves between numbers of real32 from
/// which little or nothing is taken, and differences that are such halves.
pub fn wide_triples(count: usize) -> Vec<[f64; 3]> {
    let half = f64::from(f32::EPSILON) / 2.0;
    let (least, most) = (f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX));
    let special = [
        0.0,
        1.0,
        1.0 + half,
        1.0 + 3.0 * half,
        (1.0 + half).next_up(),
        1.0 - half / 2.0,
        2f64.powi(-54),
        least,
        least.next_down(),
        least * (1.0 - half),
        least * half,
        least * half * 3.0,
        (least * half).next_up(),
        f64::MIN_POSITIVE,
        f64::from_bits(1),
        most,
        most * (1.0 + half / 2.0),
        (most * (1.0 + half / 2.0)).next_down(),
        2f64.powi(127),
        f64::MAX,
    ];
    let signed = special.iter().flat_map(|&x| [x, -x]);
    let pairs = signed.clone().flat_map(|a| signed.clone().map(move |b| (a, b)));
    let periods = [1.0, 0.3, 0.0, 1e-40, 1e30].into_iter().cycle();
    let mut triples: Vec<_> = pairs.zip(periods).map(|((a, b), period)| [a, b, period]).collect();
    let mut next = random_words();
    let finite = |bits: u64| f64::from_bits(bits & !(1 << 52));
    // From 0 up to 1, and nearer to 0 as often as to 1.
    let unit = |next: &mut dyn FnMut() -> u64| (next() >> 11) as f64 * 2f64.powi(-53 - (next() >> 60) as i32);
    while triples.len() < count {
        let period = (0.5 + unit(&mut next)) * 2f64.powi((next() % 256) as i32 - 128);
        let a = period * unit(&mut next);
        triples.push(match triples.len() % 5 {
            0 => [finite(next()), finite(next()), period],
            1 => [a - 0.5 * period, period * (unit(&mut next) - 0.5), period],
            2 => [a, a + 0.01 * period * unit(&mut next), period],
            3 => {
                let between = f64::from_bits(a.to_bits() >> 29 << 29 | 1 << 28);
                let less = f64::MIN_POSITIVE.max(between * half * half * unit(&mut next));
                [between, [less, -less, 0.0][(next() >> 62) as usize % 3], period]
            }
            _ => {
                let between = f64::from_bits(a.to_bits() >> 29 << 29 | 1 << 28);
                [a, a - between, period]
            }
        });
    }
    triples.truncate(count);
    triples
}

/// The generator xorshift64 (Marsaglia, 2003).
fn random_words() -> impl FnMut() -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    }
}
