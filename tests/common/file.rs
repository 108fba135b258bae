//! The file of cases that the C and Fortran tests read.

use std::io::Write;
use std::path::Path;

use neargrid::{Real, TieRule};

use super::{Case, all_cases, is_whole, periodic_cases, ruled_cases};

/// Writes clouds in open domains and periodic boxes, some of them with types and ghosts, with the oracle's answers for the C and
/// Fortran tests: every seventh, and all with `NEARGRID_TEST_ALL`. The Rust tests give all of them to the core that C and Fortran
/// call. Native bytes: int64 number of cases; for each
/// int32 dim, int32 bytes of a real, int32 rule (0 inclusive, 1 exclusive), int64 n, real64 cutoff,
/// int32 periodic(3), real64 lo(3), real64 length(3), int64 n_active (-1 for all), int32 ntypes (0 for none),
/// with types int32 types(n) from 0 on and int32 mask(ntypes * ntypes),
/// n * dim reals, int64 npairs, int32 pair_i(npairs), int32 pair_j(npairs), both 0-based.
pub fn case_file(path: &Path) {
    let (mut cases, periodic) = (all_cases(), periodic_cases());
    let ruled = [ruled_cases(&cases, 13), ruled_cases(&periodic, 5)];
    cases.extend(periodic);
    cases.extend(ruled.into_iter().flatten());
    let every = if is_whole() { 1 } else { 7 };
    write_cases(path, &cases.into_iter().step_by(every).collect::<Vec<_>>());
}

/// A file as [`case_file`] writes it, of these cases.
pub fn write_cases(path: &Path, cases: &[Case]) {
    let mut bytes = Vec::new();
    let mut count = 0i64;
    for case in cases {
        count += append::<f32>(case, &mut bytes) + append::<f64>(case, &mut bytes);
    }
    let mut file = std::fs::File::create(path).unwrap();
    file.write_all(&count.to_ne_bytes()).unwrap();
    file.write_all(&bytes).unwrap();
}

fn append<T: Real>(case: &Case, bytes: &mut Vec<u8>) -> i64 {
    if !case.fits::<T>() {
        return 0;
    }
    let coords = case.coords_as::<T>();
    for number in [
        case.dim as i32,
        size_of::<T>() as i32,
        (case.rule == TieRule::Exclusive) as i32,
    ] {
        bytes.extend(number.to_ne_bytes());
    }
    bytes.extend(((coords.len() / case.dim) as i64).to_ne_bytes());
    bytes.extend(case.cutoff.to_ne_bytes());
    append_rules(case, bytes);
    for c in coords {
        match size_of::<T>() {
            4 => bytes.extend((c.to_f64() as f32).to_ne_bytes()),
            _ => bytes.extend(c.to_f64().to_ne_bytes()),
        }
    }
    let pairs = case.truth::<T>();
    bytes.extend((pairs.len() as i64).to_ne_bytes());
    bytes.extend(pairs.iter().flat_map(|p| p.0.to_ne_bytes()));
    bytes.extend(pairs.iter().flat_map(|p| p.1.to_ne_bytes()));
    1
}

fn append_rules(case: &Case, bytes: &mut Vec<u8>) {
    let Case { domain, rules, .. } = case;
    bytes.extend(domain.periodic.iter().flat_map(|&p| i32::from(p).to_ne_bytes()));
    bytes.extend(domain.lo.iter().chain(&domain.length).flat_map(|x| x.to_ne_bytes()));
    bytes.extend(rules.active.map_or(-1, |active| active as i64).to_ne_bytes());
    let mask = if rules.types.is_empty() { &[][..] } else { &rules.mask };
    bytes.extend((mask.len().isqrt() as i32).to_ne_bytes());
    bytes.extend(rules.types.iter().flat_map(|t| t.to_ne_bytes()));
    bytes.extend(mask.iter().flat_map(|&m| i32::from(m).to_ne_bytes()));
}
