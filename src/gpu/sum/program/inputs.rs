//! The inputs of a formula beside its text and program: points, fields, tables.

use crate::radii::RadiusRule;

/// A component of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    pub field: u32,
    pub component: usize,
}

/// A table among the numbers of all.
#[derive(Clone, Copy, Debug)]
pub struct PlacedTable {
    /// The place where its values begin, after its last and first place, scale and steps.
    pub at: usize,
    pub is_cubic: bool,
}

/// Inputs of a formula beside the points.
#[derive(Clone, Copy, Debug)]
pub struct Reads<'a> {
    pub tables: &'a [PlacedTable],
    /// Components of each field, and whether they come in real64.
    pub fields: &'a [(usize, bool)],
}

/// Properties of the points.
#[derive(Clone, Copy, Debug)]
pub struct Points {
    pub dim: usize,
    /// In real64.
    pub is_wide: bool,
    pub is_periodic: bool,
    /// The rule of cutoffs and the field of radii, if each point has a radius.
    pub radii: Option<(RadiusRule, u32)>,
    /// The field of types, and how many there are, if pairs of types have cutoffs; these are the first numbers of tables.
    pub types: Option<(u32, usize)>,
}

impl Points {
    /// The reason why sums in real64 do not evaluate the cutoffs of pairs.
    pub(super) fn why_not_in_real64(&self) -> Option<&'static str> {
        let reasons = [
            (self.radii.is_some(), "real64 by radii"),
            (self.types.is_some(), "cutoffs by types in real64"),
        ];
        reasons.into_iter().find_map(|(is, why)| is.then_some(why))
    }

    /// The radius of a point, or its type, as cutoffs are computed of it; `None` where real32 does not do.
    pub(super) fn radius(&self) -> Option<Component> {
        if let Some((field, _)) = self.types {
            return Some(Component { field, component: 0 });
        }
        let is_rounded = |rule| rule == RadiusRule::Mean && self.is_wide;
        let (_, field) = self.radii.filter(|&(rule, _)| !is_rounded(rule))?;
        Some(Component { field, component: 0 })
    }
}
