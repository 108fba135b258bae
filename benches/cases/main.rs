//! The standard cases, timed and checked: `cargo bench -p neargrid-benches --bench cases -- [OPTION=VALUE ...]`; a wrong option
//! lists all.
//!
//! A row of the table is one case, precision, query, backend and number of threads, and a process of its own. It makes
//! the first call cold, works for a while, and then times whole calls on a warm handle, from the caller's coordinates to
//! the caller's memory, index included:
//!
//! * `pairs`: both columns of pairs into arrays that were written before
//! * `fresh`: the same into memory never touched
//! * `full`: points copied into the handle, and all neighbors of all points into the handle's memory
//! * `chunks`: the pairs in chunks of a million
//! * `sum`: points copied into the handle, and the density of each by a formula, with masses set and densities copied
//! * `loop`: the same densities by a loop over the rows of `full`
//! * `forces`: points copied into the handle, and the accelerations and density rates of SPH particles by a formula, with four fields set
//!   and two outputs copied
//! * `forceloop`: the same by a loop over the rows of `full`
//! * `stages`: points copied into the handle, and densities, pressures and accelerations by one formula in the precision of the points, with
//!   two fields set and accelerations copied: two sums at one position, where `forces` has one
//! * `step`: a whole time step by one formula in the precision of the points, which moves them: `stages`, the largest speed, kick and
//!   drift. Only the first call sets points and fields, and no array comes back
//! * `knn`: points copied into the handle, and the k nearest of each with their distances into arrays; compared with the plain loop
//! * `fof`: points copied into the handle, and the labels of groups into an array, linked by a fifth of the mean spacing;
//!   compared with the components of the pairs, whatever the other backend
//! * `gather`, `scatter`, `max`, `min`, `mean`: as `full`, by radii spread over 1 to `spread` that give as many neighbors as cases
//!   R5 and R6 have by their cutoff
//!
//! and on a GPU also `alone`: from the points there to the result there. The result that was timed is then compared with
//! that of the other backend, or without a GPU with the plain loop's; one wrong bit stops the program.

mod check;
mod cloud;
mod forces;
mod loops;
mod measure;
mod options;
mod plot;
mod steps;
mod sums;
mod table;

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use measure::{Measured, measure};
use options::{Options, Outcome, Row};

/// A row with what it gave.
pub struct Report {
    row: Row,
    measured: Measured,
    /// The processor that searched: `cpu` or `gpu`.
    on: String,
    /// The check that found the same.
    checked: String,
}

fn main() -> ExitCode {
    let done = Options::parse(std::env::args().skip(1)).and_then(|options| match options.text("child") {
        "" => compare(&options),
        _ => answer(&options),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Makes the table, row by row.
fn compare(options: &Options) -> Outcome<()> {
    for variable in ["NEARGRID_BACKEND", "NEARGRID_THREADS"] {
        if std::env::var_os(variable).is_some_and(|value| !value.is_empty()) {
            return Err(format!("{variable} would decide for all rows: unset it").into());
        }
    }
    let (gpu, hardware) = gpu();
    let rows = options.rows(hardware)?;
    write_points(options, &rows)?;
    let with_gpu = hardware || options.asks_for("gpu");
    let judge = if with_gpu { "gpu" } else { "loop" };
    let machine = machine(gpu.filter(|_| with_gpu));
    let mut csv = file(options.text("csv"))?;
    let svg = file(options.text("svg"))?;
    println!("{machine}; times in ms\n{}", table::heading());
    if let Some(csv) = &mut csv {
        writeln!(csv, "{}", table::csv_heading())?;
    }
    let mut reports = Vec::new();
    for row in rows {
        let report = ask(row, options, judge)?;
        println!("{}", table::line(&report));
        if let Some(csv) = &mut csv {
            writeln!(csv, "{}", table::record(&report, &machine))?;
        }
        reports.push(report);
    }
    match svg {
        Some(mut svg) => Ok(svg.write_all(plot::svg(&reports, &machine).as_bytes())?),
        None => Ok(()),
    }
}

/// Has a new process measure `row`.
fn ask(row: Row, options: &Options, judge: &str) -> Outcome<Report> {
    let output = Command::new(std::env::current_exe()?)
        .args(row.options())
        .args([
            format!("runs={}", options.runs()?),
            format!("check={judge}"),
            "child=yes".to_owned(),
        ])
        .stderr(Stdio::inherit())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut parts = text.trim().split(';').map(str::to_owned);
    match (output.status.success(), parts.next(), parts.next(), parts.next()) {
        (true, Some(on), Some(checked), Some(numbers)) => {
            let numbers = numbers.split(',').map_while(|number| number.parse().ok());
            let measured = Measured::from_values(numbers).ok_or("a row has too few numbers")?;
            Ok(Report {
                row,
                measured,
                on,
                checked,
            })
        }
        _ => Err(format!("stopped at {row}: {}", output.status).into()),
    }
}

/// Measures one row for the process that asks.
fn answer(options: &Options) -> Outcome<()> {
    let rows = options.rows(false)?;
    let row = rows.first().ok_or("no row")?;
    let (runs, judge) = (options.runs()?, options.text("check"));
    let (measured, on, checked) = match &row.precision[..] {
        "f64" => measure::<f64>(row, runs, judge),
        _ => measure::<f32>(row, runs, judge),
    }
    .map_err(|error| format!("{row}: {error}"))?;
    let numbers: Vec<_> = measured.values().iter().map(f64::to_string).collect();
    println!("{on};{checked};{}", numbers.join(","));
    Ok(())
}

/// The name of the GPU that a search would take, and whether it is more than software.
#[cfg(feature = "gpu")]
fn gpu() -> (Option<String>, bool) {
    let named = std::env::var("NEARGRID_DEVICE").ok();
    let choose = |software| neargrid::choose_device(named.as_deref(), software).ok();
    let name = |index| Some(neargrid::devices().into_iter().nth(index)?.name);
    let chosen = choose(true).and_then(|choice| name(*choice.candidates.first()?));
    (chosen, choose(false).is_some())
}

/// None in this build.
#[cfg(not(feature = "gpu"))]
fn gpu() -> (Option<String>, bool) {
    (None, false)
}

/// Processor, hardware threads, GPU.
fn machine(gpu: Option<String>) -> String {
    let about = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = about.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or(std::env::consts::ARCH, |model| {
        model.trim_start_matches([' ', '\t', ':'])
    });
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut parts = vec![format!("{model}, {threads} threads")];
    parts.extend(gpu);
    parts.join("; ")
}

/// The file of that name, if there is a name.
fn file(path: &str) -> Outcome<Option<File>> {
    match path {
        "" => Ok(None),
        _ => create(path).map(Some),
    }
}

/// The file, in a directory that is made where it is missing.
fn create(path: &str) -> Outcome<File> {
    if let Some(directory) = Path::new(path).parent() {
        std::fs::create_dir_all(directory)?;
    }
    File::create(path).map_err(|error| format!("{path}: {error}").into())
}

/// The clouds for other programs, where they were asked for.
fn write_points(options: &Options, rows: &[Row]) -> Outcome<()> {
    let directory = options.text("points");
    let mut cases: Vec<_> = rows.iter().map(|row| &row.case).collect();
    cases.dedup();
    for case in cases.into_iter().filter(|_| !directory.is_empty()) {
        let cloud = cloud::cloud::<f64>(case, "case")?;
        let mut bytes = Vec::new();
        for point in cloud.coords.chunks(cloud.dim) {
            for axis in 0..3 {
                bytes.extend(point.get(axis).unwrap_or(&0.0).to_ne_bytes());
            }
        }
        create(&format!("{directory}/{case}.f64"))?.write_all(&bytes)?;
    }
    Ok(())
}
