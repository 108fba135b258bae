//! Searches across ranks: which points ranks need of each other, and what they find together.
//!
//! in: the points of this rank, and a communicator; out: plans, ghosts, fields of ghosts, and results over all ranks.

mod agree;
mod blocks;
mod boxes;
mod cloud;
mod coarse;
mod comm;
mod curve;
mod fof;
mod groups;
mod halo;
mod ids;
mod knn;
mod mail;
mod migration;
mod parcels;
mod plan;
mod shell;
mod stats;
mod team;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;
