//! Texts that are read in one way: which operator comes first, components, powers, and lines that go on.

use super::*;
use crate::run::{Setting, check};

const TEXTS: [(usize, &str); 5] = [
    (
        1,
        "a += d.x*v_j.x.x + (v_i - v_j).x; b += vector(m_j*r); half += m_i.x/2.",
    ),
    (
        2,
        "w = v_i - v_j; turn += cross(w, d)/r2; a += vector(-d.y, d.x)*m_j; xy += (v_i - v_j).x*w.y ! a comment\n\
         b max= vector(1, r) + d; half += -d.x^2*.5; back += -d/2; e min= max(W(r),\n   min(m_i, p_j)) # goes on in parentheses",
    ),
    (
        3,
        "w = v_i - v_j; spin += cross(w, d)/r2; z += cross(d, v_j).z; a += vector(w.z, m_i, 1)*r\n\
         zz += (d.z\n * 2); own += dot(cross(v_i, v_j), cross(v_i, v_j)); drag += (v_i - v_j)*(1 - r/c)",
    ),
    (
        2,
        "q = r/c\na += q^-3 + (-2)^3 - 2^-2 - q**7\nb += -q^2 - 2*-q - 2^3^2*q + q^0\ne += q/3/7 - (q - 1 - 2) + +q + m_i^0.5",
    ),
    (
        2,
        "far = r2 > 0.25*c^2; near = not far; a += select(1, 2, far or near and m_j > 0); b += select(1, 2, not far and m_i > 0)\n\
         e += select(1, 2, not not far or not near and not far); g += select(1, 2, m_i > 0 and m_j > 0 and far or not(\n far # or\n or near))",
    ),
];

#[test]
fn texts() {
    for (which, (dim, text)) in TEXTS.into_iter().enumerate() {
        let coords = Random(which as u64).cloud(dim, 100);
        let single: Vec<f32> = coords.iter().map(|&x| x as f32).collect();
        let setting = Setting::new(dim, [0.05, 0.2, 0.35][dim - 1]);
        check_place::<f32>(&check::<f64, f32>(&setting, &coords, text, 1, 1));
        check_place::<f64>(&check::<f64, f64>(&setting, &coords, text, 1, 2));
        check_place::<f32>(&check::<f32, f32>(&setting, &single, text, 1, 3));
        check_place::<f64>(&check::<f32, f64>(&setting, &single, text, 1, 4));
    }
}
