//! The table, for people and as CSV. In: rows and what was measured. Out: lines.

use crate::Report;
use crate::measure::Measured;

/// The heading above [`line`]s.
pub fn heading() -> String {
    format!(
        "{:4} {:4} {:5} {:8} {:>3} {:>10} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7} {:>8} {:>7} {:>7}  {}",
        "case",
        "real",
        "query",
        "backend",
        "thr",
        "entries",
        "ms",
        "min",
        "upload",
        "index",
        "count",
        "fill",
        "download",
        "M/s",
        "first",
        "peak MB",
        "held MB",
        "checked by"
    )
}

/// A row, and for a GPU what the search took on it.
pub fn line(report: &Report) -> String {
    let Report {
        row,
        measured: m,
        on,
        checked,
    } = report;
    let backend = match row.backend == *on {
        true => on.clone(),
        false => format!("{}:{on}", row.backend),
    };
    let mut text = format!(
        "{:4} {:4} {:5} {backend:8} {:3} {:10} {:9.3} {:9.3} {:8.3} {:8.3} {:8.3} {:8.3} {:8.3} {:7.1} {:8.1} {:7.1} {:7.1}  {checked}",
        row.case_label(),
        row.precision,
        row.query_label(),
        m.threads,
        m.entries,
        m.ms,
        m.ms_min,
        m.upload_ms,
        m.index_ms,
        m.count_ms,
        m.fill_ms,
        m.download_ms,
        m.mega_per_s,
        m.first_ms,
        m.peak_mb,
        m.held_mb
    );
    if on == "gpu" {
        text += &format!(
            "\n{:19} alone {:>25.3} {:9.3} {:>8} {:8.3} {:8.3} {:8.3} {:>8} {:7.1}  {:.3} by its own clock; holds {:.1} MB",
            "",
            m.device_ms,
            m.device_ms_min,
            "",
            m.device_index_ms,
            m.device_count_ms,
            m.device_fill_ms,
            "",
            m.device_mega_per_s,
            m.device_clock_ms,
            m.device_mb
        );
    }
    text
}

/// The names of [`record`]'s fields. Times are in milliseconds, memory in units of 10^6 bytes; empty: there is none.
pub fn csv_heading() -> String {
    let settings = "version,machine,case,domain,precision,query,k,backend,threads_set,on,checked_by";
    format!("{settings},{}", Measured::NAMES.join(","))
}

/// A row as CSV.
pub fn record(report: &Report, machine: &str) -> String {
    let Report {
        row,
        measured,
        on,
        checked,
    } = report;
    let settings = format!(
        "{},{},{},{},{},{},{},{},{},{on},{checked}",
        env!("CARGO_PKG_VERSION"),
        quoted(machine),
        row.case,
        row.domain,
        row.precision,
        row.query,
        row.k,
        row.backend,
        row.threads
    );
    let number = |value: &f64| match value.is_nan() {
        true => String::new(),
        false => ((1e6 * value).round() / 1e6).to_string(),
    };
    let numbers: Vec<_> = measured.values().iter().map(number).collect();
    format!("{settings},{}", numbers.join(","))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
