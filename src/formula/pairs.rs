//! Pair fields of a text. In: the syntax, and the pair fields that there are. Out: the shapes of those that the text reads before it makes
//! them, and errors where one is missing or does not fit.
//!
//! A pair field that is not there yet is zero for all pairs. Nobody has said whether it has numbers or vectors, so each is tried, numbers
//! first, until the text agrees with itself.

use super::names::Names;
use super::parse::Syntax;
use super::program::{Kind, Name};
use super::typed::Typed;
use super::types::{self, Vectors};
use super::{Formula, Side};
use crate::error::{Error, Result, Status};
use crate::list::push;
use crate::pair_fields::PairFields;

/// Pair fields of unknown shape, at most: all combinations are tried.
const MOST: usize = 8;

const WHAT: &str = "the pair fields of a formula";

impl Formula {
    /// Refuses pair fields where rows are not full, list their own points, or are those of a cell.
    pub(crate) fn check_pair_rows(&self, are_full: bool, is_in_cell: bool) -> Result<()> {
        let Some(first) = self.syntax.pairs.all.first() else {
            return Ok(());
        };
        let refused = |text| Err(first.at.error(Status::NotSupported, text));
        match (are_full, self.include_self) {
            _ if is_in_cell => {
                refused("pair fields are of pairs of points, of which a cell has several images: clear the cell")
            }
            (false, _) => refused("pair fields are of full rows: choose full rows for this run"),
            (_, true) => refused("a pair field has no value for a point and itself: set include_self to false"),
            _ => Ok(()),
        }
    }

    /// Refuses pair fields, by which ranks do not seek radii.
    pub(crate) fn check_no_pair_fields(&self) -> Result<()> {
        match self.syntax.pairs.all.first() {
            None => Ok(()),
            Some(first) => Err(first
                .at
                .error(Status::NotSupported, "radii are not sought by pair fields across ranks")),
        }
    }

    /// The name of a pair field's slot.
    pub(crate) fn pair_field_name(&self, slot: u32) -> &str {
        let slot = self.syntax.pairs.slots[slot as usize];
        self.spelled(&self.syntax.pairs.all[slot.name as usize])
    }

    /// Whether the text reads or makes a pair field.
    pub(crate) fn has_pair_field(&self, name: &str) -> bool {
        self.syntax.pairs.find(name).is_some()
    }

    /// The text with all shapes, for points of `dim` axes. `there` are the pair fields that there are.
    pub(super) fn typed_with_pairs(
        &self,
        dim: usize,
        fields: &dyn Fn(u32, Side) -> bool,
        there: &PairFields,
    ) -> Result<Typed> {
        let named = |name: u32| there.find(self.spelled(&self.syntax.pairs.all[name as usize]));
        let known = |name: u32| named(name).map(|field| field.values.components);
        let open = self.check_pair_fields(dim, &known)?;
        let mut farthest = None;
        for guess in 0..1_u32 << open.len() {
            let guessed = |name: u32| {
                open.iter()
                    .position(|&of| of == name)
                    .is_some_and(|k| guess >> k & 1 == 1)
            };
            let pairs = |name: u32| known(name).map_or_else(|| guessed(name), |components| components > 1);
            let vectors = Vectors { fields, pairs: &pairs };
            let typed = types::typed(&self.text, &self.syntax, dim, vectors);
            let typed = typed.and_then(|typed| {
                self.check_pair_shapes(&typed, &|name| if pairs(name) { dim } else { 1 })?;
                Ok(typed)
            });
            match typed {
                Ok(typed) => return Ok(typed),
                Err(error) => {
                    // The guess that went the farthest was the best one, and has the most to say.
                    let Some(place) = place_of(&error) else {
                        return Err(error);
                    };
                    if farthest.as_ref().is_none_or(|(before, _)| *before < place) {
                        farthest = Some((place, error));
                    }
                }
            }
        }
        Err(farthest.map_or(Error::NO_POINTS, |(_, error)| error))
    }

    /// Refuses pair fields that have no value and get none, or that do not fit; returns the names of those of unknown shape.
    fn check_pair_fields(&self, dim: usize, components: &dyn Fn(u32) -> Option<usize>) -> Result<Vec<u32>> {
        let (mut open, names) = (Vec::new(), &self.syntax.pairs);
        for node in &self.syntax.nodes {
            let Kind::OfPair(slot) = node.kind else { continue };
            let slot = names.slots[slot as usize];
            if slot.made_by.is_some() || open.contains(&slot.name) {
                continue;
            }
            let spelled = self.spelled(&names.all[slot.name as usize]);
            match components(slot.name) {
                Some(components) if components == 1 || components == dim => (),
                Some(components) => {
                    let text = format_args!(
                        "the pair field '{spelled}' has {components} components; 1 or {dim}, the dimension of the points?"
                    );
                    return Err(node.at.error(Status::BadDim, text));
                }
                None if last_made(names, slot.name).is_none() => {
                    let text = format_args!(
                        "the pair field '{spelled}' has no value yet; set_pair_field, or a statement that makes it?"
                    );
                    return Err(node.at.error(Status::BadState, text));
                }
                None if open.len() == MOST => {
                    let text = format_args!("the text begins more than {MOST} pair fields: divide it");
                    return Err(node.at.error(Status::BadValue, text));
                }
                None => push(&mut open, slot.name, WHAT)?,
            }
        }
        Ok(open)
    }

    /// Refuses a text that reads numbers of a pair field and leaves vectors, or the reverse: the next run could not read it.
    fn check_pair_shapes(&self, typed: &Typed, components: &dyn Fn(u32) -> usize) -> Result<()> {
        let Syntax { pairs, statements, .. } = &self.syntax;
        for name in 0..pairs.all.len() as u32 {
            let (Some(_), Some(last)) = (pairs.initial(name), last_made(pairs, name)) else {
                continue;
            };
            let before = components(name);
            if typed.terms[last as usize].1 != before {
                let [reads, makes] = match before {
                    1 => ["numbers", "vectors"],
                    _ => ["vectors", "numbers"],
                };
                let Name { at, .. } = statements[last as usize].name;
                let spelled = self.spelled(&pairs.all[name as usize]);
                return Err(at.wrong(format_args!(
                    "the text reads {reads} '{spelled}_ij', and this makes {makes}: choose another name"
                )));
            }
        }
        Ok(())
    }
}

/// The last statement that makes a pair field, if one does.
fn last_made(names: &Names, name: u32) -> Option<u32> {
    let last = names.last(name)?;
    names.slots[last as usize].made_by
}

/// The line and the column of a fault in a text.
fn place_of(error: &Error) -> Option<[u32; 2]> {
    match *error {
        Error::Formula { line, column, .. } => Some([line, column]),
        _ => None,
    }
}
