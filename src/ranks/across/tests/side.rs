//! One of the ranks, or the search of all points: the calls of a sequence, and their results by global numbers.

use super::world::{World, mass};
use crate::error::Result;
use crate::formula::{Formula, SumPrecision};
use crate::kinds::GhostPairs;
use crate::plan::Backend;
use crate::points::PointsView;
use crate::ranks::{Comm, Meeting, Need, Ranks};
use crate::search::{Counter, NeighborList, NeighborsKind, Search};

/// A row: the global number of its point or query, and those of its entries, in their order.
pub type Row = (i64, Vec<i64>);

/// Results of a call: rows of this side, and what is the same on all ranks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Got {
    pub rows: Vec<Row>,
    /// Values of the points of this side, by global number.
    pub values: Vec<(i64, Vec<u64>)>,
    pub numbers: Vec<u64>,
    /// Counts, which add up over ranks.
    pub counts: Vec<i64>,
}

/// One of the ranks, or the search of all points.
pub struct Side {
    pub search: Search,
    pub ranks: Option<Ranks>,
    /// The points of this side, by their places in the world.
    pub mine: Vec<usize>,
    pub queries: Vec<usize>,
}

pub const TEXT: &str = "rho += m_j*(1 - r/c)\n\
                    f += (rho_j - rho_i)*d\n\
                    bonded += class*m_j\n\
                    total all+= rho_i*m_i\n\
                    most all max= rho_i\n\
                    m = m_i + 0.001*dot(f_i, f_i)";

impl Side {
    pub fn new(comm: Option<&Comm>, world: &World) -> Side {
        let mut search = Search::new().unwrap();
        search.set_threads(1 + world.random_seed as i64 % 2).unwrap();
        search.set_index_base(world.random_seed as i64 / 2 % 2).unwrap();
        search.set_ghost_pairs(GhostPairs::LargerIds);
        search.set_backend(comm.map_or(Backend::Cpu, |_| world.backend));
        if let Some((vectors, periodic)) = &world.cell {
            search.set_cell(vectors, *periodic).unwrap();
        } else if world.periodic {
            let (lo, length, periodic) = ([0.0; 3], [1.0; 3], [true, false, true]);
            search
                .set_box(&lo[..world.dim], &length[..world.dim], &periodic[..world.dim])
                .unwrap();
        }
        Side {
            search,
            ranks: comm.map(|comm| Ranks::new(comm.clone())),
            mine: Vec::new(),
            queries: Vec::new(),
        }
    }

    pub fn together<R: Default>(
        &mut self,
        kind: NeighborsKind,
        work: impl FnOnce(&mut Search) -> Result<R>,
    ) -> Result<R> {
        let mut got = R::default();
        let asked = Ok((Need::Rows(kind), ()));
        let work = |search: &mut Search, (), _: &Meeting| {
            got = work(search)?;
            Ok(())
        };
        match &mut self.ranks {
            Some(ranks) => ranks.together(&mut self.search, "rows", asked, work)?,
            None => work(&mut self.search, (), &Meeting::alone())?,
        }
        Ok(got)
    }

    pub fn coords(&self, world: &World, points: &[usize]) -> Vec<f64> {
        let of = |&point: &usize| world.coords[point][..world.dim].to_vec();
        points.iter().flat_map(of).collect()
    }

    /// Sets the points of this side, and what they have.
    pub fn set_points(&mut self, world: &World) -> Result<()> {
        let me = self.ranks.as_ref().map(|ranks| ranks.comm().rank());
        let is_mine = |&point: &usize| me.is_none_or(|me| world.owners[point] == me);
        self.mine = (0..world.coords.len()).filter(is_mine).collect();
        if me.is_none() {
            // Without ids, points are numbered rank by rank.
            self.mine.sort_by_key(|&point| world.number(point));
        }
        self.queries.clear();
        self.set_kinds(world)?;
        let coords = self.coords(world, &self.mine);
        let view = PointsView::interleaved(world.dim, &coords)?;
        match &mut self.ranks {
            Some(ranks) => ranks.each(&mut self.search, "set_points", Ok(()), |search, ()| {
                search.set_points(&view)
            })?,
            None => self.search.set_points(&view)?,
        }
        self.set_ids(world)?;
        self.set_masses(world)
    }

    /// Appends points that came to the world last, from number `first` on, and gives all what they have.
    pub fn add_points(&mut self, world: &World, first: usize) -> Result<()> {
        let me = self.ranks.as_ref().map(|ranks| ranks.comm().rank());
        let is_mine = |&point: &usize| me.is_none_or(|me| world.owners[point] == me);
        let added: Vec<usize> = (first..world.coords.len()).filter(is_mine).collect();
        let coords = self.coords(world, &added);
        let view = PointsView::interleaved(world.dim, &coords)?;
        match &mut self.ranks {
            Some(ranks) => ranks.each(&mut self.search, "add_points", Ok(()), |search, ()| {
                search.add_points(&view)
            })?,
            None => self.search.add_points(&view)?,
        }
        self.mine.extend(added);
        self.queries.clear();
        self.set_kinds(world)?;
        self.set_ids(world)?;
        self.set_masses(world)
    }

    fn set_ids(&mut self, world: &World) -> Result<()> {
        let ids: Vec<i64> = self.mine.iter().map(|&point| world.number(point)).collect();
        match &mut self.ranks {
            Some(ranks) => ranks.set_ids(if world.with_ids { &ids } else { &[] })?,
            None => self.search.set_ids(&ids)?,
        }
        self.set_excluded(world)
    }

    fn set_masses(&mut self, world: &World) -> Result<()> {
        let masses: Vec<f64> = self.mine.iter().map(|&point| mass(world, point)).collect();
        self.search.set_field("m", &masses, 1)
    }

    pub fn set_kinds(&mut self, world: &World) -> Result<()> {
        if self.ranks.is_none() {
            // Across ranks the setting is about points of other ranks.
            let has_roles = world.roles.is_some();
            let pairs = if has_roles {
                GhostPairs::All
            } else {
                GhostPairs::LargerIds
            };
            self.search.set_ghost_pairs(pairs);
        }
        let base = self.search.index_base() as i32;
        let types: Vec<i32> = match &world.types {
            Some(types) => (self.mine.iter())
                .map(|&point| types[point] * world.apart + base)
                .collect(),
            None => Vec::new(),
        };
        let has_types = !types.is_empty();
        let mask = has_types.then_some([true, false, false, true]);
        self.search.set_types(&types, &table(world.apart, mask))?;
        let primary = world.primary.filter(|_| has_types).map(|[a, b]| [a, b, b, b]);
        let primary = table(world.apart, primary);
        self.search.set_primary_types(&primary[..primary.len().isqrt()])?;
        let cutoffs = world.cutoffs.filter(|_| has_types);
        self.search.set_type_cutoffs(&table(world.apart, cutoffs))?;
        self.set_roles(world)?;
        match &world.radii {
            Some((radii, rule)) => {
                let radii: Vec<f64> = self.mine.iter().map(|&point| radii[point]).collect();
                self.search.set_radii(&radii, *rule)
            }
            None => {
                self.search.remove_radii(false);
                Ok(())
            }
        }
    }

    /// Sets some of all points, a little moved, as queries of this side.
    pub fn set_queries(&mut self, world: &World, count: usize) -> Result<()> {
        let me = self
            .ranks
            .as_ref()
            .map(|ranks| (ranks.comm().rank(), ranks.comm().size()));
        let is_mine = |&query: &usize| me.is_none_or(|(me, size)| (query * 7 + 3) % size == me);
        self.queries = (0..count.min(world.coords.len())).filter(is_mine).collect();
        let moved: Vec<f64> = (self.coords(world, &self.queries).iter())
            .map(|coord| coord + 0.01)
            .collect();
        let view = PointsView::interleaved(world.dim, &moved)?;
        match &mut self.ranks {
            Some(ranks) => ranks.each(&mut self.search, "set_queries", Ok(()), |search, ()| {
                search.set_queries(&view)
            }),
            None => self.search.set_queries(&view),
        }
    }

    pub fn update(&mut self, world: &World) -> Result<bool> {
        let coords = self.coords(world, &self.mine);
        let view = PointsView::interleaved(world.dim, &coords)?;
        match &mut self.ranks {
            Some(ranks) => ranks
                .update_all(&mut self.search, Ok((view, ())))
                .map(|(rebuilt, ())| rebuilt),
            None => self.search.update(&view),
        }
    }

    /// The global numbers of all points that rows may name, by their numbers in rows.
    pub fn numbers(&self, world: &World) -> Vec<i64> {
        let mut numbers: Vec<i64> = self.mine.iter().map(|&point| world.number(point)).collect();
        numbers.extend(self.ranks.iter().flat_map(|ranks| &ranks.ghost_ids));
        let base = self.search.index_base();
        match world.with_ids || self.ranks.is_none() {
            true => numbers,
            // Numbers of ranks begin at the index base.
            false => {
                let owned = self.mine.len();
                numbers[owned..].iter_mut().for_each(|number| *number -= base);
                numbers
            }
        }
    }

    pub fn rows(&mut self, world: &World, kind: NeighborsKind) -> Result<Got> {
        let (offsets, ids) = self.together(kind, |search| {
            let found = search.neighbors(kind)?;
            Ok((found.offsets.to_vec(), found.ids.to_vec()))
        })?;
        assert_eq!(self.search.counter(Counter::Active), self.active_of(world) as i64);
        Ok(Got {
            rows: self.named(world, kind, &offsets, &ids),
            ..Got::default()
        })
    }

    /// The same rows in other forms.
    pub fn forms(&mut self, world: &World, kind: NeighborsKind) -> Result<Got> {
        let rows = self.rows(world, kind)?;
        let (count, width) = (self.search.rows(kind), world.coords.len());
        let (ids, counts, list) = self.together(kind, |search| {
            let (mut ids, mut counts) = (vec![0; count * width], vec![0; count]);
            search.padded_neighbors(kind, width, &mut ids, &mut counts)?;
            let mut list = NeighborList::new();
            search.take_neighbors(kind, &mut list)?;
            Ok((ids, counts, list))
        })?;
        let list = list.neighbors();
        assert_eq!(self.named(world, kind, list.offsets, list.ids), rows.rows);
        for ((row, ids), count) in list.offsets.windows(2).zip(ids.chunks(width.max(1))).zip(counts) {
            let from = (row[0] - self.search.index_base()) as usize;
            assert_eq!(ids[..count as usize], list.ids[from..from + count as usize]);
            assert_eq!(i64::from(count), row[1] - row[0]);
        }
        Ok(rows)
    }

    /// A Verlet list has all pairs.
    pub fn verlet(&mut self, world: &World, kind: NeighborsKind) -> Result<Got> {
        let (offsets, ids) = self.together(kind, |search| {
            let list = search.verlet_list(kind)?.neighbors;
            Ok((list.offsets.to_vec(), list.ids.to_vec()))
        })?;
        let listed = self.named(world, kind, &offsets, &ids);
        let rows = self.rows(world, kind)?;
        for (row, listed) in rows.rows.iter().zip(listed) {
            assert!(row.1.iter().all(|id| listed.1.contains(id)));
        }
        Ok(rows)
    }

    pub fn named(&self, world: &World, kind: NeighborsKind, offsets: &[i64], ids: &[i32]) -> Vec<Row> {
        let (numbers, base) = (self.numbers(world), self.search.index_base());
        let of_rows: Vec<i64> = match kind {
            NeighborsKind::Queries => self.queries.iter().map(|&query| query as i64).collect(),
            _ => numbers[..self.mine.len()].to_vec(),
        };
        assert_eq!(offsets.len(), of_rows.len() + 1);
        let name = |&id: &i32| numbers[(i64::from(id) - base) as usize];
        let row = |k: usize| {
            let [from, to] = [k, k + 1].map(|k| (offsets[k] - base) as usize);
            ids[from..to].iter().map(name).collect()
        };
        of_rows
            .into_iter()
            .enumerate()
            .map(|(k, number)| (number, row(k)))
            .collect()
    }

    pub fn chunks(&mut self, world: &World, kind: NeighborsKind) -> Result<Got> {
        let most = world.coords.len() as i64 + 3;
        let (mut offsets, mut ids) = (Vec::new(), Vec::new());
        self.together(kind, |search| search.chunks(kind, most).map(|_| ()))?;
        let base = self.search.index_base();
        offsets.push(base);
        while let Some(chunk) = self.search.next_chunk()? {
            let first = ids.len() as i64;
            offsets.extend(chunk.offsets[1..].iter().map(|offset| offset + first));
            ids.extend_from_slice(chunk.ids);
        }
        Ok(Got {
            rows: self.named(world, kind, &offsets, &ids),
            ..Got::default()
        })
    }

    pub fn pairs(&mut self, world: &World) -> Result<Got> {
        let pairs = self.together(NeighborsKind::Half, |search| {
            let pairs = search.pairs()?;
            let pairs = [pairs.left.to_vec(), pairs.right.to_vec()];
            let mut distances = vec![0.0; pairs[0].len()];
            search.pair_distances::<f64>(&pairs[0], &pairs[1], &mut distances)?;
            Ok((pairs, distances))
        })?;
        let (numbers, base) = (self.numbers(world), self.search.index_base());
        let name = |id: i32| numbers[(i64::from(id) - base) as usize];
        let ([left, right], distances) = pairs;
        let rows = left.into_iter().zip(right).zip(distances);
        Ok(Got {
            rows: rows
                .map(|((left, right), distance)| (name(left), vec![name(right), distance.to_bits() as i64]))
                .collect(),
            ..Got::default()
        })
    }

    pub fn run(&mut self, world: &World, kind: NeighborsKind, times: i64) -> Result<Got> {
        let moves = times > 1 && kind == NeighborsKind::Full;
        let text = [TEXT, if moves { "\nx_i = x_i + 0.0001*f_i" } else { "" }].concat();
        let mut formula = Formula::new(&text)?;
        formula.set_precision(SumPrecision::Double);
        match &mut self.ranks {
            Some(ranks) => ranks.run(&mut self.search, Ok((&mut formula, kind, times)))?,
            None => self.search.run(&mut formula, kind, times)?,
        }
        let mut values = Vec::new();
        for &point in &self.mine {
            values.push((world.number(point), Vec::new()));
        }
        for name in ["rho", "f", "bonded", "m"] {
            let [width, _] = self.search.field_size(name)?;
            let field = self.search.field::<f64>(name)?;
            assert_eq!(field.len(), width * values.len());
            for ((_, to), from) in values.iter_mut().zip(field.chunks(width)) {
                to.extend(from.iter().map(|number| number.to_bits()));
            }
        }
        if moves {
            // All sides go on from where the world has the points.
            self.update(world)?;
        }
        let numbers = ["total", "most"].map(|name| formula.number(name).unwrap().to_bits());
        Ok(Got {
            values,
            numbers: numbers.to_vec(),
            ..Got::default()
        })
    }

    pub fn histogram(&mut self, kind: NeighborsKind, cutoff: f64) -> Result<Got> {
        let edges = [0.0, 0.3 * cutoff, 0.5 * cutoff, cutoff];
        let counts = self.together(kind, |search| {
            let mut counts = vec![0; 3];
            search.histogram(kind, &edges, &mut counts)?;
            Ok(counts)
        })?;
        Ok(Got {
            counts,
            ..Got::default()
        })
    }
}

/// The table of two types that are so far apart; empty without one.
fn table<V: Copy>(apart: i32, of_two: Option<[V; 4]>) -> Vec<V> {
    let apart = apart as usize;
    let pairs = (0..=apart).flat_map(|a| (0..=apart).map(move |b| a / apart * 2 + b / apart));
    of_two.map_or(Vec::new(), |of_two| pairs.map(|pair| of_two[pair]).collect())
}
