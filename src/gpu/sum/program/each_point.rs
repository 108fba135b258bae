//! The text of statements for each point: the values of a point, and what a workgroup makes of the terms of its points.

use std::fmt::{self, Write};

use super::totals::Makes;
use super::{Text, Writer};
use crate::formula::program::Reduction;
use crate::formula::schedule::Stage;

impl Writer<'_> {
    /// Evaluates the statements of point `k` of a range: its values, and its terms if it takes part in totals.
    pub(super) fn point(&self, makes: &[Makes]) -> Text {
        let mut text = String::new();
        for column in 0..self.schedule.columns[0] {
            writeln!(text, "var<private> row_{column}: Number;")?;
        }
        writeln!(text, "#import formula_totals\n")?;
        self.bound_fields(&mut text, makes)?;
        writeln!(text, "\nfn evaluate_point(k: u32, has_terms: bool) {{")?;
        writeln!(text, "{{")?;
        self.read_record(&mut text)?;
        self.steps(&mut text, Stage::Row)?;
        writeln!(text, "}}")?;
        let names = self.steps(&mut text, Stage::Pair)?;
        let mut terms = self.schedule.terms.iter();
        let (mut made, mut totals) = (0, [0, 0]);
        for (output, makes) in self.program.outputs.iter().zip(makes) {
            let (width, terms) = (output.width, terms.by_ref().take(output.width));
            for (component, &term) in terms.enumerate() {
                let term = self.operand(&names, term);
                let place = format!("made_{made}[(summed.first_point + k) * {width}u + {component}u]");
                match makes {
                    Makes::Field => writeln!(text, "    {place} = {term};")?,
                    Makes::Positions => writeln!(text, "    {place} = wrapped({term}, {component}u);")?,
                    Makes::Total(Reduction::Sum) => {
                        writeln!(text, "    if has_terms {{ add_term({}u, {term}); }}", totals[0])?;
                    }
                    Makes::Total(reduction) => {
                        let (bound, of) = (format!("bound_{}", totals[1]), format!("{term}"));
                        let is_better = match reduction {
                            Reduction::Max => format!("is_before({bound}, {of})"),
                            _ => format!("is_before({of}, {bound})"),
                        };
                        writeln!(text, "    if has_terms && {is_better} {{ {bound} = {of}; }}")?;
                    }
                }
            }
            match makes {
                Makes::Total(reduction) => totals[usize::from(*reduction != Reduction::Sum)] += 1,
                Makes::Field | Makes::Positions => made += 1,
            }
        }
        writeln!(text, "}}")?;
        Ok(text)
    }

    /// The fields that are read, and those that are made, in the order in which they are bound.
    fn bound_fields(&self, text: &mut String, makes: &[Makes]) -> fmt::Result {
        let read = self.record.fields.iter().map(|placed| placed.field);
        let mut binding = 0;
        for field in read {
            writeln!(
                text,
                "@group(1) @binding({binding}) var<storage, read> field_{field}: array<u32>;"
            )?;
            binding += 1;
        }
        let made = makes.iter().filter(|makes| !matches!(makes, Makes::Total(_)));
        for made in 0..made.count() {
            writeln!(
                text,
                "@group(1) @binding({binding}) var<storage, read_write> made_{made}: array<Number>;"
            )?;
            binding += 1;
        }
        Ok(())
    }

    /// The bounds of a lane: the largest or smallest terms that it has seen.
    pub(super) fn totals(&self, makes: &[Makes]) -> Text {
        let mut text = String::new();
        let reductions = makes.iter().filter_map(|makes| match makes {
            Makes::Total(reduction) => Some(*reduction),
            _ => None,
        });
        let bounds: Vec<_> = reductions.filter(|reduction| *reduction != Reduction::Sum).collect();
        for k in 0..bounds.len() {
            writeln!(text, "var<private> bound_{k}: Number;")?;
        }
        writeln!(text, "\nfn begin_bounds() {{")?;
        for (k, reduction) in bounds.iter().enumerate() {
            let start = if *reduction == Reduction::Max {
                "-infinity()"
            } else {
                "infinity()"
            };
            writeln!(text, "    bound_{k} = {start};")?;
        }
        writeln!(text, "}}\n\nfn end_bounds(at: u32, lane: u32) {{")?;
        for (k, reduction) in bounds.iter().enumerate() {
            let is_largest = *reduction == Reduction::Max;
            writeln!(text, "    let joined_{k} = join_bounds(bound_{k}, {is_largest}, lane);")?;
            let place = k * self.words();
            writeln!(text, "    if lane == 0u {{ put_bound(at + {place}u, joined_{k}); }}")?;
        }
        writeln!(text, "}}")?;
        Ok(text)
    }

    /// Words of a number.
    fn words(&self) -> usize {
        1 + usize::from(self.is_double)
    }
}
