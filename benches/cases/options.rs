//! The command line. In: `OPTION=VALUE` arguments. Out: the rows of the table.

use std::fmt;

use neargrid::RadiusRule;

use crate::cloud::CASES;

/// Options, what they are when not given, and what they mean.
const OPTIONS: [(&str, &str, &str); 14] = [
    (
        "cases",
        "C1,C1s,C2,C3,C4,C5,C6,C7,C8,C9",
        "or U7 (needs 8 GB), B7, H6, H7, D6 (the same), K6, L6, O6, R5, R6, W5, W5m, W5g, W6, W6m, F4s, F4n",
    ),
    ("domain", "case", "or open, periodic"),
    ("precision", "f64,f32", "of the coordinates"),
    (
        "query",
        "pairs",
        "or fresh, full, chunks, sum, loop, forces, forceloop, stages, step, knn, fof, gather, scatter, max, min, mean",
    ),
    ("k", "8", "neighbors of a row, for knn"),
    (
        "spread",
        "100",
        "of radii, the largest over the smallest; 1 for all alike",
    ),
    ("backend", "", "of cpu, gpu, auto; else cpu, and a GPU in hardware"),
    ("threads", "", "0 for automatic; else that, and on the cpu also 1"),
    ("runs", "7", "timed calls a row at least"),
    ("csv", "", "a file for the table"),
    ("svg", "", "a file for the plot"),
    ("points", "", "a directory for CASE.f64, three real64 a point"),
    ("check", "", "from the program to itself: who checks"),
    ("child", "", "from the program to itself: measure one row"),
];

/// All queries; the last five are full rows by radii.
const QUERIES: [&str; 17] = [
    "pairs",
    "fresh",
    "full",
    "chunks",
    "sum",
    "loop",
    "forces",
    "forceloop",
    "stages",
    "step",
    "knn",
    "fof",
    "gather",
    "scatter",
    "max",
    "min",
    "mean",
];

/// An obstacle, for the user to read.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The options given.
pub struct Options(Vec<(String, String)>);

impl Options {
    /// Takes arguments apart; `--bench` is cargo's.
    pub fn parse(args: impl Iterator<Item = String>) -> Outcome<Options> {
        let mut given = Vec::new();
        for arg in args.filter(|arg| arg != "--bench") {
            match arg.split_once('=') {
                Some((key, value)) if OPTIONS.iter().any(|option| option.0 == key) => {
                    given.push((key.to_owned(), value.to_owned()));
                }
                _ => return Err(format!("'{arg}' is not an option; options are\n{}", usage()).into()),
            }
        }
        Ok(Options(given))
    }

    /// The value given last, or else the default.
    pub fn text(&self, key: &str) -> &str {
        let default = || {
            OPTIONS
                .iter()
                .find(|option| option.0 == key)
                .map_or("", |option| option.1)
        };
        let given = self.0.iter().rfind(|option| option.0 == key);
        given.map_or_else(default, |option| &option.1)
    }

    /// The values between commas.
    fn list(&self, key: &str) -> Vec<&str> {
        self.text(key).split(',').filter(|value| !value.is_empty()).collect()
    }

    /// Calls to time at least.
    pub fn runs(&self) -> Outcome<usize> {
        Ok(number("runs", self.text("runs"))?.max(1) as usize)
    }

    /// Whether somebody asked for `backend`.
    pub fn asks_for(&self, backend: &str) -> bool {
        self.list("backend").contains(&backend)
    }

    /// All rows asked for; `gpu`: there is one to be compared unasked.
    pub fn rows(&self, gpu: bool) -> Outcome<Vec<Row>> {
        let mut backends = self.list("backend");
        if backends.is_empty() {
            backends = if gpu { vec!["cpu", "gpu"] } else { vec!["cpu"] };
        }
        let mut rows = Vec::new();
        let columns = ["cases", "domain", "precision", "query", "k", "spread"].map(|key| self.list(key));
        for asked in every(&columns) {
            for backend in &backends {
                let mut threads = self.list("threads");
                if threads.is_empty() {
                    threads = if *backend == "cpu" { vec!["1", "0"] } else { vec!["0"] };
                }
                for settings in every(&[vec![*backend], threads]) {
                    rows.push(Row::new(&asked, &settings)?);
                }
            }
        }
        Ok(rows)
    }
}

/// Each value of each column with each of the others; the last column's change first.
fn every<'a>(columns: &[Vec<&'a str>]) -> Vec<Vec<&'a str>> {
    let longer = |rows: Vec<Vec<&'a str>>, column: &Vec<&'a str>| {
        let with_each = |row: Vec<&'a str>| {
            column
                .iter()
                .map(|value| [&row[..], &[value]].concat())
                .collect::<Vec<_>>()
        };
        rows.into_iter().flat_map(with_each).collect()
    };
    columns.iter().fold(vec![Vec::new()], longer)
}

fn usage() -> String {
    let line = |&(key, default, meaning): &(&str, &str, &str)| match default {
        "" => format!("  {key}=  {meaning}\n"),
        _ => format!("  {key}={default}  {meaning}\n"),
    };
    OPTIONS[..OPTIONS.len() - 2].iter().map(line).collect()
}

fn number(key: &str, value: &str) -> Outcome<i64> {
    value
        .parse()
        .map_err(|_| format!("{key} is a number, not '{value}'").into())
}

/// The measurement of one row of the table.
#[derive(Clone, Debug)]
pub struct Row {
    pub case: String,
    /// `open`, `periodic`, or as the `case` is.
    pub domain: String,
    /// `f64` or `f32`.
    pub precision: String,
    /// One of [`QUERIES`].
    pub query: String,
    /// Neighbors of a row, for `knn`.
    pub k: i64,
    /// The largest radius over the smallest, for a query by radii.
    pub spread: i64,
    /// `cpu`, `gpu` or `auto`.
    pub backend: String,
    /// As set: 0 is automatic.
    pub threads: i64,
}

impl Row {
    fn new(asked: &[&str], settings: &[&str]) -> Outcome<Row> {
        let (&[case, domain, precision, query, k, spread], &[backend, threads]) = (asked, settings) else {
            return Err("a row has another number of settings".into());
        };
        let one_of = |key: &str, value: &str, allowed: &[&str]| match allowed.contains(&value) {
            true => Ok(value.to_owned()),
            false => Err(format!("{key} may be {}, not '{value}'", allowed.join(", "))),
        };
        let spread = number("spread", spread)?;
        if spread < 1 {
            return Err(format!("spread is at least 1, not {spread}").into());
        }
        Ok(Row {
            case: one_of("cases", case, &CASES)?,
            domain: one_of("domain", domain, &["case", "open", "periodic"])?,
            precision: one_of("precision", precision, &["f64", "f32"])?,
            query: one_of("query", query, &QUERIES)?,
            k: number("k", k)?,
            spread,
            backend: one_of("backend", backend, &["cpu", "gpu", "auto"])?,
            threads: number("threads", threads)?,
        })
    }

    /// The case, marked where its domain is not its own.
    pub fn case_label(&self) -> String {
        let mark = match &self.domain[..] {
            "open" => "o",
            "periodic" => "p",
            _ => "",
        };
        format!("{}{mark}", self.case)
    }

    /// The query, with k where it has one, and radii's spread where it is not that of the standard cases.
    pub fn query_label(&self) -> String {
        match &self.query[..] {
            "knn" => format!("knn{}", self.k),
            rule if self.rule().is_some() && self.spread != 100 => format!("{rule}{}", self.spread),
            query => query.to_owned(),
        }
    }

    /// The rule of a query by radii.
    pub fn rule(&self) -> Option<RadiusRule> {
        Some(match &self.query[..] {
            "gather" => RadiusRule::Gather,
            "scatter" => RadiusRule::Scatter,
            "max" => RadiusRule::Max,
            "min" => RadiusRule::Min,
            "mean" => RadiusRule::Mean,
            _ => return None,
        })
    }

    /// The options that ask for this row alone.
    pub fn options(&self) -> Vec<String> {
        let Row {
            case,
            domain,
            precision,
            query,
            k,
            spread,
            backend,
            threads,
        } = self;
        vec![
            format!("cases={case}"),
            format!("domain={domain}"),
            format!("precision={precision}"),
            format!("query={query}"),
            format!("k={k}"),
            format!("spread={spread}"),
            format!("backend={backend}"),
            format!("threads={threads}"),
        ]
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.options().join(" "))
    }
}
