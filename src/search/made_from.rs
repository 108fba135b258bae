//! The inputs from which each computed value of a handle is made.
//!
//! A computed value is valid exactly while its inputs, listed here, are the current ones. Numbers are compared by value, arrays
//! by their [`Version`]. A new setting goes into the key of each value that depends on it, here and nowhere else.

use super::inputs::Inputs;
use super::neighbors::{Layout, NeighborsKind, Sought};
use crate::cell::Cell;
use crate::domain::TieRule;
use crate::error::Result;
use crate::ids::Arrangement;
use crate::plan::{Backend, Settings, WantedDevice};
use crate::points::Stamp;
use crate::version::Version;

/// The order in which points are searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrderOf {
    points: usize,
    queries: usize,
    active: usize,
    /// The roles, where points have such.
    kinds: Option<Version>,
    ids: Version,
    arrangement: Arrangement,
}

/// An index of the points, on the CPU or on a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexOf {
    points: [Version; 2],
    order: Option<OrderOf>,
    reach: ReachOf,
}

/// The reach that an index is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReachOf {
    /// A cutoff, or one with a skin.
    Cutoff(f64),
    /// A radius per point, and per query for the rows of those, or cutoffs by types; and what groups of points are made of.
    Radii {
        radii: Version,
        of_queries: bool,
        kinds: Version,
        tie_rule: TieRule,
        skin: f64,
    },
}

/// The classes of the points in each cell of a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellsOf {
    pub grid: Option<Version>,
    pub kinds: Version,
}

/// Row lengths, and what is kept to fill the rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountOf {
    /// Of the index, or of the list with a skin.
    pub from: Version,
    points: [Version; 2],
    kind: NeighborsKind,
    base: i64,
    tie_rule: TieRule,
    kinds: Version,
    excluded: Option<Version>,
    memory_limit: Option<u64>,
    /// Bytes that are kept of rows to be delivered in chunks.
    kept: Option<usize>,
}

/// A list of ids, or of left points, in memory of the handle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListOf {
    pub counts: Option<Version>,
    pub layout: Layout,
}

/// Chunks that are being delivered. They end with every change of points or settings, and with the next query.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamOf {
    query: Version,
    points: [Version; 2],
    settings: Settings,
    cell: Option<Cell>,
    kinds: [Version; 2],
    ids: Version,
    radii: Version,
    exclusions: Version,
    excluded_too: bool,
}

/// A list with a skin, without the positions of the points, which may change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkinOf {
    lineage: Version,
    cutoff: Option<f64>,
    skin: f64,
    kinds: Version,
    ids: Version,
    radii: Version,
    excluded: Option<Version>,
}

/// A list with a skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkinListOf {
    skin: SkinOf,
    kind: NeighborsKind,
    order: Option<OrderOf>,
    base: i64,
    tie_rule: TieRule,
}

/// The part of the skin that the last update used: the points, and the list.
pub type SkinUseOf = (Version, SkinOf);

/// Labels of groups, and the catalogue of groups.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FofOf {
    points: Version,
    cell: Option<Cell>,
    cutoff: Option<f64>,
    tie_rule: TieRule,
    base: i64,
    ids: Version,
    radii: Version,
    kinds: Option<[Version; 2]>,
}

/// The layer of images of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerOf {
    points: Version,
    /// Without ghosts, and with them.
    counts: [usize; 2],
    ids: Version,
    cell: Option<Cell>,
    cutoff: Option<f64>,
    /// No search knows it.
    is_tested: bool,
}

/// Rows of images.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImagesOf {
    layer: LayerOf,
    kind: NeighborsKind,
    base: i64,
    tie_rule: TieRule,
    kinds: Version,
    excluded: Option<Version>,
    memory_limit: Option<u64>,
}

/// That a GPU failed where the backend is chosen automatically: it is not tried again while this stays.
pub type FailureOf = (Backend, WantedDevice<'static>);

impl Inputs {
    /// `is_list`: of rows that are only listed. The rows of a formula are read in the order of ids.
    pub fn order_of(&self, kind: NeighborsKind, is_list: bool) -> Result<OrderOf> {
        Ok(OrderOf {
            points: self.len,
            queries: self.queries.unwrap_or(0),
            active: self.kinds.active_of(self.len)?,
            kinds: Some(self.kinds.version()).filter(|_| self.kinds.roles().are_set()),
            ids: self.ids.version(),
            arrangement: match kind {
                NeighborsKind::Half if self.kinds.lists_all_ghosts() => Arrangement::ActiveFirst,
                NeighborsKind::Half if is_list => Arrangement::LargerOnly,
                NeighborsKind::Full if is_list => Arrangement::InBlocks,
                _ => Arrangement::ById,
            },
        })
    }

    /// `cutoff` is that of the settings, or one with the skin after it, which is 0 elsewhere. `order` is what the order was made from,
    /// where there is one.
    pub fn index_of(
        &self,
        stamp: Stamp,
        order: Option<OrderOf>,
        kind: NeighborsKind,
        [cutoff, skin]: [f64; 2],
    ) -> IndexOf {
        IndexOf {
            points: [stamp.points, stamp.queries],
            order,
            reach: match self.is_by_radii(kind) || self.has_uneven_cutoffs(kind, skin) {
                false => ReachOf::Cutoff(cutoff),
                true => ReachOf::Radii {
                    radii: self.radii.version(),
                    of_queries: kind.is_of_queries(),
                    kinds: self.kinds.version(),
                    tie_rule: self.settings.tie_rule,
                    skin,
                },
            },
        }
    }

    pub fn count_of(&self, from: Version, stamp: Stamp, sought: Sought, kept: Option<usize>) -> CountOf {
        CountOf {
            from,
            points: [stamp.points, stamp.queries],
            kind: sought.kind,
            base: self.settings.index_base,
            tie_rule: self.settings.tie_rule,
            kinds: self.kinds.version(),
            excluded: self.excluded(sought),
            memory_limit: self.settings.memory_limit,
            kept,
        }
    }

    /// `query` is the version of the last query.
    pub fn stream_of(&self, query: Version, stamp: Stamp, excluded_too: bool) -> StreamOf {
        StreamOf {
            query,
            points: [stamp.points, stamp.queries],
            settings: self.settings.clone(),
            cell: self.cell,
            kinds: self.kinds.versions(),
            ids: self.ids.version(),
            radii: self.radii.version(),
            exclusions: self.exclusions.version(),
            excluded_too,
        }
    }

    pub fn skin_of(&self, lineage: Version) -> SkinOf {
        SkinOf {
            lineage,
            cutoff: self.settings.cutoff,
            skin: self.settings.skin,
            kinds: self.kinds.version(),
            ids: self.ids.version(),
            radii: self.radii.version(),
            excluded: self.excluded(NeighborsKind::Full.into()),
        }
    }

    /// `order` is what the order was made from, where there is one.
    pub fn skin_list_of(&self, stamp: Stamp, kind: NeighborsKind, order: Option<OrderOf>) -> SkinListOf {
        SkinListOf {
            skin: self.skin_of(stamp.lineage),
            kind,
            order,
            base: self.settings.index_base,
            tie_rule: self.settings.tie_rule,
        }
    }

    pub fn skin_use_of(&self, stamp: Stamp) -> SkinUseOf {
        (stamp.points, self.skin_of(stamp.lineage))
    }

    pub fn fof_of(&self, stamp: Stamp) -> FofOf {
        FofOf {
            points: stamp.points,
            cell: self.cell,
            cutoff: self.settings.cutoff,
            tie_rule: self.settings.tie_rule,
            base: self.settings.index_base,
            ids: self.ids.version(),
            radii: self.radii.version(),
            kinds: self.kinds.groups_versions(),
        }
    }

    pub fn layer_of(&self, stamp: Stamp, kind: NeighborsKind) -> LayerOf {
        LayerOf {
            points: stamp.points,
            counts: [self.owned(), self.len],
            ids: self.ids.version(),
            cell: self.cell,
            cutoff: self.cutoff(kind).ok(),
            is_tested: self.tests_all_images(),
        }
    }

    pub fn images_of(&self, stamp: Stamp, sought: Sought) -> ImagesOf {
        ImagesOf {
            layer: self.layer_of(stamp, sought.kind),
            kind: sought.kind,
            base: self.settings.index_base,
            tie_rule: self.settings.tie_rule,
            kinds: self.kinds.version(),
            excluded: self.excluded(sought),
            memory_limit: self.settings.memory_limit,
        }
    }

    pub fn failure_of(&self) -> FailureOf {
        (self.settings.backend, self.settings.device)
    }
}

impl SkinListOf {
    /// Whether rows of `of` can be taken out of the list: a full one holds half rows too, and any tie rule and index base will do.
    pub fn serves(&self, of: &SkinListOf) -> bool {
        let has_kind = self.kind == of.kind || (self.kind, of.kind) == (NeighborsKind::Full, NeighborsKind::Half);
        has_kind && (self.skin, self.order) == (of.skin, of.order)
    }

    /// The key without kind, order, base and tie rule.
    pub fn skin(&self) -> SkinOf {
        self.skin
    }
}

impl OrderOf {
    /// Whether this is the order of the same points, in any arrangement.
    pub fn is_of_same(&self, other: &OrderOf) -> bool {
        let arrangement = self.arrangement;
        *self == OrderOf { arrangement, ..*other }
    }

    pub fn arrangement(&self) -> Arrangement {
        self.arrangement
    }
}
