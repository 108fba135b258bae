//! The precisions of functions: operations and constants.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// Operations that the functions need of a precision.
pub trait Float:
    Copy
    + Default
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    const ONE: Self;
    const HALF: Self;
    const INFINITE: Self;
    const NOT_A_NUMBER: Self;
    /// 1 / ln 2.
    const LOG2_E: Self;
    /// ln 2 in two parts: the product of the first and any exponent is exact.
    const LN_2: [Self; 2];
    /// 1/3 in two parts.
    const THIRD: [Self; 2];
    /// 1/n! from the smallest down to 1/2!.
    const EXP: &'static [Self];
    /// 1/(2n + 1) from the smallest to 1/5.
    const LOG: &'static [Self];
    /// A number of a smaller magnitude is its own sine and tangent.
    const TINY: Self;
    /// A quotient is smaller than that if its exponent is.
    const TINY_EXPONENT: Self;
    /// pi/2 in two parts: products of the first and 1, 3/2 and 2 are exact.
    const PI_2: [Self; 2];
    /// The sine of x is x + x^3 times this polynomial of x^2.
    const SIN: &'static [Self];
    /// The cosine of x is 1 - x^2/2 + x^4 times this polynomial of x^2.
    const COS: &'static [Self];
    /// For numbers up to tan(pi/8), atan of x is x + x^3 times this polynomial of x^2.
    const ATAN: &'static [Self];
    /// For numbers up to 0.55, tanh of x is x + x^3 times this polynomial of x^2.
    const TANH: &'static [Self];
    /// For numbers up to 0.5, erf of x is x + x times this polynomial of x^2.
    const ERF: &'static [Self];
    /// For numbers from 0.5 to `ERFC_END`, (1 + 2x) exp(x^2) erfc(x) is the sum of these two and of t times the
    /// polynomial of t = (x - 3)/(x + 3).
    const ERFC_FIRST: [Self; 2];
    const ERFC: &'static [Self];
    /// erfc of larger numbers is 0.
    const ERFC_END: Self;
    /// Exponents beyond which exp is 0 or infinite.
    const EXP_RANGE: [Self; 2];
    /// A larger exponent changes no power of a number other than 1.
    const LARGEST_EXPONENT: Self;
    /// `2^s + 1`: splits a number into two halves of its digits.
    const SPLITTER: Self;
    /// Exact.
    fn of(x: f32) -> Self;
    /// Whether its sign bit is set.
    fn is_negative(self) -> bool;
    /// Without its sign.
    fn magnitude(self) -> Self;
    /// With its sign changed if `changes` is set.
    fn negated_if(self, changes: bool) -> Self;
    /// The largest whole number that is not larger.
    fn floor(self) -> Self;
    /// `self * 2^k`, rounded once. `self` is near 1.
    fn scaled(self, k: Self) -> Self;
    /// `m` from about 0.7 to about 1.4, and `k`, with `self = m * 2^k`; `self` is positive and finite.
    fn parts(self) -> (Self, Self);
    /// The number of quarter turns nearest to `self`, modulo 4, and the rest in quarter turns, as the sum of two
    /// numbers. `self` is from pi/4 up, and finite.
    fn quarter_turns(self) -> (u32, [Self; 2]);
}

macro_rules! float {
    (
        $type:ident, $bits:ident, $double:ident, $int:ident, $digits:literal, $bias:literal, $two_over_pi:ident,
        { $($constants:tt)* }
    ) => {
        impl Float for $type {
            const ONE: $type = 1.0;
            const HALF: $type = 0.5;
            const INFINITE: $type = $type::INFINITY;
            const NOT_A_NUMBER: $type = $type::NAN;
            const LOG2_E: $type = std::$type::consts::LOG2_E;
            $($constants)*

            fn of(x: f32) -> $type {
                $type::from(x)
            }

            #[inline(always)]
            fn is_negative(self) -> bool {
                self.is_sign_negative()
            }

            #[inline(always)]
            fn magnitude(self) -> $type {
                self.abs()
            }

            #[inline(always)]
            fn negated_if(self, changes: bool) -> $type {
                if changes { -self } else { self }
            }

            #[inline(always)]
            fn floor(self) -> $type {
                $type::floor(self)
            }

            #[inline(always)]
            fn scaled(self, k: $type) -> $type {
                // Two factors, so that each is a number of its own: only the last product can be rounded.
                let whole = k as $int;
                let (first, second) = (whole >> 1, whole - (whole >> 1));
                let power = |k: $int| $type::from_bits(((k + $bias) as $bits) << $digits);
                self * power(first) * power(second)
            }

            #[inline(always)]
            fn parts(self) -> ($type, $type) {
                const LIFT: $int = $digits + 2;
                let is_small = self < $type::MIN_POSITIVE;
                let lift = $type::from_bits(((LIFT + $bias) as $bits) << $digits);
                let (normal, lifted) = if is_small { (self * lift, LIFT) } else { (self, 0) };
                let bits = normal.to_bits();
                let exponent = (bits >> $digits) as $int - $bias - lifted;
                let one: $bits = ($bias as $bits) << $digits;
                let m = $type::from_bits(bits & ((1 << $digits) - 1) | one);
                if m > std::$type::consts::SQRT_2 {
                    (m * 0.5, (exponent + 1) as $type)
                } else {
                    (m, exponent as $type)
                }
            }

            fn quarter_turns(self) -> (u32, [$type; 2]) {
                // self = m * 2^e. Of the digits of 2/pi, those whose product with 2^e is a multiple of 4 do not matter.
                // The three words from there on make the product right to 2^-70 or 2^-137, and the rest of no number is
                // below 2^-31 or 2^-62.
                const WORD: u32 = $bits::BITS;
                let bits = self.to_bits();
                let m = $double::from(bits & ((1 << $digits) - 1) | 1 << $digits);
                let first = (bits >> $digits) as u32 + (WORD - 2) - ($bias + $digits);
                let word = |k: u32| {
                    let at = (first / WORD + k) as usize;
                    let two = $double::from($two_over_pi[at]) << WORD | $double::from($two_over_pi[at + 1]);
                    two << (first % WORD) >> WORD & $double::from($bits::MAX)
                };
                let low = m * word(2);
                let middle = m * word(1) + (low >> WORD);
                let high = (m * word(0) + (middle >> WORD)) as $bits;
                // In quarter turns: two digits before the point, and then those of a rest that is negative from 1/2 on.
                let quarters = (high >> (WORD - 3)).wrapping_add(1) >> 1;
                let upper = $double::from(high) << WORD | $double::from(middle as $bits);
                let rest = upper << 2 | $double::from(low as $bits >> (WORD - 2));
                let is_negative = rest >> (2 * WORD - 1) == 1;
                let magnitude = if is_negative { rest.wrapping_neg() } else { rest } | 1;
                let zeros = magnitude.leading_zeros();
                let digits = magnitude << zeros;
                let part = |skipped: u32| {
                    let digits = (digits << skipped >> (2 * WORD - ($digits + 1))) as $type;
                    let power = $bias - (zeros + skipped + $digits + 1) as $int;
                    (digits * $type::from_bits((power as $bits) << $digits)).negated_if(is_negative)
                };
                ((quarters & 3) as u32, [part(0), part($digits + 1)])
            }
        }
    };
}

/// The binary digits of 2/pi after a word of zeros.
const TWO_OVER_PI_32: [u32; 8] = [
    0,
    0xa2f9_836e,
    0x4e44_1529,
    0xfc27_57d1,
    0xf534_ddc0,
    0xdb62_9599,
    0x3c43_9041,
    0xfe51_63ab,
];

/// The same in words of 64 bits.
const TWO_OVER_PI_64: [u64; 20] = [
    0,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
];

float!(f32, u32, u64, i32, 23, 127, TWO_OVER_PI_32, {
    const LN_2: [f32; 2] = [f32::from_bits(0x3f31_7200), f32::from_bits(0x35bf_be8e)];
    const THIRD: [f32; 2] = [1.0 / 3.0, -9.934_108e-9];
    const EXP: &'static [f32] = &[1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5];
    const LOG: &'static [f32] = &[1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0];
    const TINY: f32 = 1.0 / (1 << 14) as f32;
    const TINY_EXPONENT: f32 = -15.0;
    const PI_2: [f32; 2] = [f32::from_bits(0x3fc9_0fd0), f32::from_bits(0x35aa_2217)];
    const SIN: &'static [f32] = &[1.0 / 362_880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0];
    const COS: &'static [f32] = &[-1.0 / 3_628_800.0, 1.0 / 40_320.0, -1.0 / 720.0, 1.0 / 24.0];
    const ATAN: &'static [f32] = &[-0.064_513_534, 0.107_435_58, -0.142_639_4, 0.199_995_4, -0.333_333_3];
    const TANH: &'static [f32] = &[
        -0.006_610_227_7,
        0.021_309_389,
        -0.053_909_43,
        0.133_331_13,
        -0.333_333_3,
    ];
    const ERF: &'static [f32] = &[
        0.004_719_082_7,
        -0.026_757_732,
        0.112_828_314,
        -0.376_126_08,
        0.128_379_17,
    ];
    const ERFC_FIRST: [f32; 2] = [1.253_008, 5.081_751_2e-8];
    const ERFC: &'static [f32] = &[
        -0.000_192_574_23,
        -0.000_699_082_4,
        0.001_958_010_5,
        0.002_510_527_8,
        -0.023_789_601,
        0.068_309_84,
        -0.119_271_5,
        0.129_645_1,
        -0.047_562_38,
        -0.135_621_1,
    ];
    const ERFC_END: f32 = 10.1;
    const EXP_RANGE: [f32; 2] = [-104.0, 89.0];
    const LARGEST_EXPONENT: f32 = (1u64 << 33) as f32;
    const SPLITTER: f32 = 4097.0;
});

float!(f64, u64, u128, i64, 52, 1023, TWO_OVER_PI_64, {
    const LN_2: [f64; 2] = [
        f64::from_bits(0x3fe6_2e42_fee0_0000),
        f64::from_bits(0x3dea_39ef_3579_3c76),
    ];
    const THIRD: [f64; 2] = [1.0 / 3.0, 1.850_371_707_708_594e-17];
    const EXP: &'static [f64] = &[
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
    ];
    const LOG: &'static [f64] = &[
        1.0 / 25.0,
        1.0 / 23.0,
        1.0 / 21.0,
        1.0 / 19.0,
        1.0 / 17.0,
        1.0 / 15.0,
        1.0 / 13.0,
        1.0 / 11.0,
        1.0 / 9.0,
        1.0 / 7.0,
        1.0 / 5.0,
    ];
    const TINY: f64 = 1.0 / (1 << 28) as f64;
    const TINY_EXPONENT: f64 = -29.0;
    const PI_2: [f64; 2] = [
        f64::from_bits(0x3ff9_21fb_5444_2d10),
        f64::from_bits(0x3ce0_8d31_3198_a2e0),
    ];
    const SIN: &'static [f64] = &[
        1.0 / 355_687_428_096_000.0,
        -1.0 / 1_307_674_368_000.0,
        1.0 / 6_227_020_800.0,
        -1.0 / 39_916_800.0,
        1.0 / 362_880.0,
        -1.0 / 5040.0,
        1.0 / 120.0,
        -1.0 / 6.0,
    ];
    const COS: &'static [f64] = &[
        1.0 / 20_922_789_888_000.0,
        -1.0 / 87_178_291_200.0,
        1.0 / 479_001_600.0,
        -1.0 / 3_628_800.0,
        1.0 / 40_320.0,
        -1.0 / 720.0,
        1.0 / 24.0,
    ];
    const ATAN: &'static [f64] = &[
        -0.019_172_815_803_997_56,
        0.039_228_333_433_540_44,
        -0.050_853_346_335_956_86,
        0.058_581_269_138_719_85,
        -0.066_645_089_146_449_15,
        0.076_921_830_109_964_17,
        -0.090_909_045_703_820_37,
        0.111_111_110_150_658,
        -0.142_857_142_846_641_72,
        0.199_999_999_999_955_1,
        -0.333_333_333_333_333_3,
    ];
    const TANH: &'static [f64] = &[
        -2.060_276_537_636_634e-5,
        8.511_313_685_577_672e-5,
        -0.000_234_634_741_088_723_7,
        0.000_588_936_052_007_405_7,
        -0.001_455_661_830_100_716,
        0.003_592_110_378_689_024,
        -0.008_863_234_397_814_355,
        0.021_869_488_493_666_944,
        -0.053_968_253_967_434_016,
        0.133_333_333_333_327_14,
        -0.333_333_333_333_333_3,
    ];
    const ERF: &'static [f64] = &[
        1.472_586_548_055_674_4e-6,
        -1.484_584_925_970_786_9e-5,
        0.000_120_533_351_243_537_41,
        -0.000_854_829_775_367_496_6,
        0.005_223_977_373_021_47,
        -0.026_866_170_632_887_928,
        0.112_837_916_709_253_53,
        -0.376_126_389_031_834_76,
        0.128_379_167_095_512_56,
    ];
    const ERFC_FIRST: [f64; 2] = [1.253_008_058_269_729_6, 4.431_567_205_356_214e-17];
    const ERFC: &'static [f64] = &[
        -4.479_678_454_351_181e-9,
        -1.057_542_658_749_9e-8,
        3.468_921_198_516_769_4e-8,
        9.854_743_608_024_783e-8,
        -1.349_098_264_966_204_6e-7,
        -6.143_735_294_631_944e-7,
        3.531_227_989_017_023_7e-7,
        3.471_449_406_239_056e-6,
        -7.302_517_936_799_855e-7,
        -2.010_031_084_397_341e-5,
        4.949_229_719_923_908e-6,
        0.000_125_099_311_639_807_02,
        -0.000_105_159_771_247_040_49,
        -0.000_779_832_269_076_208_1,
        0.001_888_690_357_739_496_2,
        0.002_529_391_816_118_22,
        -0.023_770_514_918_630_58,
        0.068_308_027_343_954_84,
        -0.119_273_663_415_308_37,
        0.129_645_158_702_761_8,
        -0.047_562_294_353_450_74,
        -0.135_621_106_124_581_2,
    ];
    const ERFC_END: f64 = 27.3;
    const EXP_RANGE: [f64; 2] = [-746.0, 710.0];
    const LARGEST_EXPONENT: f64 = (1u128 << 64) as f64;
    const SPLITTER: f64 = 134_217_729.0;
});

/// A polynomial with its coefficients from the highest power down, by Horner's rule.
#[inline(always)]
pub fn polynomial<F: Float>(coefficients: &[F], x: F) -> F {
    coefficients[1..]
        .iter()
        .fold(coefficients[0], |sum, &next| sum * x + next)
}

#[allow(clippy::eq_op)] // only NaN differs from itself
pub fn is_nan<F: Float>(x: F) -> bool {
    x != x
}
