//! Points, queries, and steps in time.

use super::*;

impl Run {
    pub(super) fn points(&mut self, h: usize, role: Role, coords: &Coords, null: bool) -> Checked {
        if coords.single {
            self.points_in::<f32>(h, role, coords, null)
        } else {
            self.points_in::<f64>(h, role, coords, null)
        }
    }

    pub(super) fn points_in<T: Coordinate>(&mut self, h: usize, role: Role, coords: &Coords, null: bool) -> Checked {
        let mut checks = self.model(h).check_points(role, coords);
        self.refuse_null(&mut checks, h, u8::from(null && role == Role::Update), 1);
        let ([x, y, z], stride) = self.place::<T>(coords);
        let (dim, n) = (coords.dim, coords.n.unwrap_or(coords.len() as i64));
        let mut rebuilt = None;
        let status = match role {
            Role::Update => {
                let out = self.arena.write::<i32>(1, null);
                let status = T::update(self, h, (dim, n), [x, y, z], stride, &out);
                rebuilt = Some(out);
                status
            }
            _ => T::give(self, h, role, (dim, n), [x, y, z], stride),
        };
        let is_taken = self.judge(status, checks.answer(|| ()), None)?.is_some();
        if !is_taken {
            self.model_mut(h).doubt_list();
            return Ok(());
        }
        let handle = &mut self.handles[h];
        handle.last = None;
        let model = &mut handle.model;
        if role == Role::Update {
            return self.updated(h, coords, &rebuilt.map(|out| out.values()).unwrap_or_default());
        }
        let had_queries = !model.queries.is_empty();
        model.take_points(role, coords);
        match role {
            Role::Queries if !had_queries && model.queries.is_empty() => model.set_again(),
            Role::Queries => {
                model.changed();
            }
            _ if role == Role::Add && coords.values.is_empty() => {
                model.set_again();
            }
            _ => model.changed_points(),
        }
        if model.list.is_none() {
            model.moved = None;
        }
        Ok(())
    }

    pub(super) fn model_mut(&mut self, h: usize) -> &mut Model {
        &mut self.handles[h].model
    }

    /// After an update: whether the list must be made again.
    pub(super) fn updated(&mut self, h: usize, coords: &Coords, rebuilt: &[i32]) -> Checked {
        let model = &mut self.handles[h].model;
        let (allowed, list) = model.update(coords);
        let [rebuilt] = *rebuilt else {
            return Err("no rebuilt".to_owned());
        };
        if !allowed.contains(&rebuilt) {
            return Err(format!(
                "rebuilt = {rebuilt}, {allowed:?} is right, moved by {:?} of the skin",
                model.moved
            ));
        }
        if rebuilt == 0 {
            model.list = list;
        }
        Ok(())
    }

    /// Puts coordinates into memory: where each axis begins, and the stride.
    pub(super) fn place<T: Coordinate>(&mut self, coords: &Coords) -> ([In<T>; 3], i64) {
        let (axes, n, size) = (coords.axes(), coords.len(), size_of::<T>());
        let values: Vec<T> = coords.values.iter().map(|&x| T::of(x)).collect();
        let (mut bases, stride) = match coords.layout {
            Layout::Interleaved | Layout::OneNumber => {
                let all = self.arena.read(&values, false);
                let base = |axis: usize| In {
                    pointer: all.pointer.wrapping_add(axis),
                };
                ([0, 1, 2].map(base), axes * size)
            }
            Layout::Columns | Layout::Refused(_) => {
                let column = |axis: usize| values.iter().skip(axis).step_by(axes).copied().collect::<Vec<_>>();
                let columns: Vec<In<T>> = (0..axes).map(|axis| self.arena.read(&column(axis), false)).collect();
                let base = |axis: usize| columns.get(axis).cloned().unwrap_or(In::null());
                ([0, 1, 2].map(base), size)
            }
            Layout::Structures { gap, odd, back } => {
                let each = axes * size + gap;
                let mut bytes = vec![0xff; (n * each).saturating_sub(gap) + odd];
                let first = |i: usize| if back { n - 1 - i } else { i } * each;
                for (i, point) in values.chunks_exact(axes).enumerate() {
                    for (axis, value) in point.iter().enumerate() {
                        let at = first(i) + axis * size;
                        bytes[at..at + size].copy_from_slice(&value.bytes());
                    }
                }
                let all = self.arena.read(&bytes, false);
                let start = if n > 0 { first(0) } else { 0 };
                ([0, 1, 2].map(|axis| In::behind(&all, start + axis * size)), each)
            }
        };
        let stride = match coords.layout {
            Layout::Refused(stride) => stride,
            Layout::OneNumber => size as i64,
            Layout::Structures { back: true, .. } => -(stride as i64),
            _ => stride as i64,
        };
        for (axis, base) in bases.iter_mut().enumerate() {
            if axis >= axes || coords.nulls >> axis & 1 == 1 {
                *base = In::null();
            }
        }
        (bases, stride)
    }
}
