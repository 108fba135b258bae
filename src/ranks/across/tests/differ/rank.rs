//! A rank that makes given settings and calls.

use super::{Given, KINDS, TEXTS};
use crate::error::Result;
use crate::exclusions::ExcludedIds;
use crate::formula::{Formula, SumPrecision, TableOf};
use crate::groups::Properties;
use crate::list::Out;
use crate::measure::Measure;
use crate::points::{PointsView, Precision};
use crate::random::Random;
use crate::ranks::{Comm, Nearest, Need, Ranks};
use crate::search::{KnnKind, PairFieldAsked, RadiiAsked, RadiusRange, Search};

/// The handle of a rank.
pub struct Rank {
    pub search: Search,
    pub ranks: Ranks,
    seed: u64,
}

impl Rank {
    pub fn new(comm: &Comm, seed: u64) -> Rank {
        let mut search = Search::new().unwrap();
        search.set_threads(1).unwrap();
        search.set_backend(crate::plan::Backend::Cpu);
        Rank {
            search,
            ranks: Ranks::new(comm.clone()),
            seed,
        }
    }

    /// Makes the given settings, and then the call.
    pub fn run(&mut self, given: &Given) -> Result<Vec<u64>> {
        match given.single {
            true => self.set::<f32>(given).and_then(|()| self.call::<f32>(given)),
            false => self.set::<f64>(given).and_then(|()| self.call::<f64>(given)),
        }
    }

    fn numbers<T: Precision>(&self, count: usize, which: u64) -> Vec<T> {
        let mut random = Random(self.seed ^ (self.ranks.comm().rank() as u64 * 77 + which * 1001));
        (0..count).map(|_| T::from_f64(random.uniform())).collect()
    }

    /// Calls that are not collective may fail. Then the handle keeps its settings.
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
            // A field without a value for each point counts as not set.
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
