//! Every collective function, called wrongly by one rank: all ranks return, with one status and text, and the handle works afterwards.

mod calls;
mod reals;
mod rows;
mod side;

use std::collections::BTreeSet;

use super::comm::neargrid_search_refuse;
use super::neighbors::neargrid_neighbors_count;
use super::pairs::neargrid_pairs_count;
use super::settings::neargrid_search_set_cutoff;
use super::status::{NEARGRID_STATUS_BAD_COUNT, NEARGRID_STATUS_OK, neargrid_status};
use crate::ranks::fake::on_ranks;
use calls::{CALLS, Call};
use side::{CUTOFF, Side, call};

/// Functions that a rank calls without the others: settings, what is read of results, the memory of the caller, and those that take no
/// handle with ranks. Without a communicator or a handle a rank tells no other of its failure.
const ALONE: &[&str] = &[
    "neargrid_abi_version",
    "neargrid_carry_*",
    "neargrid_celllist_*",
    "neargrid_chunks_next",
    "neargrid_chunks_next_pairs",
    "neargrid_comm_create",
    "neargrid_comm_destroy",
    "neargrid_field_*",
    "neargrid_fof_copy",
    "neargrid_fof_view",
    "neargrid_formula_*",
    "neargrid_groups_copy_ids",
    "neargrid_groups_view_members",
    "neargrid_groups_view_sums",
    "neargrid_knn_ghosts_view_*",
    "neargrid_last_error",
    "neargrid_list_*",
    "neargrid_neighbors_distances_*",
    "neargrid_pair_field_*",
    "neargrid_pairs_distances_*",
    "neargrid_queries_distances_*",
    "neargrid_reorder",
    "neargrid_search_counter",
    "neargrid_search_create",
    "neargrid_search_create_across",
    "neargrid_search_destroy",
    "neargrid_search_info",
    "neargrid_search_order",
    "neargrid_search_set_active",
    "neargrid_search_set_backend",
    "neargrid_search_set_box",
    "neargrid_search_set_cell",
    "neargrid_search_set_cutoff",
    "neargrid_search_set_device",
    "neargrid_search_set_exclusions",
    "neargrid_search_set_exclusions_by_ids",
    "neargrid_search_set_exclusions_by_ids_shifts",
    "neargrid_search_set_exclusions_shifts",
    "neargrid_search_set_field_*",
    "neargrid_search_set_ghost_pairs",
    "neargrid_search_set_ghost_rows",
    "neargrid_search_set_ids",
    "neargrid_search_set_index_base",
    "neargrid_search_set_knn_within",
    "neargrid_search_set_memory_limit",
    "neargrid_search_set_pair_field_f32",
    "neargrid_search_set_pair_field_f64",
    "neargrid_search_set_primary_types",
    "neargrid_search_set_radii_*",
    "neargrid_search_set_roles",
    "neargrid_search_set_skin",
    "neargrid_search_set_threads",
    "neargrid_search_set_tie_rule",
    "neargrid_search_set_type_cutoffs",
    "neargrid_search_set_types",
    "neargrid_search_skin_used",
    "neargrid_search_timing",
    "neargrid_search_trim",
    "neargrid_status_name",
    "neargrid_sum_*",
    "neargrid_systems_view_*",
    "neargrid_version",
];

/// Each function that the library exports is called here, or listed as one that a rank calls alone.
#[test]
fn all_functions() {
    let symbols = include_str!("../../tests/abi/symbols.txt").lines();
    let exported: BTreeSet<&str> = symbols.filter(|symbol| symbol.starts_with("neargrid_")).collect();
    let mut known: BTreeSet<&str> = CALLS.iter().map(|call| call.name).collect();
    known.insert("neargrid_search_refuse"); // in the place of every call
    assert_eq!(known.len(), CALLS.len() + 1, "a call comes twice");
    for &alone in ALONE {
        let is_meant = |name: &&str| match alone.strip_suffix('*') {
            Some(front) => name.starts_with(front),
            None => *name == alone,
        };
        let meant: Vec<&str> = exported.iter().copied().filter(is_meant).collect();
        assert!(!meant.is_empty(), "{alone} is not exported");
        assert!(
            meant.into_iter().all(|name| known.insert(name)),
            "{alone} is here twice"
        );
    }
    assert_eq!(known, exported);
}

/// The fault of a rank.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// An argument of this number.
    Argument(usize),
    /// Another call.
    Call,
    /// Another cutoff.
    Cutoff,
    /// The call is refused before it is made.
    Refusal,
}

fn faults(asked: &Call) -> Vec<Fault> {
    let mut faults: Vec<Fault> = (1..=asked.arguments).map(Fault::Argument).collect();
    faults.extend([Fault::Call, Fault::Refusal]);
    if asked.is_query {
        faults.push(Fault::Cutoff);
    }
    faults
}

/// The call of a rank that does it wrongly.
fn wrongly(side: &mut Side, asked: &Call, fault: Fault) -> neargrid_status {
    match fault {
        Fault::Argument(number) => (asked.call)(side, number),
        Fault::Call if asked.name == "neargrid_pairs_count" => {
            call!(neargrid_neighbors_count(side.search, 0, &raw mut side.counts[0]))
        }
        Fault::Call => call!(neargrid_pairs_count(side.search, &raw mut side.counts[0])),
        Fault::Refusal => call!(neargrid_search_refuse(
            side.search,
            NEARGRID_STATUS_BAD_COUNT,
            c"size(x) = 3".as_ptr()
        )),
        Fault::Cutoff => {
            side.ok(call!(neargrid_search_set_cutoff(side.search, 0.9 * CUTOFF)));
            let status = (asked.call)(side, 0);
            let text = side.told();
            side.ok(call!(neargrid_search_set_cutoff(side.search, CUTOFF)));
            side.text = text;
            status
        }
    }
}

/// The status and text of each fault on a rank. Each rank is at fault in turn.
fn failures(side: &mut Side, asked: &Call) -> Vec<(neargrid_status, String)> {
    let mut told = Vec::new();
    for (k, fault) in faults(asked).into_iter().enumerate() {
        let status = match side.rank == k % side.ranks {
            true => wrongly(side, asked, fault),
            false => (asked.call)(side, 0),
        };
        let text = side.told();
        told.push((status, text));
        let status = (asked.call)(side, 0);
        side.ok(status);
    }
    let count = &raw mut side.counts[0];
    side.ok(call!(neargrid_pairs_count(side.search, count)));
    told
}

/// The faults of a call that are not failures of all ranks.
fn complaints(asked: &Call, ranks: usize) -> Vec<String> {
    let told = on_ranks(ranks, |comm| {
        let mut side = Side::new(comm, asked.name.ends_with("_f32"));
        let told = failures(&mut side, asked);
        (told, std::mem::take(&mut side.unexpected))
    });
    let unexpected = told.iter().flat_map(|(_, unexpected)| unexpected);
    let mut complaints: Vec<String> = unexpected.map(|text| format!("{}: {text}", asked.name)).collect();
    for (k, fault) in faults(asked).into_iter().enumerate() {
        let (status, text) = &told[0].0[k];
        let is_told = *status != NEARGRID_STATUS_OK && text.contains("rank");
        if !is_told || told.iter().any(|(other, _)| other[k] != told[0].0[k]) {
            let all: Vec<_> = told.iter().map(|(other, _)| &other[k]).collect();
            complaints.push(format!("{}, {fault:?} on rank {}: {all:?}", asked.name, k % ranks));
        }
    }
    complaints
}

/// A rank that waits for another in vain ends the test.
#[test]
fn no_rank_waits() {
    let cases = CALLS.iter().flat_map(|asked| [2, 3].map(|ranks| (asked, ranks)));
    let all: Vec<String> = cases.flat_map(|(asked, ranks)| complaints(asked, ranks)).collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}
