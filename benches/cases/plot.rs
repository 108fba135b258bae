//! The table as a picture. In: reports. Out: SVG: entries per second, a panel for each precision and query, a group of
//! bars for each case, on a logarithmic scale that all panels share.

use std::fmt::Write;

use crate::Report;

const WIDTH: f64 = 960.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
/// Above the first panel: title, machine, legend.
const HEAD: f64 = 84.0;
/// A panel: its heading, its bars and the names of its cases.
const PANEL: f64 = 296.0;
const HEADING: f64 = 34.0;
const BARS: f64 = 212.0;
const COLORS: [&str; 6] = ["#56b4e9", "#0072b2", "#e69f00", "#d55e00", "#009e73", "#cc79a7"];

/// The picture.
pub fn svg(reports: &[Report], machine: &str) -> String {
    let bars: Vec<Bar> = reports.iter().flat_map(bars_of).filter(|bar| bar.value > 0.0).collect();
    let panels = distinct(bars.iter().map(|bar| &bar.panel[..]));
    let chart = Chart {
        cases: distinct(bars.iter().map(|bar| &bar.case[..])),
        series: distinct(bars.iter().map(|bar| &bar.series[..])),
        scale: Scale::of(&bars),
    };
    let height = HEAD + PANEL * panels.len() as f64;
    let mut out = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{height}' viewBox='0 0 {WIDTH} {height}' \
         font-family='sans-serif' font-size='12'>\n<rect width='{WIDTH}' height='{height}' fill='white'/>\n"
    );
    let title = format!(
        "neargrid {}: entries of the result per second",
        env!("CARGO_PKG_VERSION")
    );
    text(&mut out, [LEFT, 24.0], "font-size='16' font-weight='bold'", &title);
    text(&mut out, [LEFT, 42.0], "fill='#555'", machine);
    chart.legend(&mut out);
    for (k, panel) in panels.iter().enumerate() {
        let top = HEAD + PANEL * k as f64;
        text(&mut out, [LEFT, top + 16.0], "font-weight='bold'", panel);
        let bottom = top + HEADING + BARS;
        chart.lines(&mut out, bottom);
        for bar in bars.iter().filter(|bar| bar.panel == *panel) {
            chart.bar(&mut out, bar, bottom);
        }
        chart.names(&mut out, reports, bottom);
    }
    out + "</svg>\n"
}

/// Each once, in the order of first appearance.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

struct Bar {
    panel: String,
    case: String,
    series: String,
    /// Entries a second.
    value: f64,
}

fn bars_of(report: &Report) -> Vec<Bar> {
    let row = &report.row;
    let query = match &row.query[..] {
        "full" => "neighbors of all points".to_owned(),
        "fresh" => "pairs into fresh memory".to_owned(),
        "chunks" => "pairs in chunks".to_owned(),
        "knn" => format!("{} nearest of each point", row.k),
        "fof" => "labels of groups".to_owned(),
        rule if row.rule().is_some() => format!("neighbors by radii of 1:{}, {rule}", row.spread),
        query => query.to_owned(),
    };
    let panel = format!("real{}, {query}", &row.precision[1..]);
    let bar = |series, millions| Bar {
        panel: panel.clone(),
        case: row.case_label(),
        series,
        value: 1e6 * millions,
    };
    let threads = match row.threads {
        0 => "all threads".to_owned(),
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    let whole = match (&row.backend[..], row.threads) {
        ("gpu", 0) => "gpu, host to host".to_owned(),
        (backend, _) => format!("{backend}, {threads}"),
    };
    let mut bars = vec![bar(whole, report.measured.mega_per_s)];
    if row.backend == "gpu" {
        bars.push(bar("gpu, alone".to_owned(), report.measured.device_mega_per_s));
    }
    bars
}

/// The frame that all panels share.
struct Chart<'a> {
    cases: Vec<&'a str>,
    series: Vec<&'a str>,
    scale: Scale,
}

impl Chart<'_> {
    /// The middle of a case's group of bars.
    fn middle(&self, case: &str) -> f64 {
        let at = self.cases.iter().position(|&name| name == case).unwrap_or(0);
        LEFT + self.group() * (at as f64 + 0.5)
    }

    fn group(&self) -> f64 {
        (WIDTH - LEFT - RIGHT) / self.cases.len() as f64
    }

    fn bar(&self, out: &mut String, bar: &Bar, bottom: f64) {
        let series = self.series.iter().position(|&name| name == bar.series).unwrap_or(0);
        let width = (0.86 * self.group() / self.series.len() as f64).min(30.0);
        let x = self.middle(&bar.case) + width * (series as f64 - self.series.len() as f64 / 2.0);
        let (inner, height) = (width - 1.0, self.scale.height(bar.value));
        let (y, color) = (bottom - height, COLORS[series % COLORS.len()]);
        let about = escaped(&format!("{}, {}: {}/s", bar.case, bar.series, short(bar.value)));
        let _ = writeln!(
            out,
            "<rect x='{x:.1}' y='{y:.1}' width='{inner:.1}' height='{height:.1}' fill='{color}'>\
             <title>{about}</title></rect>"
        );
        let millions = bar.value / 1e6;
        let digits = if millions < 10.0 { 1 } else { 0 };
        let style = "text-anchor='middle' font-size='9'";
        text(out, [x + inner / 2.0, y - 3.0], style, &format!("{millions:.digits$}"));
    }

    /// A line at each digit of each decade.
    fn lines(&self, out: &mut String, bottom: f64) {
        for decade in self.scale.low..=self.scale.high {
            let digits = if decade == self.scale.high { 1..2 } else { 1..10 };
            for digit in digits {
                let value = f64::from(digit) * 10f64.powi(decade);
                let y = bottom - self.scale.height(value);
                let color = if digit == 1 { "#bbb" } else { "#eee" };
                let _ = writeln!(out, "<path d='M{LEFT} {y:.1}H{}' stroke='{color}'/>", WIDTH - RIGHT);
                if digit == 1 {
                    let name = format!("{}/s", short(value));
                    text(out, [LEFT - 6.0, y + 4.0], "text-anchor='end' fill='#555'", &name);
                }
            }
        }
    }

    fn names(&self, out: &mut String, reports: &[Report], bottom: f64) {
        for case in &self.cases {
            let x = self.middle(case);
            text(out, [x, bottom + 18.0], "text-anchor='middle' font-weight='bold'", case);
            let size = reports.iter().find(|report| report.row.case_label() == *case);
            let size = size.map_or(String::new(), |report| {
                format!("{} points", short(report.measured.points))
            });
            text(
                out,
                [x, bottom + 32.0],
                "text-anchor='middle' font-size='10' fill='#555'",
                &size,
            );
        }
    }

    fn legend(&self, out: &mut String) {
        let mut x = LEFT;
        for (name, color) in self.series.iter().zip(COLORS.iter().cycle()) {
            let _ = writeln!(out, "<rect x='{x}' y='56' width='12' height='12' fill='{color}'/>");
            text(out, [x + 17.0, 66.0], "", name);
            x += 36.0 + 6.5 * name.len() as f64;
        }
        text(
            out,
            [WIDTH - RIGHT, 66.0],
            "text-anchor='end' fill='#555'",
            "numbers on bars: millions",
        );
    }
}

/// Whole decades that hold all bars.
struct Scale {
    low: i32,
    high: i32,
}

impl Scale {
    fn of(bars: &[Bar]) -> Scale {
        let least = bars.iter().fold(f64::INFINITY, |least, bar| least.min(bar.value));
        let most = bars.iter().fold(1.0, |most: f64, bar| most.max(bar.value));
        let low = (least.min(most) / 1.5).log10().floor() as i32;
        Scale {
            low,
            high: (1.2 * most).log10().ceil() as i32,
        }
    }

    /// Above the bottom.
    fn height(&self, value: f64) -> f64 {
        BARS * (value.log10() - f64::from(self.low)) / f64::from(self.high - self.low)
    }
}

fn text(out: &mut String, [x, y]: [f64; 2], style: &str, text: &str) {
    let _ = writeln!(out, "<text x='{x:.1}' y='{y:.1}' {style}>{}</text>", escaped(text));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// 100000 as 100 k.
fn short(value: f64) -> String {
    let (unit, name) = match value {
        1e9.. => (1e9, " G"),
        1e6.. => (1e6, " M"),
        1e3.. => (1e3, " k"),
        _ => (1.0, ""),
    };
    format!("{}{name}", (10.0 * value / unit).round() / 10.0)
}
