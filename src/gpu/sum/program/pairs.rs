//! The text of sums over neighbors: records of neighbors, rows, pairs, and the way in which their terms are joined.

use std::fmt::{self, Write};
use std::ops::Range;

use super::inputs::Component;
use super::record::{Content, LANES};
use super::{PARTS, Text, Writer};
use crate::formula::program::Reduction;
use crate::formula::schedule::Stage;
use crate::radii::RadiusRule;

impl Writer<'_> {
    /// Makes the record of point `j`.
    pub(super) fn target(&self) -> Text {
        let mut text = String::new();
        self.read_record(&mut text)?;
        self.steps(&mut text, Stage::Target)?;
        for k in 0..self.record.len() / LANES {
            writeln!(text, "    records[j * RECORD + {k}u] = record_{k};")?;
        }
        Ok(text)
    }

    /// Reads a row, evaluates its pairs, and joins their terms. Each lane of a row has the sums of its own outputs.
    pub(super) fn rows(&self) -> Text {
        let mut text = String::new();
        if self.program.reads_class {
            writeln!(text, "#import class_of")?;
        }
        for column in 0..self.schedule.columns[0] {
            writeln!(text, "var<private> row_{column}: Number;")?;
        }
        let number = if self.points.is_wide { "vec2<u32>" } else { "f32" };
        for axis in self.axes() {
            writeln!(text, "var<private> x_{axis}: {number};")?;
        }
        if self.radius().is_some() {
            writeln!(text, "var<private> own_radius: f32;")?;
        }
        writeln!(text, "\nfn begin_row(i: u32) {{")?;
        self.load(&mut text, "i", self.record.len())?;
        for axis in self.axes() {
            writeln!(text, "    x_{axis} = {};", self.coordinate("i", axis))?;
        }
        if let Some(radius) = self.radius() {
            writeln!(text, "    own_radius = {};", self.record.number(Content::Field(radius)))?;
        }
        self.steps(&mut text, Stage::Row)?;
        writeln!(text, "}}\n\nfn evaluate(i: u32, j: u32) {{")?;
        self.load(&mut text, "j", self.record.of_pairs)?;
        self.displacement(&mut text)?;
        let names = self.steps(&mut text, Stage::Pair)?;
        for (k, &term) in self.schedule.terms.iter().enumerate() {
            writeln!(text, "    term_{k} = {};", self.operand(&names, term))?;
        }
        writeln!(text, "}}\n")?;
        self.sums(&mut text)?;
        self.outputs(&mut text)?;
        Ok(text)
    }

    /// The sums of a lane: those of the outputs that are as many apart as lanes share a row.
    fn sums(&self, text: &mut String) -> fmt::Result {
        let each = self.schedule.terms.len().div_ceil(PARTS);
        for k in 0..self.schedule.terms.len() {
            writeln!(text, "var<private> term_{k}: Number;")?;
        }
        for k in 0..each {
            writeln!(text, "var<private> sum_{k}: Number;")?;
        }
        writeln!(text, "\nfn begin_sums(part: u32, row: u32, is_first: bool) {{")?;
        for k in 0..each {
            writeln!(text, "    sum_{k} = first_sum(part + {}u, row, is_first);", k * PARTS)?;
        }
        writeln!(text, "}}\n\nfn join_terms(part: u32, count: u32, channel: u32) {{")?;
        for k in 0..each {
            let term = |at: usize| match at < self.schedule.terms.len() {
                true => format!("term_{at}"),
                false => "Number(0.0)".to_owned(),
            };
            let [a, b, c, d] = [0, 1, 2, 3].map(|part| term(k * PARTS + part));
            writeln!(
                text,
                "    let terms_{k} = exchange(vec4<Number>({a}, {b}, {c}, {d}), channel);"
            )?;
            writeln!(
                text,
                "    sum_{k} = join(part + {}u, sum_{k}, terms_{k}, count);",
                k * PARTS
            )?;
        }
        writeln!(text, "}}\n\nfn end_sums(part: u32, row: u32) {{")?;
        for k in 0..each {
            writeln!(text, "    end_sum(part + {}u, row, sum_{k});", k * PARTS)?;
        }
        writeln!(text, "}}\n")
    }

    /// The way in which the terms of an output are joined, and the place of its numbers.
    fn outputs(&self, text: &mut String) -> fmt::Result {
        let start = |reduction| match reduction {
            Reduction::Sum => "Number(0.0)",
            Reduction::Max => "-infinity()",
            Reduction::Min => "infinity()",
        };
        let joined = |reduction| match reduction {
            Reduction::Sum => "sum + term",
            Reduction::Max => "select(sum, term, is_less(sum, term))",
            Reduction::Min => "select(sum, term, is_less(term, sum))",
        };
        let place = |before, width| format!("{before}u * summed.rows + row * {width}u + output - {before}u");
        self.by_output(text, "start_of(output: u32) -> Number", |reduction, _, _| {
            start(reduction).into()
        })?;
        self.by_output(
            text,
            "joined(output: u32, sum: Number, term: Number) -> Number",
            |reduction, _, _| joined(reduction).into(),
        )?;
        self.by_output(text, "place_of(output: u32, row: u32) -> u32", |_, before, width| {
            place(before, width)
        })
    }

    /// A function that returns for a number of the outputs what `value` says of its reduction, the numbers of outputs
    /// before, and the width.
    fn by_output(
        &self,
        text: &mut String,
        signature: &str,
        value: impl Fn(Reduction, usize, usize) -> String,
    ) -> fmt::Result {
        writeln!(text, "fn {signature} {{")?;
        let mut before = 0;
        let mut value_of_last = String::new();
        for output in &self.program.outputs {
            let value = value(output.reduction, before, output.width);
            if before > 0 && value != value_of_last {
                writeln!(
                    text,
                    "    if output < {before}u {{\n        return {value_of_last};\n    }}"
                )?;
            }
            (before, value_of_last) = (before + output.width, value);
        }
        writeln!(text, "    return {value_of_last};\n}}\n")
    }

    /// The axes whose coordinates pairs read.
    fn axes(&self) -> Range<usize> {
        match self.schedule.displaces {
            true => 0..self.points.dim,
            false => 0..0,
        }
    }

    /// The radius, or the type, that pairs read.
    fn radius(&self) -> Option<Component> {
        self.points.radius().filter(|_| self.schedule.cuts)
    }

    /// The cutoff of a pair: by its types, or by radii, which are never negative, and ordered as their bits are.
    pub(super) fn cutoff(&self, text: &mut String) -> fmt::Result {
        if let (Some((_, types)), Some(own_type)) = (self.points.types, self.radius()) {
            let other = self.record.number(Content::Field(own_type));
            return write!(text, "tables[u32(own_radius) * {types}u + u32({other})]");
        }
        let (Some((rule, _)), Some(radius)) = (self.points.radii, self.radius()) else {
            return write!(text, "mean_radius(i, j)");
        };
        let other = self.record.number(Content::Field(radius));
        let of_bits = |name| format!("bitcast<f32>({name}(bitcast<u32>(own_radius), bitcast<u32>({other})))");
        match rule {
            RadiusRule::Gather => write!(text, "own_radius"),
            RadiusRule::Scatter => write!(text, "{other}"),
            RadiusRule::Max => write!(text, "{}", of_bits("max")),
            RadiusRule::Min => write!(text, "{}", of_bits("min")),
            RadiusRule::Mean => write!(text, "0.5 * (own_radius + {other})"),
        }
    }

    /// The coordinate of a point along an axis; in real64 its bits.
    pub(super) fn coordinate(&self, point: &str, axis: usize) -> String {
        let at = format!("{point} * {}u + {axis}u", self.points.dim);
        match self.points.is_wide {
            true => format!("wide_coords[{at}]"),
            false => format!("bitcast<f32>(coord_word({at}))"),
        }
    }

    /// The displacement of points in real64. The axes share the one branch for what is not settled at once.
    fn displacement(&self, text: &mut String) -> fmt::Result {
        if self.axes().is_empty() || !self.points.is_wide {
            return Ok(());
        }
        for axis in self.axes() {
            let (other, length) = (self.coordinate("j", axis), self.length(axis));
            writeln!(text, "    let y_{axis} = {other};")?;
            writeln!(text, "    var d_{axis} = difference_of(x_{axis}, y_{axis}, {length});")?;
        }
        if self.is_double {
            return Ok(());
        }
        let are_settled: Vec<_> = self.axes().map(|axis| format!("is_settled(d_{axis})")).collect();
        writeln!(text, "    if !({}) {{", are_settled.join(" && "))?;
        for axis in self.axes() {
            let any = format!("difference_of_any(x_{axis}, y_{axis}, {})", self.length(axis));
            writeln!(text, "        if !is_settled(d_{axis}) {{ d_{axis} = {any}; }}")?;
        }
        writeln!(text, "    }}")
    }

    /// The bits of the length of an axis of points in real64, or 0 if none is periodic.
    fn length(&self, axis: usize) -> String {
        match self.points.is_periodic {
            true => format!("length_of_axis({axis}u)"),
            false => "vec2<u32>()".to_owned(),
        }
    }

    /// Loads the first `numbers` of a record.
    fn load(&self, text: &mut String, point: &str, numbers: usize) -> fmt::Result {
        for k in 0..numbers.div_ceil(LANES) {
            writeln!(text, "    let record_{k} = records[{point} * RECORD + {k}u];")?;
        }
        Ok(())
    }
}
