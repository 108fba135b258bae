//! Fields: named columns of the points or of the queries, a number or a vector each.
//!
//! in: the caller's arrays, and what formulas make; out: [`FieldView`], which formulas read. Here nothing is evaluated.

use std::ops::Range;

use crate::error::{Error, Result, Status, words};
use crate::list::{Out, copied, holds, reserve_keeping, resize_discarding, resize_keeping};
use crate::points::{Numbers, Precision, Values};
use crate::threads::Team;
use crate::version::Version;

const WHAT: &str = "a field";

/// The points or the queries that a field belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The points.
    Points = 0,
    /// The queries.
    Queries = 1,
}

impl Of {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        ["points", "queries"][self as usize]
    }
}

/// Values of all points, one point after the other.
#[derive(Debug, Default)]
pub struct Field {
    /// The values; memory for them where they are on a device.
    pub values: Values,
    pub components: usize,
    pub version: Version,
    /// The number of points, where a device alone has their values.
    pub on_device: Option<usize>,
}

holds! { Field { values; components, version, on_device } }

impl Field {
    /// The same field once more. Its values are here.
    pub fn copy(&self) -> Result<Field> {
        Ok(Field {
            values: match &self.values {
                Values::F32(values) => Values::F32(copied(values, WHAT)?),
                Values::F64(values) => Values::F64(copied(values, WHAT)?),
                Values::None => Values::None,
            },
            ..*self
        })
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.view().len()
    }

    /// The values, to be read. Where a device alone has them there is none, and the shape is that of the field.
    pub fn view(&self) -> FieldView<'_> {
        let (values, stride) = (self.values.numbers(), self.components.max(1));
        let (len, values) = match self.on_device {
            Some(len) => (len, values.from(values.len())),
            None => (values.len() / stride, values),
        };
        FieldView {
            axes: [0, 1, 2].map(|k| values.from(k)),
            stride,
            components: self.components,
            len,
            version: Some(self.version),
        }
    }
}

/// Values of points as they are read: for each component numbers that begin with that of the first point.
#[derive(Clone, Copy, Debug)]
pub struct FieldView<'a> {
    axes: [Numbers<'a>; 3],
    /// From the number of a point to that of the next.
    pub stride: usize,
    pub components: usize,
    /// The number of points.
    len: usize,
    /// That of the field, if it is one.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))] // there is no device
    pub version: Option<Version>,
}

impl<'a> FieldView<'a> {
    /// An array for each component, of which a range of points is read.
    pub fn of_axes<T: Precision>(axes: &'a [Vec<T>], range: Range<usize>) -> FieldView<'a> {
        let axis = |k: usize| T::numbers(axes.get(k).and_then(|axis| axis.get(range.clone())).unwrap_or_default());
        let axes_read = [axis(0), axis(1), axis(2)];
        FieldView {
            axes: axes_read,
            stride: 1,
            components: axes.len(),
            len: axes_read[0].len(),
            version: None,
        }
    }

    /// The numbers of a component; those of points are `stride` apart.
    pub fn component(&self, k: usize) -> Numbers<'a> {
        self.axes[k]
    }

    /// The numbers of all points, one point after the other, where they are in memory as such.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))] // there is no device
    pub fn together(&self) -> Option<Numbers<'a>> {
        (self.stride == self.components).then_some(self.axes[0])
    }

    /// All numbers, one point after the other.
    pub fn copy<T: Precision>(&self) -> Result<Vec<T>> {
        let (mut copy, len) = (Vec::new(), self.len());
        resize_discarding(&mut copy, len * self.components, T::default(), WHAT)?;
        for k in 0..self.components {
            let to = copy.iter_mut().skip(k).step_by(self.components);
            match self.component(k) {
                Numbers::F32(from) => to
                    .zip(from.iter().step_by(self.stride))
                    .for_each(|(to, &from)| *to = T::from_f64(from.into())),
                Numbers::F64(from) => to
                    .zip(from.iter().step_by(self.stride))
                    .for_each(|(to, &from)| *to = T::from_f64(from)),
            }
        }
        Ok(copy)
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the numbers are in real32.
    pub fn is_single(&self) -> bool {
        matches!(self.axes[0], Numbers::F32(_))
    }
}

/// The fields of one name.
#[derive(Debug, Default)]
struct Named {
    name: String,
    of: [Option<Field>; 2],
}

holds! { Named { of; name } }

/// All fields of a handle.
#[derive(Debug, Default)]
pub struct Fields {
    /// The fields, sorted by name.
    named: Vec<Named>,
}

holds! { Fields { named } }

impl Fields {
    /// Sets a field: `values` has `components` numbers for each point or query.
    pub fn set<T: Precision>(
        &mut self,
        name: &str,
        of: Of,
        values: &[T],
        components: usize,
        team: &Team,
    ) -> Result<()> {
        if !(1..=3).contains(&components) {
            let allowed = "1, or the dimension of the points";
            return Err(Error::not_allowed(Status::BadDim, "components", components, allowed));
        }
        if !values.len().is_multiple_of(components) {
            let allowed = format_args!("a multiple of {components}, the number of components");
            let (status, len) = (Status::BadCount, values.len());
            return Err(Error::not_allowed(status, "number of values", len, allowed));
        }
        let place = self.place(name, of)?;
        // Memory of the field is used again if the values have its precision and fit. On failure the field keeps its values.
        let held = place.as_mut().and_then(|field| T::held_mut(&mut field.values));
        let mut fresh = Vec::new();
        let copy = held
            .filter(|held| held.capacity() >= values.len())
            .unwrap_or(&mut fresh);
        let before = copy.len();
        if before < values.len() {
            resize_keeping(copy, values.len(), T::default(), WHAT)?;
        }
        let done = Out::new(&mut copy[..values.len()]).in_pieces(team, 1, |first, piece| {
            piece.write_all(0, &values[first..first + piece.len()]);
        });
        copy.truncate(if done.is_ok() { values.len() } else { before });
        done?;
        let copy = std::mem::take(copy);
        *place = Some(Field {
            values: T::hold(copy),
            components,
            version: Version::new(),
            on_device: None,
        });
        Ok(())
    }

    /// Makes `field` that of a name; returns the one before.
    pub fn replace(&mut self, name: &str, of: Of, field: Field) -> Result<Option<Field>> {
        Ok(self.place(name, of)?.replace(field))
    }

    /// Gives a name the field that it had before, which may be none.
    pub fn put_back(&mut self, name: &str, of: Of, before: Option<Field>) {
        if let Ok(number) = self.number_of(name) {
            self.named[number].of[of as usize] = before;
        }
    }

    /// Makes room for a field of this name, so that it can be added without more memory.
    pub fn make_room(&mut self, name: &str, of: Of) -> Result<()> {
        self.place(name, of).map(drop)
    }

    /// Makes `field`, whose values a device alone has, that of a name. The memory of the one before is kept for them.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))] // there is no device
    pub fn leave_on_device(&mut self, name: &str, mut field: Field) -> Result<()> {
        let place = self.place(name, Of::Points)?;
        if let Some(before) = place.take_if(|before| before.view().is_single() == field.view().is_single()) {
            field.values = before.values;
        }
        *place = Some(field);
        Ok(())
    }

    /// The field of a name, if there is one.
    pub fn find(&self, name: &str, of: Of) -> Option<&Field> {
        let named = &self.named[self.number_of(name).ok()?];
        named.of[of as usize].as_ref()
    }

    /// The same, to be changed.
    pub fn find_mut(&mut self, name: &str, of: Of) -> Option<&mut Field> {
        let number = self.number_of(name).ok()?;
        self.named[number].of[of as usize].as_mut()
    }

    /// The field of a name.
    pub fn get(&self, name: &str, of: Of) -> Result<&Field> {
        self.find(name, of).ok_or_else(|| Error::NoField {
            name: words(name),
            of: of.name(),
        })
    }

    /// The fields whose values a device alone has.
    pub fn on_device(&mut self) -> impl Iterator<Item = &mut Field> {
        let all = self.named.iter_mut().flat_map(|named| named.of.iter_mut().flatten());
        all.filter(|field| field.on_device.is_some())
    }

    /// Removes these; calls `lost` with the name of each.
    pub fn lose(&mut self, mut lost: impl FnMut(&str)) {
        for named in &mut self.named {
            for field in &mut named.of {
                if field.take_if(|field| field.on_device.is_some()).is_some() {
                    lost(&named.name);
                }
            }
        }
    }

    /// Whether a version is that of a field.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))] // there is no device
    pub fn has(&self, version: Version) -> bool {
        let mut all = self.named.iter().flat_map(|named| named.of.iter().flatten());
        all.any(|field| field.version == version)
    }

    /// The number of a name, or the number that it would get.
    fn number_of(&self, name: &str) -> std::result::Result<usize, usize> {
        self.named.binary_search_by(|named| named.name[..].cmp(name))
    }

    fn place(&mut self, name: &str, of: Of) -> Result<&mut Option<Field>> {
        let number = match self.number_of(name) {
            Ok(number) => number,
            Err(number) => {
                let mut copy = String::new();
                copy.try_reserve_exact(name.len()).map_err(|_| Error::OutOfMemory {
                    what: WHAT,
                    bytes: name.len() as u64,
                })?;
                copy.push_str(name);
                let named = Named {
                    name: copy,
                    ..Named::default()
                };
                let all = self.named.len() + 1;
                reserve_keeping(&mut self.named, all, WHAT)?;
                self.named.insert(number, named);
                number
            }
        };
        Ok(&mut self.named[number].of[of as usize])
    }
}
