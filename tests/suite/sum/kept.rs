//! Sums one after another: what was counted for one serves the next as long as its rows are the same, and no longer. Each is compared
//! with that of a handle that was made for it alone, on the CPU.

use neargrid::{Backend, Counter, TieRule};

use super::*;
use crate::common::Domain;

const N: usize = 3600;

/// Points in one place: more than a block has room for.
const CROWD: usize = 1200;

/// All that rows depend on, and the rows of the sum.
#[derive(Clone)]
struct State {
    cloud: usize,
    cutoff: f64,
    tie_rule: TieRule,
    with_types: bool,
    active: Option<i64>,
    length: Option<f64>,
    kind: NeighborsKind,
    base: i64,
}

impl State {
    fn new() -> State {
        State {
            cloud: 0,
            cutoff: 0.125,
            tie_rule: TieRule::Inclusive,
            with_types: false,
            active: None,
            length: None,
            kind: NeighborsKind::Full,
            base: 0,
        }
    }

    /// Points on a lattice, so that many distances are equal to the cutoff; in the last cloud many are in one place.
    fn coords(&self) -> Vec<f32> {
        let mut random = Random(self.cloud as u64);
        let coords: Vec<f32> = random
            .cloud(3, N)
            .iter()
            .map(|x| (x * 32.0).floor() as f32 / 32.0)
            .collect();
        match self.cloud {
            3 => (coords.iter().enumerate())
                .map(|(k, x)| if k / 3 % 2 == 0 && k / 6 < CROWD { 0.5 } else { *x })
                .collect(),
            _ => coords,
        }
    }

    fn set_points(&self, search: &mut Search) {
        search
            .set_points(&PointsView::interleaved(3, &self.coords()).unwrap())
            .unwrap();
    }

    fn set_types(&self, search: &mut Search) {
        let base = self.base as i32;
        let types: Vec<i32> = (0..N as i32).map(|k| k % 7 / 5 + base).collect();
        let (types, mask) = match self.with_types {
            true => (&types[..], &[false, true, true, true][..]),
            false => (&[][..], &[][..]),
        };
        search.set_types(types, mask).unwrap();
    }

    fn set_box(&self, search: &mut Search) {
        let domain = self
            .length
            .map_or_else(Domain::default, |length| Domain::periodic(0.0, length));
        domain.set(search, 3);
    }

    fn set_all(&self, search: &mut Search) {
        search.set_index_base(self.base).unwrap();
        search.set_cutoff(self.cutoff).unwrap();
        search.set_tie_rule(self.tie_rule);
        search.set_active(self.active).unwrap();
        self.set_types(search);
        self.set_box(search);
        self.set_points(search);
    }

    /// Another state; the search gets it.
    fn changed(&mut self, search: &mut Search, random: &mut Random) {
        match random.below(8) {
            0 => self.cloud = random.below(4),
            1 => self.cutoff = [0.125, 0.1875][random.below(2)],
            2 => self.tie_rule = [TieRule::Inclusive, TieRule::Exclusive][random.below(2)],
            3 => self.with_types = !self.with_types,
            4 => self.active = [None, Some(N as i64 - 300)][random.below(2)],
            5 => self.length = [None, Some(1.0), Some(1.5)][random.below(3)],
            6 => self.base = 1 - self.base,
            _ => self.kind = [NeighborsKind::Full, NeighborsKind::Half][random.below(2)],
        }
        search.set_index_base(self.base).unwrap();
        search.set_cutoff(self.cutoff).unwrap();
        search.set_tie_rule(self.tie_rule);
        search.set_active(self.active).unwrap();
        match random.below(2) {
            0 => self.set_all(search),
            _ => {
                self.set_types(search);
                self.set_box(search);
                self.set_points(search);
            }
        }
    }
}

/// A search that other queries use too.
fn ask(search: &mut Search, random: &mut Random) {
    match random.below(5) {
        0 => drop(search.neighbors(NeighborsKind::Full).unwrap()),
        1 => drop(search.neighbors(NeighborsKind::Half).unwrap()),
        2 => drop(search.count_neighbors(NeighborsKind::Full).unwrap()),
        3 => drop(search.count_pairs().unwrap()),
        _ => {
            let mut chunks = search.chunks(NeighborsKind::Full, 5000 + N as i64).unwrap();
            chunks.next().unwrap();
        }
    }
}

/// A sum by a formula, with or without the point itself.
fn sum(search: &mut Search, which: usize, kind: NeighborsKind) {
    let texts = [
        "rho += m_j*(1 - r/c)^2; n += 1",
        "n += m_i - m_j; rho max= dot(d, d)*m_j",
    ];
    let mass: Vec<f32> = (0..N).map(|k| 0.5 + (k % 13) as f32 / 8.0).collect();
    let mut formula = Formula::new(texts[which % 2]).unwrap();
    search.set_field("m", &mass, 1).unwrap();
    formula.set_precision(SumPrecision::Single);
    formula.set_include_self(which >= 2);
    search.run(&mut formula, kind, 1).unwrap();
}

fn check_sum(search: &mut Search, state: &State, which: usize, about: &str) {
    sum(search, which, state.kind);
    check_place::<f32>(search);
    let mut alone = Search::new().unwrap();
    alone.set_backend(Backend::Cpu);
    state.set_all(&mut alone);
    sum(&mut alone, which, state.kind);
    for name in ["n", "rho"] {
        let [found, wanted] = [&mut *search, &mut alone].map(|search| search.field::<f32>(name).unwrap());
        let at = (0..wanted.len()).find(|&k| !found[k].is_same(wanted[k]));
        assert_eq!(at.map(|k| (k, found[k], wanted[k])), None, "{about}: {name}");
    }
}

/// In any order of calls, with anything changed between.
#[test]
fn any_order() {
    let mut search = Search::new().unwrap();
    let (mut state, mut random) = (State::new(), Random(52));
    state.set_all(&mut search);
    for step in 0..60 {
        let doing = random.below(6);
        match doing {
            0 | 1 => state.changed(&mut search, &mut random),
            2 => ask(&mut search, &mut random),
            3 if step % 5 == 0 => search.trim().unwrap(),
            _ => (),
        }
        let about = format!("step {step}, cloud {}, {:?}", state.cloud, state.kind);
        check_sum(&mut search, &state, random.below(4), &about);
    }
}

/// Whether a device sums that has little room for hits.
fn is_small() -> bool {
    std::env::var("NEARGRID_GPU_MASK").is_ok_and(|mask| mask.contains("binding="))
}

/// Whether a device sums, which has room for the hits of all blocks.
fn keeps(search: &Search) -> bool {
    search.info().contains("formula: on the device") && !is_small()
}

/// A sum over the rows of the sum before tests no distance. Crowds are known once they were seen.
#[test]
fn a_second_sum_tests_nothing() {
    for cloud in [0, 3] {
        for with_types in [false, true] {
            let mut search = Search::new().unwrap();
            let mut state = State {
                cloud,
                with_types,
                ..State::new()
            };
            state.set_all(&mut search);
            for kind in [NeighborsKind::Full, NeighborsKind::Half] {
                state.kind = kind;
                let sums_until_known = if cloud == 3 { 2 } else { 1 };
                for k in 0..sums_until_known {
                    check_sum(&mut search, &state, k, "first");
                }
                for k in 0..3 {
                    let about = format!("cloud {cloud}, types: {with_types}, {kind:?}, sum {k}");
                    check_sum(&mut search, &state, k, &about);
                    let tests = search.counter(Counter::DistanceTests);
                    assert!(tests == 0 || !keeps(&search), "{about}: {tests} tests");
                    // The test of a little room has too little for these.
                    assert!(tests > 0 || !is_small() || kind == NeighborsKind::Half, "{about}");
                }
                state.set_points(&mut search);
                check_sum(&mut search, &state, 0, "new points");
                assert!(
                    search.counter(Counter::DistanceTests) > 0 || !keeps(&search),
                    "not counted"
                );
            }
        }
    }
}

/// A list keeps its hits where there are not too many for each point; then a sum over the same rows tests no distance either.
#[test]
fn a_sum_after_a_list_tests_nothing() {
    for with_types in [false, true] {
        let (mut search, mut least) = (Search::new().unwrap(), i64::MAX);
        for cutoff in [0.125, 0.1875, 0.25, 0.375] {
            let state = State {
                cutoff,
                with_types,
                ..State::new()
            };
            state.set_all(&mut search);
            search.count_neighbors(state.kind).unwrap();
            check_sum(&mut search, &state, 1, "after a list");
            least = least.min(search.counter(Counter::DistanceTests));
        }
        let is_kept = keeps(&search) && !with_types; // rows that list nothing have sums, but no blocks in a list
        assert!(least == 0 || !is_kept, "types: {with_types}, {least} tests");
    }
}

/// The same where a device has no room for the hits of all blocks at once.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices_without_room() {
    Again::only(module_path!(), &["any_order", "a_second"], "any_order").on_devices(&[("binding=589824", "")]);
}
