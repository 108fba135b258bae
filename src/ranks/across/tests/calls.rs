//! Calls of a side beside rows of one cutoff: lists by several cutoffs, radii that are sought, k nearest, groups.

use std::collections::BTreeMap;

use super::side::{Got, Side};
use super::world::{World, mass};
use crate::error::Result;
use crate::exclusions::ExcludedIds;
use crate::formula::{Formula, SumPrecision};
use crate::groups::{Properties, Totals};
use crate::kinds::Role;
use crate::measure::Measure;
use crate::ranks::mail::Reader;
use crate::ranks::{Meeting, Nearest, Need};
use crate::search::{KnnKind, NeighborList, NeighborsKind, PairFieldAsked, RadiiAsked, RadiusRange, Search};

/// Rows by the ids of their points: ids of partners, and values.
type Saved = BTreeMap<i64, (Vec<i64>, Vec<f64>)>;

impl Side {
    /// The id that the library knows a point by.
    fn id(&self, world: &World, point: usize) -> i64 {
        // Numbers of ranks begin at the index base.
        let from = match world.with_ids || self.ranks.is_none() {
            true => 0,
            false => self.search.index_base(),
        };
        world.number(point) + from
    }

    /// Sets pairs that are excluded, by global ids.
    pub fn set_excluded(&mut self, world: &World) -> Result<()> {
        let base = self.search.index_base();
        let (mut offsets, mut ids, mut shifts, mut classes) = (vec![base], Vec::new(), Vec::new(), Vec::new());
        for &point in &self.mine {
            let with_all = || {
                world
                    .excluded(point)
                    .map(|(other, class)| (other, [0; 3], class))
                    .collect()
            };
            for (other, shift, class) in world.excluded_images(point).unwrap_or_else(with_all) {
                ids.push(self.id(world, other));
                shifts.push(shift);
                classes.push(class);
            }
            offsets.push(base + ids.len() as i64);
        }
        if !world.excludes {
            offsets.clear();
        }
        let len = if world.excludes { ids.len() } else { 0 };
        let (ids, classes) = (&ids[..len], Some(&classes[..len]));
        let shifts = world.excluded_images(0).map(|_| &shifts[..len]);
        match &mut self.ranks {
            Some(ranks) => {
                ranks.set_exclusions(ExcludedIds::new(&offsets, ids, classes, base)?.of_images(shifts, base)?);
                Ok(())
            }
            None => self.search.set_exclusions_by_ids_shifts(&offsets, ids, shifts, classes),
        }
    }

    /// Rows by two cutoffs, those of the larger one after the others.
    pub fn by_cutoffs(&mut self, world: &World, kind: NeighborsKind, cutoff: f64) -> Result<Got> {
        let cutoffs = [0.6 * cutoff, 1.2 * cutoff];
        let mut lists = [NeighborList::new(), NeighborList::new()];
        let asked = Ok((Need::Within(kind, cutoffs[1]), ()));
        let mut work =
            |search: &mut Search, (), _: &Meeting| search.take_neighbors_by_cutoffs(kind, &cutoffs, &mut lists);
        match &mut self.ranks {
            Some(ranks) => ranks.together(&mut self.search, "by_cutoffs", asked, work)?,
            None => work(&mut self.search, (), &Meeting::alone())?,
        }
        let mut got = Got::default();
        for (k, list) in lists.iter().enumerate() {
            let list = list.neighbors();
            let rows = self.named(world, kind, list.offsets, list.ids);
            got.rows
                .extend(rows.into_iter().map(|(row, ids)| (row + 1000 * k as i64, ids)));
        }
        Ok(got)
    }

    /// The radius of each point at which a weighted number of neighbors is reached.
    pub fn solve_radii(&mut self, world: &World) -> Result<Got> {
        let mut formula = Formula::new("n += m_j*(1 - r/c)")?;
        formula.set_precision(SumPrecision::Double);
        formula.set_include_self(true);
        let (kind, field, target) = (NeighborsKind::Full, "n", 3.0);
        let range = RadiusRange {
            smallest: 0.01,
            largest: 0.2,
            tolerance: 1e-6,
            max_iterations: 40,
        };
        let solved = match &mut self.ranks {
            Some(ranks) => {
                let formula = &mut formula;
                let asked = RadiiAsked {
                    formula,
                    kind,
                    field,
                    target,
                    range,
                };
                ranks.solve_radii::<f64, _>(&mut self.search, Ok((asked, ())))?.1
            }
            None => (self.search).solve_radii::<f64>(&mut formula, kind, (field, target), &range)?,
        };
        let found = solved.radii.iter().zip(&solved.outcomes);
        let found = found.map(|(radius, outcome)| vec![radius.to_bits(), *outcome as u64]);
        let active = self.mine.iter().filter(|&&point| world.role(point) == Role::Active);
        let numbers = active.map(|&point| world.number(point));
        Ok(Got {
            values: numbers.zip(found).collect(),
            ..Got::default()
        })
    }

    /// A run that moves the points by a pair field, three times, and what it pulls. The pair field lives on, wherever points are.
    pub fn springs(&mut self, world: &World) -> Result<Got> {
        let text = "spring_ij = spring_ij + m_j*d\npull += spring_ij\nx_i = x_i + 0.0003*pull_i";
        let mut formula = Formula::new(text)?;
        formula.set_precision(SumPrecision::Double);
        let (kind, times) = (NeighborsKind::Full, 3);
        match &mut self.ranks {
            Some(ranks) => ranks.run(&mut self.search, Ok((&mut formula, kind, times)))?,
            None => self.search.run(&mut formula, kind, times)?,
        }
        let pull = self.search.field::<f64>("pull")?;
        let each = self.mine.iter().zip(pull.chunks(world.dim));
        let values = each.map(|(&point, pull)| (world.number(point), pull.iter().map(|pull| pull.to_bits()).collect()));
        let values = values.collect();
        // All sides go on from where the world has the points.
        self.update(world)?;
        Ok(Got {
            values,
            ..Got::default()
        })
    }

    /// All that `springs` leaves, from all sides: the rows by ids, as a file would have them.
    fn saved(&self, world: &World) -> Result<Saved> {
        let found = self.search.pair_field_by_ids::<f64>("spring")?;
        let (base, dim, mut words) = (self.search.index_base(), found.components, Vec::new());
        for (&point, ends) in self.mine.iter().zip(found.offsets.windows(2)) {
            let [begin, end] = [0, 1].map(|k| (ends[k] - base) as usize);
            words.extend([self.id(world, point), (end - begin) as i64]);
            words.extend_from_slice(&found.ids[begin..end]);
            let values = &found.values[begin * dim..end * dim];
            words.extend(values.iter().map(|value| value.to_bits() as i64));
        }
        let all = match &self.ranks {
            Some(ranks) => ranks
                .comm()
                .all_gather(bytemuck::cast_slice(&words))?
                .iter()
                .collect::<Vec<_>>()
                .concat(),
            None => bytemuck::cast_slice(&words).to_vec(),
        };
        let (mut reader, mut saved) = (Reader(&all), Saved::new());
        while !reader.0.is_empty() {
            let (id, entries) = (reader.one::<i64>(), reader.one::<i64>() as usize);
            let partners = reader.take::<i64>(entries).collect();
            saved.insert(id, (partners, reader.take::<f64>(entries * dim).collect()));
        }
        Ok(saved)
    }

    /// Springs that are saved, half as strong in the file, and read where the points are then: `spread` puts them elsewhere.
    pub fn restart(&mut self, world: &mut World, spread: impl FnOnce(&mut World)) -> Result<Got> {
        self.springs(world)?;
        let saved = self.saved(world)?;
        spread(world);
        self.set_points(world)?;
        let base = self.search.index_base();
        let (mut offsets, mut ids, mut values) = (vec![base], Vec::new(), Vec::new());
        for &point in &self.mine {
            let (partners, springs) = &saved[&self.id(world, point)];
            ids.extend_from_slice(partners);
            values.extend(springs.iter().map(|spring| 0.5 * spring));
            offsets.push(base + ids.len() as i64);
        }
        let (name, components) = ("spring", world.dim);
        match &mut self.ranks {
            Some(ranks) => ranks.set_pair_field(
                &mut self.search,
                Ok(PairFieldAsked {
                    name,
                    offsets: &offsets,
                    ids: &ids,
                    values: &values,
                    components,
                }),
            )?,
            None => (self.search).set_pair_field_by_ids(name, (&offsets, &ids), &values, components)?,
        }
        assert_eq!(self.search.pair_field_by_ids::<f64>(name)?.values, values);
        self.springs(world)
    }

    /// The k nearest of each point, and the distances.
    pub fn nearest(&mut self, world: &World, k: usize) -> Result<Got> {
        let (kind, measure) = (KnnKind::Others, Measure::Square);
        let base = self.search.index_base();
        let mut numbers: Vec<i64> = self.mine.iter().map(|&point| world.number(point)).collect();
        let (ids, squares) = match &mut self.ranks {
            Some(ranks) => {
                let (_, found) = ranks.knn::<f64, _>(&mut self.search, Ok((Nearest { kind, k, measure }, ())))?;
                let from = if world.with_ids { 0 } else { base };
                numbers.extend(found.ghosts.ids.iter().map(|id| id - from));
                let rows = found.show::<f64>();
                (rows.ids.to_vec(), rows.distances.to_vec())
            }
            None => {
                self.search.set_active(None)?; // rows of active points that come first alone would be refused
                let rows = self.search.knn::<f64>(kind, k, measure)?;
                let rows = (rows.ids.to_vec(), rows.distances.to_vec());
                self.set_roles(world)?;
                rows
            }
        };
        let name = |&id: &i32| numbers.get((i64::from(id) - base) as usize).copied().unwrap_or(-1);
        let rows = ids.chunks(k).zip(squares.chunks(k)).zip(&self.mine);
        let rows = rows.filter(|(_, point)| world.role(**point) == Role::Active);
        let row = |((ids, squares), &point): ((&[i32], &[f64]), &usize)| {
            let entries = ids.iter().map(name).chain(squares.iter().map(|d2| d2.to_bits() as i64));
            (world.number(point), entries.collect())
        };
        Ok(Got {
            rows: rows.map(row).collect(),
            ..Got::default()
        })
    }

    /// The group of each point, the number of groups, and sums over the members of those with two points or more.
    pub fn groups(&mut self, world: &World) -> Result<Got> {
        let masses = self.mine.iter().map(|&point| mass(world, point).abs() + 0.1);
        let masses: Vec<f64> = masses.collect();
        let properties = Properties {
            masses: Some(&masses[..]),
            velocities: None,
        };
        let (labels, groups, values) = match &mut self.ranks {
            Some(ranks) => {
                let (_, friends) = ranks.fof(&mut self.search, Ok(()))?;
                let from = if world.with_ids { 0 } else { self.search.index_base() };
                let labels: Vec<i64> = friends.labels.iter().map(|label| label - from).collect();
                let groups = friends.groups;
                let catalogue = ranks.groups(&mut self.search, Ok((2, &properties)))?;
                let names = catalogue.labels.iter().map(|label| label - from);
                (labels, groups, sums(names, &catalogue.totals))
            }
            None => {
                let mut labels = vec![0; self.mine.len()];
                let groups = self.search.fof_ids_into(&mut labels)?;
                let numbers: Vec<i64> = self.mine.iter().map(|&point| world.number(point)).collect();
                let base = self.search.index_base() as i32;
                let catalogue = self.search.groups::<f64>(2, &properties)?;
                let names = catalogue.labels.iter().map(|label| numbers[(label - base) as usize]);
                (labels, groups as i64, sums(names, &catalogue.totals()))
            }
        };
        let rows = self.mine.iter().zip(labels);
        Ok(Got {
            rows: rows.map(|(&point, label)| (world.number(point), vec![label])).collect(),
            values,
            numbers: vec![groups as u64],
            ..Got::default()
        })
    }
}

/// For each group its name, size, mass, center and radius.
fn sums(names: impl Iterator<Item = i64>, totals: &Totals) -> Vec<(i64, Vec<u64>)> {
    let sums = |(group, name): (usize, i64)| {
        let center = &totals.centers[group * totals.dim..(group + 1) * totals.dim];
        let numbers = [totals.masses[group], totals.radii[group]];
        let bits = numbers.iter().chain(center).map(|number| number.to_bits());
        let counts = [totals.sizes[group] as u64, totals.wide[group] as u64];
        (name, counts.into_iter().chain(bits).collect())
    };
    names.enumerate().map(sums).collect()
}
