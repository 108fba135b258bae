//! One rank that differs from the others: all ranks return, with one status and one text, and afterwards all go on.

use crate::domain::TieRule;
use crate::error::{Error, Result, Status};
use crate::exclusions::ExcludedIds;
use crate::formula::{Formula, SumPrecision, TableOf};
use crate::groups::Properties;
use crate::kinds::GhostPairs;
use crate::list::Out;
use crate::measure::Measure;
use crate::points::{PointsView, Precision};
use crate::radii::RadiusRule;
use crate::random::Random;
use crate::ranks::fake::on_ranks;
use crate::ranks::{Comm, Nearest, Need, Ranks};
use crate::search::{KnnKind, NeighborsKind, PairFieldAsked, RadiiAsked, RadiusRange, Search};

const RANKS: usize = 3;

/// Texts that read the fields `m` and `v`, a constant and a table in one way or another.
const TEXTS: [&str; 6] = [
    "rho += m_j*a*w(r)\nt all+= rho_i",
    "m = m_i*1.5\nrho += m_j\nu = rho_i + m_i\nt all+= u_i",
    "s_ij = s_ij + m_j\np += s_ij",
    "q += v_j",
    "x_i = x_i + a*0.001\nrho += m_j\nm = m_i + rho_i\nt all+= m_i",
    "q += 1",
];

const KINDS: [NeighborsKind; 3] = [NeighborsKind::Half, NeighborsKind::Full, NeighborsKind::Queries];

/// All that a rank sets and calls.
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
    /// Of `m` and `v`: whether it is there, in real32, and the components.
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

    /// Differs in one thing.
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

/// The handle of a rank.
struct Rank {
    search: Search,
    ranks: Ranks,
    seed: u64,
}

impl Rank {
    fn new(comm: &Comm, seed: u64) -> Rank {
        let mut search = Search::new().unwrap();
        search.set_threads(1).unwrap();
        search.set_backend(crate::plan::Backend::Cpu);
        Rank {
            search,
            ranks: Ranks::new(comm.clone()),
            seed,
        }
    }

    /// Makes all settings those given, and the call.
    fn run(&mut self, given: &Given) -> Result<Vec<u64>> {
        match given.single {
            true => self.set::<f32>(given).and_then(|()| self.call::<f32>(given)),
            false => self.set::<f64>(given).and_then(|()| self.call::<f64>(given)),
        }
    }

    fn numbers<T: Precision>(&self, count: usize, which: u64) -> Vec<T> {
        let mut random = Random(self.seed ^ self.ranks.comm().rank() as u64 * 77 + which * 1001);
        (0..count).map(|_| T::from_f64(random.uniform())).collect()
    }

    /// Calls without ranks may fail. Then the handle has what it had.
    fn set<T: Precision>(&mut self, given: &Given) -> Result<()> {
        let [n, queries] = given.counts;
        let (dim, rank) = (given.dim, self.ranks.comm().rank());
        let search = &mut self.search;
        search.clear_radii();
        let base = search.set_index_base(given.base);
        let length = given.length.unwrap_or(1.0);
        let boxed = search.set_box(&vec![0.0; dim], &vec![length; dim], &vec![given.length.is_some(); dim]);
        let rest = [
            base,
            boxed,
            search.set_cutoff(given.cutoff),
            search.set_skin(given.skin),
            search.set_knn_within(given.within),
        ];
        search.set_tie_rule(given.tie_rule);
        search.set_ghost_pairs(given.pairs);
        let types: Vec<i32> = (0..n).map(|k| given.base as i32 + (k % 2) as i32).collect();
        let masks = [[true; 4], [true, false, false, true]];
        let types = match given.types {
            0 => search.set_types(&[], &[]),
            which => search.set_types(&types, &masks[which - 1]),
        };
        let cutoffs = search.set_type_cutoffs(if given.cutoffs { &[0.4, 0.2, 0.2, 0.3] } else { &[] });
        rest.into_iter().chain([types, cutoffs]).for_each(|done| done.unwrap());
        let coords = self.numbers::<T>(n * dim, 0);
        let view = PointsView::interleaved(dim, &coords)?;
        let Rank { search, ranks, .. } = self;
        ranks.each(search, "set_points", Ok(()), |search, ()| search.set_points(&view))?;
        let coords = self.numbers::<T>(queries * dim, 1);
        let view = PointsView::interleaved(dim, &coords)?;
        let Rank { search, ranks, .. } = self;
        ranks.each(search, "set_queries", Ok(()), |search, ()| search.set_queries(&view))?;
        let ids: Vec<i64> = (0..n).map(|k| 100 - (10 * rank + k) as i64).collect();
        self.ranks.set_ids(if given.ids { &ids } else { &[] })?;
        let offsets = vec![given.base; if given.excludes { n + 1 } else { 0 }];
        self.ranks
            .set_exclusions(ExcludedIds::new(&offsets, &[], None, given.base)?);
        if let Some(rule) = given.radii {
            self.search.set_radii(&vec![T::from_f64(0.3); n], rule)?;
        }
        if given.query_radii || given.radii.is_some() {
            self.search.set_query_radii(&vec![T::from_f64(0.25); queries])?;
        }
        for (name, (is_there, single, vector)) in ["m", "v"].into_iter().zip(given.fields) {
            // Without values of as many points it is as good as not there.
            let count = if is_there { n } else { n + 1 };
            let components = if vector { dim } else { 1 };
            match single {
                true => self
                    .search
                    .set_field(name, &self.numbers::<f32>(count * components, 2), components)?,
                false => self
                    .search
                    .set_field(name, &self.numbers::<f64>(count * components, 2), components)?,
            }
            let values = self.numbers::<f32>(queries * components, 3);
            self.search.set_query_field(name, &values, components)?;
        }
        Ok(())
    }

    fn formula(given: &Given) -> Formula {
        let mut formula = Formula::new(TEXTS[given.text]).unwrap();
        if given.double {
            formula.set_precision(SumPrecision::Double);
        }
        let _ = formula.set_constant("a", given.constant);
        let _ = formula.set_table("w", TableOf::R, [0.0, 1.0], &[2.0, given.table, 0.0]);
        formula
    }

    fn call<T: Precision>(&mut self, given: &Given) -> Result<Vec<u64>> {
        let (kind, n) = (KINDS[given.kind], given.counts[0]);
        let coords = self.numbers::<T>(n * given.dim, 0);
        let view = PointsView::interleaved(given.dim, &coords)?;
        let Rank { search, ranks, .. } = self;
        let mut made = Vec::new();
        match given.call {
            0 | 1 => {
                ranks.run(search, Ok((&mut Rank::formula(given), kind, given.times)))?;
                let size = search.size_of("rho", crate::fields::Of::Points).unwrap_or_default();
                made.extend(size.map(|size| size as u64));
            }
            2 => ranks.together(search, "rows", Ok((Need::Rows(kind), ())), |search, (), _| {
                let rows = search.neighbors(kind)?;
                made.extend(rows.offsets.iter().map(|&offset| offset as u64));
                Ok(())
            })?,
            3 => {
                let properties = Properties::<T>::default();
                made.extend(
                    ranks
                        .groups(search, Ok((1, &properties)))?
                        .labels
                        .iter()
                        .map(|&label| label as u64),
                );
            }
            4 => {
                let kind = [KnnKind::Others, KnnKind::All, KnnKind::Queries][given.kind];
                let (k, measure) = (3, Measure::Square);
                let (_, found) = ranks.knn::<T, _>(search, Ok((Nearest { kind, k, measure }, ())))?;
                made.extend(found.show::<T>().distances.iter().map(|d2| d2.to_f64().to_bits()));
            }
            5 => {
                ranks.together(search, "rows to update", Ok((Need::Rows(kind), ())), |_, (), _| Ok(()))?;
                made.push(ranks.update_all(search, Ok((view, ())))?.0.into());
            }
            6 => {
                let mut formula = Rank::formula(given);
                let range = RadiusRange {
                    smallest: 0.01,
                    largest: 0.3,
                    tolerance: 1e-3,
                    max_iterations: 9,
                };
                let (formula, field, target) = (&mut formula, "q", 1.5);
                let asked = RadiiAsked {
                    formula,
                    kind,
                    field,
                    target,
                    range,
                };
                let solved = ranks.solve_radii::<T, _>(search, Ok((asked, ())))?.1;
                made.extend(solved.radii.iter().map(|radius| radius.to_f64().to_bits()));
            }
            7 => {
                let offsets = vec![given.base; n + 1];
                let name = if given.pair_field.0 { "s" } else { "other" };
                let asked = PairFieldAsked::<T> {
                    name,
                    offsets: &offsets,
                    ids: &[],
                    values: &[],
                    components: 1,
                };
                ranks.set_pair_field(search, Ok(asked))?;
            }
            8 => {
                ranks.together(search, "rows to send along", Ok((Need::Rows(kind), ())), |_, (), _| {
                    Ok(())
                })?;
                let width = if given.pair_field.1 { 4 } else { 8 };
                let from = vec![1; n * width];
                let mut to = vec![0u8; ranks.ghost_ids.len() * width];
                ranks.halo_exchange(search, Ok((width, &from, Out::new(&mut to))))?;
                made.extend(to.into_iter().map(u64::from));
            }
            _ => made.push(ranks.plan_migration(search, Ok((view, None)))? as u64),
        }
        Ok(made)
    }
}

/// The end of a call.
type End = std::result::Result<Vec<u64>, (Status, String)>;

/// The ends of a call on all ranks: as all were given, as one was given something else, and as all were given once more.
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

/// All ranks end alike, and as they did before once they are given the same again. Returns the end with one that differs.
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

/// The number of rounds: a few, or as many as `NEARGRID_TEST_ROUNDS` says.
fn rounds() -> u64 {
    std::env::var("NEARGRID_TEST_ROUNDS").map_or(150, |text| text.parse().unwrap())
}

/// Random settings and calls, of which one rank has one that is different.
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
        let _ = check(seed, &counts, &given, (odd, &other));
    }
}
