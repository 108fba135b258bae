//! Rows in other forms: of one length, by several cutoffs, and as counts of distances.

use neargrid::Real;
use neargrid::capi::{list::*, padded::*};

use super::super::truth::Cloud;
use super::*;

impl Run {
    pub(super) fn padded(&mut self, h: usize, call: &Call) -> Checked {
        let &Call::Padded {
            kind,
            width,
            off,
            nulls,
        } = call
        else {
            return Ok(());
        };
        let what = What::Rows(kind);
        let mut checks = self.check_list(h, what);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        checks.must(h == 2 || is_null(0), NULL_POINTER);
        checks.must(off != 0, BAD_COUNT);
        let rows = match checks.is_refused() {
            true => Vec::new(),
            false => self.model(h).rows(kind_of(kind).unwrap_or(Kind::Full)),
        };
        let model = self.model(h);
        let entries = rows.iter().map(Vec::len).sum::<usize>();
        model.check_limit(&mut checks, rows.len(), entries, false);
        let n = if kind == 2 { model.nqueries() } else { model.n() };
        let longest = rows.iter().map(Vec::len).max().unwrap_or(0) as i64;
        let width = match width {
            Capacity::More(more) => longest + more,
            Capacity::Less(less) => (longest - less).max(0),
            Capacity::Is(width) => width,
        };
        checks.must(width < 0, BAD_COUNT);
        let room = n * width.max(0) as usize;
        checks.must(is_null(1) && room > 0 || is_null(2) && n > 0, NULL_POINTER);
        checks.must(width < longest && !checks.is_refused(), CAPACITY);
        let base = model.base as i32;
        let want = checks.answer(|| {
            let (mut ids, mut counts) = (Vec::new(), Vec::new());
            for row in &rows {
                let filled = row.iter().map(|&j| model.number(j)).chain(std::iter::repeat(base - 1));
                ids.extend(filled.take(width as usize));
                counts.push(row.len() as i32);
            }
            (ids, counts)
        });
        let before = self.work(h);
        let most = self.arena.write::<i64>(1, is_null(0));
        let ids = self.arena.write::<i32>(room, is_null(1));
        let counts = self.arena.write::<i32>(n, is_null(2));
        let status = call!(
            self,
            h,
            neargrid_neighbors_padded(kind, n as i64 + off, width, most, ids, counts)
        );
        if let Some((wanted_ids, wanted_counts)) = self.judge(status, want, Some((&most, longest)))? {
            same("the longest row", &most.values(), &[longest])?;
            same_front("padded ids", &ids, &wanted_ids)?;
            same_front("counts", &counts, &wanted_counts)?;
            self.check_entries(h, entries)?;
        }
        self.asked(h, status, what, true, before)
    }

    pub(super) fn histogram(&mut self, h: usize, kind: i32, shares: &[f64], nulls: u8) -> Checked {
        let mut checks = Checks::default();
        self.refuse_null(&mut checks, h, nulls, 2);
        let asked = kind_of(kind);
        checks.must(asked.is_none(), BAD_VALUE);
        let asked = asked.unwrap_or(Kind::Full);
        let model = self.model(h);
        model.check_search(&mut checks, asked, true);
        let is_by_radii = model.radii.is_some() || asked == Kind::Queries && model.query_radii.is_some();
        checks.must(is_by_radii && model.dim.is_some(), NOT_SUPPORTED);
        let nbins = shares.len() as i64 - 1;
        checks.must(nbins < 1, BAD_COUNT);
        let of_kind = if asked == Kind::Queries {
            model.cutoff
        } else {
            model.longest_bin()
        };
        let cutoff = of_kind.unwrap_or(1.0);
        let edges: Vec<f64> = shares.iter().map(|share| share * cutoff).collect();
        let is_right = |k: usize| {
            let ascends = if k == 0 {
                edges[0] >= 0.0
            } else {
                edges[k] > edges[k - 1]
            };
            ascends && edges[k] <= cutoff
        };
        checks.must(!(0..edges.len()).all(is_right), BAD_VALUE);
        // Types that do not fit have cutoffs, too.
        checks.may(checks.is_refused() && model.type_cutoffs.is_some(), BAD_VALUE);
        checks.may(model.limit > 0, MEMORY_LIMIT);
        let want = checks.answer(|| model.histogram(asked, &edges));
        let given = self.arena.read(&edges, nulls & 1 != 0);
        let counts = self.arena.write::<i64>(nbins.max(0) as usize, nulls & 2 != 0);
        let status = call!(self, h, neargrid_neighbors_histogram(kind, nbins, given, counts));
        let wanted = self.judge(status, want, None)?;
        if h == 2 {
            return Ok(());
        }
        self.handles[h].last = None;
        match wanted {
            Some(wanted) => {
                self.model_mut(h).chunks = None;
                same("the bins", &counts.values(), &wanted)
            }
            None => {
                self.model_mut(h).doubt_chunks();
                Ok(())
            }
        }
    }

    pub(super) fn by_cutoffs(&mut self, h: usize, call: &Call) -> Checked {
        let Call::ByCutoffs {
            first,
            kind,
            cutoffs,
            null,
        } = call
        else {
            return Ok(());
        };
        let (first, kind) = (*first, *kind);
        let mut checks = Checks::default();
        self.refuse_null(&mut checks, h, (*null).into(), 1);
        let asked = kind_of(kind);
        checks.must(asked.is_none(), BAD_VALUE);
        let asked = asked.unwrap_or(Kind::Full);
        let count = cutoffs.len();
        checks.must(!(1..=64).contains(&count), BAD_COUNT);
        let model = self.model(h);
        let is_by_radii = model.radii.is_some() || asked == Kind::Queries && model.query_radii.is_some();
        let is_by_types = model.type_cutoffs.is_some() && asked != Kind::Queries;
        checks.must(is_by_radii || is_by_types, NOT_SUPPORTED);
        let of_cutoff = |cutoff: f64| Model {
            cutoff: Some(cutoff),
            skin: 0.0,
            ..model.clone()
        };
        let models: Vec<Model> = cutoffs.iter().map(|&cutoff| of_cutoff(cutoff)).collect();
        for model in &models {
            model.check_search(&mut checks, asked, false);
        }
        checks.may(model.limit > 0, MEMORY_LIMIT);
        let want = checks.answer(|| {
            let rows = |model: &Model| {
                let rows = model.rows(asked);
                model.csr_of(&rows, &(0..rows.len()).collect::<Vec<_>>())
            };
            models.iter().map(rows).collect::<Vec<_>>()
        });
        let before = self.work(h);
        let given = self.arena.read(cutoffs, false);
        let status = {
            let places = self.places(first, *null);
            call!(
                self,
                h,
                neargrid_neighbors_take_by_cutoffs(kind, count as i64, given, places)
            )
        };
        let were = self.take_places();
        let wanted = self.judge(status, want, None)?;
        for (k, was) in were.into_iter().enumerate() {
            let (now, is_made) = (
                self.lists[k].raw,
                (first..first + count).contains(&k) && wanted.is_some(),
            );
            if now.is_null() && is_made || now != was && !(is_made && was.is_null()) {
                return Err("a list that was there is another one, or none".to_owned());
            }
        }
        for (k, rows) in wanted.iter().flatten().enumerate() {
            self.put_rows(h, first + k, rows.clone())?;
        }
        if h == 2 {
            return Ok(());
        }
        let (now, handle) = (self.work(h), &mut self.handles[h]);
        handle.last = None;
        match wanted {
            Some(_) => handle.model.chunks = None,
            None => handle.model.doubt_chunks(),
        }
        match now.lists == before.lists {
            true => Ok(()),
            false => Err("a list with a skin was made for several cutoffs".to_owned()),
        }
    }
}

impl Model {
    /// The entries of rows in bins of distance.
    pub fn histogram(&self, kind: Kind, edges: &[f64]) -> Vec<i64> {
        match self.single {
            true => self.histogram_in(&self.cloud::<f32>(), kind, edges),
            false => self.histogram_in(&self.cloud::<f64>(), kind, edges),
        }
    }

    fn histogram_in<T: Real>(&self, cloud: &Cloud<T>, kind: Kind, edges: &[f64]) -> Vec<i64> {
        let squares: Vec<T> = edges
            .iter()
            .map(|&edge| T::from_f64(edge).mul(T::from_f64(edge)))
            .collect();
        let first = if kind == Kind::Queries { self.n() } else { 0 };
        let mut counts = vec![0; edges.len() - 1];
        for (row, js) in self.rows(kind).iter().enumerate() {
            for &j in js {
                let d2 = cloud.distance2(first + row, j);
                let bins = counts.iter_mut().zip(squares.windows(2));
                bins.for_each(|(count, ends)| *count += i64::from(ends[0] <= d2 && d2 < ends[1]));
            }
        }
        counts
    }
}
