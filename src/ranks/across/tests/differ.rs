//! One rank that differs from the others. All ranks return the same status and text, and can go on afterwards.

mod rank;

use crate::domain::TieRule;
use crate::error::{Error, Status};
use crate::kinds::GhostPairs;
use crate::points::PointsView;
use crate::radii::RadiusRule;
use crate::random::Random;
use crate::ranks::fake::on_ranks;
use crate::search::NeighborsKind;
use rank::Rank;

const RANKS: usize = 3;

/// Texts that read the fields `m` and `v`, a constant and a table in different ways.
const TEXTS: [&str; 6] = [
    "rho += m_j*a*w(r)\nt all+= rho_i",
    "m = m_i*1.5\nrho += m_j\nt all+= rho_i + m_i",
    "s_ij = s_ij + m_j\np += s_ij",
    "q += v_j",
    "x_i = x_i*(1 + a*0.001)\nrho += m_j\nm = m_i + rho_i\nt all+= m_i",
    "q += 1",
];

const KINDS: [NeighborsKind; 3] = [NeighborsKind::Half, NeighborsKind::Full, NeighborsKind::Queries];

/// Settings and calls of a rank.
#[derive(Clone, Debug, PartialEq)]
struct Given {
    counts: [usize; 2],
    single: bool,
    dim: usize,
    cutoff: f64,
    skin: f64,
    within: f64,
    tie_rule: TieRule,
    base: i64,
    length: Option<f64>,
    types: usize,
    cutoffs: bool,
    pairs: GhostPairs,
    radii: Option<RadiusRule>,
    query_radii: bool,
    ids: bool,
    excludes: bool,
    /// Properties of `m` and `v`: whether the field is set, whether it is in real32, and whether it is a vector.
    fields: [(bool, bool, bool); 2],
    pair_field: (bool, bool, bool),
    text: usize,
    double: bool,
    constant: f64,
    table: f64,
    times: i64,
    kind: usize,
    call: usize,
}

const CALLS: usize = 10;
const CHANGES: usize = 27;

impl Given {
    fn new(random: &mut Random) -> Given {
        let mut of = |n: u64| random.bits() % n;
        let (dim, queries) = (1 + of(3) as usize, of(3) as usize);
        Given {
            counts: [0, queries],
            single: of(2) == 0,
            dim,
            cutoff: 0.4,
            skin: [0.0, 0.05][of(2) as usize],
            within: 0.0,
            tie_rule: TieRule::Inclusive,
            base: of(2) as i64,
            length: (of(2) == 0).then_some(1.0),
            types: [0, 0, 1][of(3) as usize],
            cutoffs: false,
            pairs: GhostPairs::LargerIds,
            radii: (of(4) == 0).then_some(RadiusRule::Max),
            query_radii: false,
            ids: of(2) == 0,
            excludes: of(4) == 0,
            fields: [(true, of(2) == 0, false), (true, of(2) == 0, true)],
            pair_field: (of(2) == 0, of(2) == 0, false),
            text: of(TEXTS.len() as u64) as usize,
            double: of(2) == 0,
            constant: 0.5,
            table: 1.0,
            times: 1 + of(2) as i64,
            kind: of(3) as usize,
            call: of(CALLS as u64 + 4).saturating_sub(4) as usize,
        }
    }

    /// Changes one setting.
    fn change(&mut self, which: usize, random: &mut Random) {
        match which {
            0 => self.single ^= true,
            1 => self.dim = 1 + self.dim % 3,
            2 => self.cutoff = 0.3,
            3 => self.skin = 0.1,
            4 => self.within = 0.2,
            5 => self.tie_rule = TieRule::Exclusive,
            6 => self.base ^= 1,
            7 => self.length = if self.length.is_none() { Some(1.5) } else { None },
            8 => self.length = Some(1.25),
            9 => self.types = (self.types + 1) % 3,
            10 => self.types = (self.types + 2) % 3,
            11 => self.cutoffs = true,
            12 => self.pairs = GhostPairs::All,
            13 => {
                let other = Some(RadiusRule::Min).filter(|_| random.bits().is_multiple_of(2));
                self.radii = if self.radii.is_none() {
                    Some(RadiusRule::Max)
                } else {
                    other
                };
            }
            14 => self.query_radii ^= true,
            15 => self.ids ^= true,
            16 => self.excludes ^= true,
            17 => self.fields[0].0 = false,
            18 => self.fields[0].1 ^= true,
            19 => self.fields[1].1 ^= true,
            20 => self.fields[1].2 ^= true,
            21 => self.pair_field.0 ^= true,
            22 => self.constant = 0.75,
            23 => self.table = 1.5,
            24 => self.text = (self.text + 1 + random.bits() as usize % (TEXTS.len() - 1)) % TEXTS.len(),
            25 => self.kind = (self.kind + 1) % 3,
            _ => self.call = (self.call + 1 + random.bits() as usize % (CALLS - 1)) % CALLS,
        }
    }
}

/// The outcome of a call.
type End = std::result::Result<Vec<u64>, (Status, String)>;

/// The outcomes of three calls on all ranks: with the same settings, with other settings on one rank, and with the first ones
/// again.
fn ends(seed: u64, counts: &[[usize; 2]; RANKS], given: &Given, (odd, other): (usize, &Given)) -> Vec<[End; 3]> {
    on_ranks(RANKS, |comm| {
        let (rank, mut handle) = (comm.rank(), Rank::new(comm, seed));
        let told = |error: Error| (error.status(), error.to_string());
        let with = |given: &Given| Given {
            counts: counts[rank],
            ..given.clone()
        };
        let all = with(given);
        let mine = with(if rank == odd { other } else { given });
        [&all, &mine, &all].map(|given| handle.run(given).map_err(told))
    })
}

/// Checks that all ranks have the same outcome, and that the third call has that of the first. Returns the outcome with one rank
/// that differs.
fn check(seed: u64, counts: &[[usize; 2]; RANKS], given: &Given, other: (usize, &Given)) -> End {
    let shown = || format!("seed {seed}: {counts:?} {given:?}\non rank {} {:?}", other.0, other.1);
    let all = ends(seed, counts, given, other);
    for step in 0..3 {
        let error = |end: &[End; 3]| end[step].clone().err();
        assert!(
            all.iter().all(|end| error(end) == error(&all[0])),
            "{all:?}\n{}",
            shown()
        );
    }
    assert!(all.iter().all(|end| end[0] == end[2]), "{all:?}\n{}", shown());
    all[0][1].clone()
}

/// The number of rounds: a few, or the value of `NEARGRID_TEST_ROUNDS`.
fn rounds() -> u64 {
    std::env::var("NEARGRID_TEST_ROUNDS").map_or(150, |text| text.parse().unwrap())
}

/// A field of another precision or shape, or another box, precision or table on one rank is a disagreement. It is also one if that
/// rank has only queries.
#[test]
fn one_setting() {
    let counts = [[8, 0], [0, 2], [8, 1]];
    type Change = (usize, usize, usize, fn(&mut Given), &'static str);
    let changes: [Change; 6] = [
        (0, 0, 0, |given| given.fields[0].1 = true, "field = 'm' of points"),
        (3, 0, 1, |given| given.fields[1].2 = false, "field = 'v' of points"),
        (0, 0, 2, |given| given.table = 1.25, "table = 'w'"),
        (0, 2, 1, |given| given.length = Some(1.5), "box"),
        (0, 2, 1, |given| given.single = true, "precision"),
        (4, 0, 1, |given| given.single = true, "precision"),
    ];
    for (text, call, odd, change, said) in changes {
        let mut given = Given::new(&mut Random(5));
        given = Given {
            dim: 2,
            single: false,
            length: Some(1.0),
            types: 0,
            radii: None,
            ids: false,
            excludes: false,
            fields: [(true, false, false), (true, false, true)],
            pair_field: (false, false, false),
            text,
            kind: if call == 2 { 2 } else { 1 },
            call,
            ..given
        };
        let mut other = given.clone();
        change(&mut other);
        let (status, told) = check(1, &counts, &given, (odd, &other)).unwrap_err();
        assert_eq!(status, Status::Disagreement, "{told}");
        assert!(told.contains(said), "{told}");
    }
}

/// Groups are found again after another index base and cutoff have removed ghosts.
#[test]
fn groups_after_ghosts() {
    on_ranks(2, |comm| {
        let Rank {
            mut search, mut ranks, ..
        } = Rank::new(comm, 1);
        search.set_cutoff(1.5).unwrap();
        let coords = [comm.rank() as f64];
        let view = PointsView::interleaved(1, &coords).unwrap();
        let set = ranks.each(&mut search, "set_points", Ok(()), |search, ()| search.set_points(&view));
        set.unwrap();
        for (base, cutoff, groups) in [(0, 1.5, 1), (1, 0.1, 2), (0, 1.5, 1)] {
            search.set_index_base(base).unwrap();
            search.set_cutoff(cutoff).unwrap();
            assert_eq!(ranks.fof(&mut search, Ok(())).unwrap().1.groups, groups);
        }
    });
}

/// Random settings and calls. One of them differs on one rank.
#[test]
fn at_random() {
    let first: u64 = std::env::var("NEARGRID_TEST_SEED").map_or(1, |text| text.parse().unwrap_or(1));
    for seed in first..first + rounds() {
        let mut random = Random(seed);
        let counts = std::array::from_fn(|_| {
            let of = [0, 1, 4, 8][(random.bits() % 4) as usize];
            [of, (random.bits() % 3) as usize]
        });
        let given = Given::new(&mut random);
        let mut other = given.clone();
        other.change(random.bits() as usize % CHANGES, &mut random);
        let odd = random.bits() as usize % RANKS;
        println!("seed {seed}: {counts:?} {given:?}\non rank {odd}: {other:?}");
        let end = check(seed, &counts, &given, (odd, &other));
        println!("{:?}", end.map(|_| ()));
    }
}
