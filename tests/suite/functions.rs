//! Functions of formulas: within 2 units in the last place of what they should be.

#[path = "../../src/formula/functions/mod.rs"]
#[allow(dead_code, unreachable_pub, missing_docs)]
pub mod steps;

use steps::{atan2, cos, erf, erfc, exp, log, pow, sin, tan, tanh};

/// A number twice as wide as real64: enough to see errors of real64.
type Wide = [f64; 2];

/// The sum as the rounded sum and its error.
fn two_sum(a: f64, b: f64) -> Wide {
    let sum = a + b;
    let part = sum - a;
    [sum, (a - (sum - part)) + (b - part)]
}

/// The product as the rounded product and its error.
fn two_product(a: f64, b: f64) -> Wide {
    [a * b, a.mul_add(b, -(a * b))]
}

fn sum(a: Wide, b: Wide) -> Wide {
    let [high, low] = two_sum(a[0], b[0]);
    two_sum(high, low + (a[1] + b[1]))
}

fn product(a: Wide, b: Wide) -> Wide {
    let [high, low] = two_product(a[0], b[0]);
    two_sum(high, low + (a[0] * b[1] + a[1] * b[0]))
}

fn quotient(a: Wide, n: f64) -> Wide {
    let high = a[0] / n;
    let [back, error] = two_product(high, n);
    two_sum(high, (((a[0] - back) - error) + a[1]) / n)
}

/// e^x by its series, of a number halved so often that few terms are left, and squared as often.
fn wide_exp(x: Wide) -> (Wide, i32) {
    let k = (x[0] / std::f64::consts::LN_2).round();
    let ln_2 = [std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17];
    let rest = sum(x, product(ln_2, [-k, 0.0]));
    let small = [rest[0] / 256.0, rest[1] / 256.0];
    let mut value = [1.0, 0.0];
    for n in (1..16).rev() {
        value = sum([1.0, 0.0], quotient(product(value, small), f64::from(n)));
    }
    (0..8).for_each(|_| value = product(value, value));
    (value, k as i32)
}

/// ln x: near 1 by its series, elsewhere by one step of Newton's from the logarithm of the system, which doubles its digits.
fn wide_ln(x: f64) -> Wide {
    let f = [x - 1.0, 0.0];
    if f[0].abs() < 1e-3 {
        let series = (1..13).rev().fold([0.0; 2], |tail: Wide, n| {
            let term = quotient([1.0, 0.0], f64::from(n));
            sum(term, product(product(f, tail), [-1.0, 0.0]))
        });
        return product(f, series);
    }
    let guess = x.ln();
    let (value, k) = wide_exp([-guess, 0.0]);
    // x e^-guess - 1 = t, ln x = guess + t - t^2/2
    let [m, n] = [k / 2, k - k / 2].map(|k| 2f64.powi(k));
    let scaled = product([x * m * n, 0.0], value);
    let t = sum(scaled, [-1.0, 0.0]);
    sum([guess, 0.0], sum(t, product(product(t, t), [-0.5, 0.0])))
}

fn random(state: &mut u64) -> f64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1u64 << 53) as f64
}

/// The error of `found` in units in the last place.
fn error_single(found: f32, wanted: f64) -> f64 {
    if found.is_infinite() {
        return if wanted.abs() > f64::from(f32::MAX) {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let unit = 2f64.powi((wanted.abs().log2().floor() as i32).max(-126) - 23);
    (f64::from(found) - wanted).abs() / unit
}

#[test]
fn single_within_2_units() {
    let (mut worst, mut state) = ([0f64; 3], 1);
    for k in 0..400_000 {
        let x = (random(&mut state) * 194.0 - 105.0) as f32;
        worst[0] = worst[0].max(error_single(exp(x), f64::from(x).exp()));
        let near = (random(&mut state) * 2.0 - 1.0) * 10f64.powi(-(k % 8));
        worst[0] = worst[0].max(error_single(exp(near as f32), f64::from(near as f32).exp()));
        let x = match k % 3 {
            0 => 1.0 + 0.5 * near as f32,
            _ => f32::from_bits((random(&mut state) * f64::from(0x7f80_0000u32)) as u32),
        };
        if x > 0.0 && x != 1.0 {
            worst[1] = worst[1].max(error_single(log(x), f64::from(x).ln()));
            let y = (random(&mut state) * 2.0 - 1.0) * 95.0 / f64::from(x).ln().abs();
            let y = y as f32;
            let wanted = (f64::from(y) * f64::from(x).ln()).exp();
            if y.is_finite() && wanted > 0.0 {
                worst[2] = worst[2].max(error_single(pow(x, y), wanted));
            }
        }
    }
    assert!(worst.iter().all(|&worst| worst > 0.4 && worst < 2.0), "{worst:?}");
}

#[test]
fn double_within_2_units() {
    let error = |found: f64, wanted: Wide, k: i32| {
        // The unit of the wanted value before it is scaled; the result is not subnormal.
        let unit = 2f64.powi(wanted[0].abs().log2().floor() as i32 - 52);
        let [m, n] = [-k / 2, -k - -k / 2].map(|k| 2f64.powi(k));
        ((found * m * n - wanted[0]) - wanted[1]).abs() / unit
    };
    let (mut worst, mut state) = ([0f64; 3], 2);
    for k in 0..100_000 {
        let x = random(&mut state) * 1416.0 - 707.0;
        let (wanted, scale) = wide_exp([x, 0.0]);
        worst[0] = worst[0].max(error(exp(x), wanted, scale));
        let near = (random(&mut state) * 2.0 - 1.0) * 10f64.powi(-(k % 16));
        let (wanted, scale) = wide_exp([near, 0.0]);
        worst[0] = worst[0].max(error(exp(near), wanted, scale));
        let x = match k % 3 {
            0 => 1.0 + 0.5 * near,
            _ => 2f64.powf(random(&mut state) * 1800.0 - 900.0),
        };
        if x == 1.0 {
            continue;
        }
        let ln = wide_ln(x);
        worst[1] = worst[1].max(error(log(x), ln, 0));
        let y = (random(&mut state) * 2.0 - 1.0) * 700.0 / ln[0].abs();
        let (wanted, scale) = wide_exp(product(ln, [y, 0.0]));
        worst[2] = worst[2].max(error(pow(x, y), wanted, scale));
    }
    assert!(worst.iter().all(|&worst| worst > 0.4 && worst < 2.0), "{worst:?}");
}

/// All functions have the values of the C library at zeros, ones, infinities and the ends of a precision.
#[test]
fn special_values_are_those_of_c() {
    macro_rules! check {
        ($type:ident, $ulps:expr) => {
            let least = $type::from_bits(1);
            let some = [
                0.0,
                0.5,
                1.0,
                2.0,
                3.0,
                least,
                $type::MIN_POSITIVE,
                $type::MAX,
                $type::INFINITY,
                $type::NAN,
            ];
            let all: Vec<$type> = some.iter().flat_map(|&x| [x, -x]).collect();
            let compare = |what: &str, found: $type, wanted: $type| {
                let is_exact = wanted == 0.0 || wanted.is_infinite() || wanted.abs() == 1.0;
                let is_same = match wanted.is_nan() {
                    true => found.is_nan(),
                    false if is_exact => found.to_bits() == wanted.to_bits(),
                    false => (found.to_bits() as i64 - wanted.to_bits() as i64).abs() <= $ulps,
                };
                assert!(is_same, "{what} is {found:e}, and {wanted:e} in C");
            };
            for &x in &all {
                for &y in &all {
                    compare(
                        &format!("pow({x:e}, {y:e})"),
                        pow(x, y),
                        std::hint::black_box(x).powf(y),
                    );
                    compare(
                        &format!("atan2({x:e}, {y:e})"),
                        atan2(x, y),
                        std::hint::black_box(x).atan2(y),
                    );
                    if [x, y]
                        .iter()
                        .all(|z| [0.0, 1.0, $type::INFINITY].contains(&z.abs()))
                    {
                        let angle = f64::from(x).atan2(f64::from(y)) as $type;
                        assert_eq!(atan2(x, y).to_bits(), angle.to_bits(), "atan2({x:e}, {y:e})");
                    }
                }
                let x = std::hint::black_box(x);
                compare(&format!("exp({x:e})"), exp(x), x.exp());
                compare(&format!("log({x:e})"), log(x), x.ln());
                compare(&format!("sin({x:e})"), sin(x), x.sin());
                compare(&format!("cos({x:e})"), cos(x), x.cos());
                compare(&format!("tan({x:e})"), tan(x), x.tan());
                compare(&format!("tanh({x:e})"), tanh(x), x.tanh());
            }
            for (x, of_erf, of_erfc) in [
                (0.0, 0.0, 1.0),
                (-0.0, -0.0, 1.0),
                ($type::INFINITY, 1.0, 0.0),
                (-$type::INFINITY, -1.0, 2.0),
                ($type::MAX, 1.0, 0.0),
                (-$type::MAX, -1.0, 2.0),
                ($type::NAN, $type::NAN, $type::NAN),
            ] {
                compare(&format!("erf({x:e})"), erf(x), of_erf);
                compare(&format!("erfc({x:e})"), erfc(x), of_erfc);
            }
        };
    }
    check!(f32, 2);
    check!(f64, 2);
}

/// The series of erf, and from 3 on the continued fraction of erfc, backwards.
fn wide_erfc(x: f64) -> f64 {
    const TWO_OVER_ROOT_PI: Wide = [std::f64::consts::FRAC_2_SQRT_PI, 1.533_545_961_316_588e-17];
    if x >= 3.0 {
        let rest = (1..200).rev().fold(0.0, |rest, n| 0.5 * f64::from(n) / (x + rest));
        return (-x * x).exp() * 0.5 * TWO_OVER_ROOT_PI[0] / (x + rest); // the square of a number of real32 is exact
    }
    let (mut term, mut series) = ([x, 0.0], [x, 0.0]);
    for n in 1..100 {
        term = quotient(product(term, [-x * x, 0.0]), f64::from(n));
        series = sum(series, quotient(term, f64::from(2 * n + 1)));
    }
    sum([1.0, 0.0], product(product(series, TWO_OVER_ROOT_PI), [-1.0, 0.0]))[0]
}

/// Numbers of real32 of all sizes, those near to which a function changes its way, and those next to multiples of pi/2.
fn singles() -> impl Iterator<Item = f32> {
    let every = (1..f32::INFINITY.to_bits()).step_by(9973);
    let usual = (0.25f32.to_bits()..16f32.to_bits()).step_by(499);
    let near = [
        0.55f32,
        0.5,
        0.75,
        std::f32::consts::FRAC_PI_4,
        2f32.powi(-14),
        3.0,
        10.1,
        20.0,
    ]
    .into_iter()
    .flat_map(|x| x.to_bits() - 300..x.to_bits() + 300);
    let turns = (1..2000).map(|k| (f64::from(k) * std::f64::consts::FRAC_PI_4) as f32);
    let hardest = 16_367_173.0 * 2f32.powi(72);
    let bits = every.chain(usual).chain(near).map(f32::from_bits);
    bits.chain(turns).chain([hardest, f32::MAX, 1e22])
}

#[test]
fn single_of_all_sizes_within_2_units() {
    type Pair = (&'static str, fn(f32) -> f32, fn(f64) -> f64);
    let pairs: [Pair; 6] = [
        ("sin", sin, f64::sin),
        ("cos", cos, f64::cos),
        ("tan", tan, f64::tan),
        ("tanh", tanh, f64::tanh),
        ("erf", erf, |x| {
            if x < 1e-3 {
                x * (std::f64::consts::FRAC_2_SQRT_PI * (1.0 - x * x / 3.0))
            } else {
                1.0 - wide_erfc(x)
            }
        }),
        ("erfc", erfc, wide_erfc),
    ];
    for (name, function, wanted) in pairs {
        let (mut worst, mut at) = (0.0, 0.0);
        for x in singles() {
            let result = function(x);
            let wanted = wanted(f64::from(x));
            let error = if wanted == 0.0 {
                f64::from(result) / f64::from(f32::from_bits(1))
            } else {
                error_single(result, wanted)
            };
            if error > worst || error.is_nan() {
                (worst, at) = (error, x);
            }
            let mirrored = function(-x);
            match name {
                "cos" => assert_eq!(mirrored.to_bits(), result.to_bits(), "cos {x:e}"),
                "erfc" => assert!(error_single(mirrored, 2.0 - wanted) < 2.0, "erfc {:e}", -x),
                _ => assert_eq!(mirrored.to_bits(), (-result).to_bits(), "{name} {x:e}"),
            }
        }
        assert!(worst > 0.4 && worst < 2.0, "{name} {at:e}: {worst}");
    }
}

#[test]
fn single_angles_within_2_units() {
    let (mut worst, mut at, mut state) = (0.0, [0.0; 2], 3);
    let mut coordinate = |is_near: bool| match is_near {
        true => (random(&mut state) * 8.0 - 4.0) as f32,
        false => f32::from_bits((random(&mut state) * 4_294_967_295.0) as u32),
    };
    for k in 0..400_000 {
        let [mut y, x] = [coordinate(k % 2 == 0), coordinate(k % 2 == 0)];
        if k % 8 == 0 {
            y = x * [1.0, 0.414_213_56, 2.414_213_6, -1.0][k / 8 % 4]; // near the borders of eighths
        }
        if !(x.is_finite() && y.is_finite()) || y == 0.0 {
            continue;
        }
        let wanted = f64::from(y).atan2(f64::from(x));
        let error = if wanted.abs() < 1e-45 {
            0.0
        } else {
            error_single(atan2(y, x), wanted)
        };
        if error > worst || error.is_nan() {
            (worst, at) = (error, [y, x]);
        }
    }
    assert!(worst > 0.4 && worst < 2.0, "{at:?}: {worst}");
}

/// Results that mpmath computed.
#[test]
fn double_of_all_sizes_within_2_units() {
    let mut worst = std::collections::BTreeMap::new();
    let lines = include_str!("functions.txt")
        .lines()
        .filter(|line| !line.starts_with('#'));
    for line in lines {
        let (name, numbers) = line.split_once(' ').unwrap();
        let numbers: Vec<f64> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
        let (arguments, [high, low]) = numbers.split_last_chunk().unwrap();
        let found = match (name, arguments) {
            ("sin", [x]) => sin(*x),
            ("cos", [x]) => cos(*x),
            ("tan", [x]) => tan(*x),
            ("tanh", [x]) => tanh(*x),
            ("erf", [x]) => erf(*x),
            ("erfc", [x]) => erfc(*x),
            ("atan2", [y, x]) => atan2(*y, *x),
            _ => panic!("{line}"),
        };
        // In two factors, which no exponent is too small for.
        let unit = (high.abs().log2().floor() as i32).max(-1022) - 52;
        let [m, n] = [-(unit / 2), unit / 2 - unit].map(|k| 2f64.powi(k));
        let error = ((found - high) * m * n - low * m * n).abs();
        assert!(error < 2.0, "{line}: {found:e} is {error} units off");
        let most = worst.entry(name).or_insert(error);
        *most = error.max(*most);
    }
    assert!(
        worst.len() == 7 && worst.values().all(|&worst| worst > 0.4),
        "{worst:?}"
    );
}

/// The least and the largest numbers there are.
#[test]
fn extreme_values() {
    assert_eq!((exp(-103.9f32), exp(-104.1f32)), (f32::from_bits(1), 0.0));
    assert_eq!((exp(-745.1f64), exp(-745.2f64)), (f64::from_bits(1), 0.0));
    assert!(exp(88.7f32) < f32::INFINITY && exp(88.73f32) == f32::INFINITY);
    assert!(exp(709.7f64) < f64::INFINITY && exp(709.8f64) == f64::INFINITY);
    assert!((log(f32::from_bits(1)) + 103.278_93).abs() < 1e-5);
    assert!((log(f64::from_bits(1)) + 744.440_071_921_381_3).abs() < 1e-12);
    let (least, largest) = (f32::from_bits(1), f32::MAX);
    for same in [sin, tan, tanh, erf] {
        assert_eq!(same(least), least);
    }
    assert_eq!((cos(least), erfc(least)), (1.0, 1.0));
    assert_eq!(
        (atan2(least, 1.0), atan2(least, largest), atan2(least, least)),
        (least, 0.0, std::f32::consts::FRAC_PI_4)
    );
    assert_eq!(
        (atan2(largest, least), atan2(least, -1.0)),
        (std::f32::consts::FRAC_PI_2, std::f32::consts::PI)
    );
    assert_eq!((erfc(10.054f32), erfc(10.055f32), erfc(-10.1f32)), (least, 0.0, 2.0));
    let (least, largest) = (f64::from_bits(1), f64::MAX);
    for same in [sin, tan, tanh, erf] {
        assert_eq!(same(least), least);
    }
    assert_eq!(
        (atan2(least, 1.0), atan2(least, largest), atan2(least, least)),
        (least, 0.0, std::f64::consts::FRAC_PI_4)
    );
    assert_eq!((erfc(27.22f64), erfc(27.24f64), erfc(-30.0f64)), (least, 0.0, 2.0));
}
