//! The list with a skin as it is: the rows of a model that knows where the points were when it was made.

use super::*;

impl Run {
    pub(super) fn verlet(&mut self, h: usize, number: i32, nulls: u8) -> Checked {
        let mut checks = self.check_list(h, What::Rows(number));
        let model = self.model(h);
        checks.must(kind_of(number) == Some(Kind::Queries), BAD_VALUE);
        checks.must(model.skin == 0.0, BAD_STATE);
        checks.may(model.limit > 0, MEMORY_LIMIT);
        self.refuse_null(&mut checks, h, nulls, 5);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        let before = self.work(h);
        let [n, total] = [0, 1].map(|k| self.arena.write::<i64>(1, is_null(k)));
        let (offsets, ids) = (self.arena.lend::<i64>(is_null(2)), self.arena.lend::<i32>(is_null(3)));
        let rebuilt = self.arena.write::<i32>(1, is_null(4));
        let status = call!(self, h, neargrid_verlet_view(number, n, total, offsets, ids, rebuilt));
        let is_answered = self.judge(status, checks.answer(|| ()), None)?.is_some();
        let made = self.work(h).lists - before.lists;
        if h == 2 {
            return Ok(());
        }
        let handle = &mut self.handles[h];
        handle.last = None;
        let Some(kind) = kind_of(number).filter(|_| is_answered) else {
            handle.model.doubt_chunks();
            handle.model.doubt_list();
            if let Some(kind) = kind_of(number).filter(|_| made > 0) {
                handle.model.list = Some(handle.model.skin_list(kind, false));
            }
            return Ok(());
        };
        handle.model.chunks = None;
        if made > 0 {
            handle.model.list = Some(handle.model.skin_list(kind, true));
        }
        let Some(list) = handle.model.list.as_mut() else {
            return Err("a Verlet list of which nobody knows when it was made".to_owned());
        };
        let is_other = !std::mem::replace(&mut list.value.seen, true);
        if list.value.kind != kind {
            return Err("a Verlet list of another kind".to_owned());
        }
        let (reference, domain) = (list.value.reference.concat(), list.value.domain.clone());
        let (now, skin) = (&handle.model, handle.model.skin);
        let enlarged = |&r: &f64| match now.single {
            true => f64::from(r as f32 + skin as f32),
            false => r + skin,
        };
        let radii = now.radii.as_ref();
        let then = Model {
            points: reference,
            domain,
            queries: Vec::new(),
            cutoff: now.cutoff.map(|cutoff| cutoff + skin),
            type_cutoffs: now.type_cutoffs.as_ref().map(|(ntypes, cutoffs)| {
                let with_skin = |&cutoff: &f64| if cutoff > 0.0 { cutoff + skin } else { 0.0 };
                (*ntypes, cutoffs.iter().map(with_skin).collect())
            }),
            radii: radii.map(|(single, radii, rule)| (*single, radii.iter().map(enlarged).collect(), *rule)),
            ..now.clone()
        };
        let rows = then.rows(kind);
        let order: Vec<usize> = (0..rows.len()).collect();
        let (wanted_offsets, wanted_ids) = then.csr_of(&rows, &order);
        same("whether the list is another", &rebuilt.values(), &[i32::from(is_other)])?;
        same("the number of rows", &n.values(), &[rows.len() as i64])?;
        same("the number of ids", &total.values(), &[wanted_ids.len() as i64])?;
        // SAFETY: just lent, and as many as was told.
        let (found, j) = unsafe { (offsets.values(rows.len() + 1), ids.values(wanted_ids.len())) };
        same("offsets", &found, &wanted_offsets)?;
        same("ids", &j, &wanted_ids)?;
        self.check_entries(h, wanted_ids.len())?;
        let pairs = order.iter().flat_map(|&i| rows[i].iter().map(move |&j| (i, j)));
        let kept = vec![
            Kept::new("offsets", offsets.lent(), &found),
            Kept::new("ids", ids.lent(), &j),
        ];
        self.handles[h].view = Some(View {
            kept,
            of_groups: false,
            list: Some((pairs.collect(), Form::Rows, of_view(&offsets), of_view(&ids))),
        });
        Ok(())
    }
}
