//! The table of all stages: the file of each in `shaders/`, its entry point, the buffers it uses, and when it runs.

use crate::gpu::shader::Form;

/// The buffers of a search; the number is the binding in every shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Params = 0,
    Shape = 1,
    Coords = 2,
    Extents = 3,
    Keys = 4,
    Starts = 5,
    Sorted = 6,
    Classes = 7,
    Cells = 8,
    Sums = 9,
    Lengths = 10,
    Offsets = 11,
    Found = 12,
    Chunk = 13,
    Rows = 14,
    Ids = 15,
    Masks = 16,
    MaskBases = 17,
    // 18 to 20 are windows.
    Zorder = 21,
    Entries = 22,
    OtherEntries = 23,
    Digits = 24,
    Zruns = 25,
    Tree = 26,
    Zpoints = 27,
    Nodes = 28,
    Asked = 29,
    QueryPoints = 30,
    Squares = 31,
    Doubts = 32,
    // 33 is free.
    QueryNodes = 34,
    Radii = 35,
    Order = 36,
    Far = 37,
    Direct = 38,
    Linking = 39,
    Parents = 40,
    Groups = 41,
    Labels = 42,
    Blocks = 43,
    Listed = 44,
    Workgroups = 45,
    // 46 to 48 are windows.
    Packed = 49,
    Batch = 50,
    Records = 51,
    Summed = 52,
    Tables = 53,
    Results = 54,
}

/// One more than the number of the last [`Slot`].
pub(crate) const SLOTS: usize = 55;

impl Slot {
    /// The slot whose buffer this one shares, and whether it is its second half. Keys are done with when rows are counted.
    pub fn home(self) -> (Slot, u64) {
        match self {
            Slot::Lengths => (Slot::Keys, 0),
            Slot::Found => (Slot::Keys, 1),
            slot => (slot, 0),
        }
    }

    /// Bindings of what the buffer holds beyond one binding's limit, in kernels with windows.
    pub fn windows(self) -> &'static [u32] {
        match self {
            Slot::Coords => &[18, 19],
            Slot::Sorted => &[20],
            Slot::Zpoints => &[46, 47, 48],
            _ => &[],
        }
    }
}

/// The stages in the order they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    SelfTest,
    Extent,
    LayShape,
    Key,
    ReduceCells,
    ScanCellSums,
    ApplyCells,
    Scatter,
    Scope,
    ListBlocks,
    SizeBlocks,
    SizeRanges,
    NextRange,
    Count,
    SizeCrowds,
    Split,
    SizeWindows,
    SizeAll,
    ReduceRows,
    ScanRowSums,
    ApplyRows,
    SizeAhead,
    Fill,
    Pack,
    Spread,
    LayWindow,
    LayFineWindow,
    Zkey,
    CountDigits,
    ReduceDigits,
    ScanDigitSums,
    ApplyDigits,
    ScatterDigits,
    NextDigit,
    Survey,
    ReduceRuns,
    ScanRunSums,
    ApplyRuns,
    Relabel,
    Gather,
    Plane,
    NextPlane,
    Nearest,
    SizeDoubts,
    NearestLong,
    Regroup,
    Leaves,
    Planes,
    CountNear,
    SizeFar,
    CountFar,
    FindEnds,
    FillNear,
    FillFar,
    SelectByRadii,
    SizeDispatches,
    SortRows,
    SortLong,
    SortLongest,
    ListDirect,
    SizeDirect,
    CountDirect,
    FillDirect,
    LinkLeaf,
    LinkNode,
    Link,
    Label,
    Arithmetic,
    Columns,
    Sum,
}

/// Number of [`Stage`]s.
pub(crate) const STAGES: usize = 70;

/// Stages that are compiled together, at their first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The index of cells and the fixed-radius search.
    Pairs,
    /// The search by a radius per point.
    Radii,
    /// The index along the z-order curve.
    Ztree,
    /// The k nearest.
    Knn,
    /// Groups of friends of friends.
    Groups,
    /// Sums by one formula.
    Sums,
}

impl Stage {
    /// Whether a search of `family` and `form` has the stage, on a device with subgroups or without.
    pub fn runs(self, family: Family, form: Form, subgroups: bool) -> bool {
        use Stage::*;
        let is_shared = matches!(self, ReduceRows | ScanRowSums | ApplyRows | Pack);
        let own = match self {
            _ if self <= Pack => Family::Pairs,
            _ if self <= NextPlane => Family::Ztree,
            _ if self <= NearestLong => Family::Knn,
            _ if self <= FillDirect => Family::Radii,
            _ if self <= Label => Family::Groups,
            _ => Family::Sums,
        };
        match self {
            _ if is_shared => matches!(family, Family::Pairs | Family::Radii),
            _ if own != family => false,
            SortRows => subgroups,
            Scope => form.kinds,
            SelfTest => !form.windows && !form.periodic && !form.kinds,
            Nearest => form.k > 0,
            _ => true,
        }
    }

    /// Whether the stage may take long and can run in batches of its workgroups.
    pub fn is_long(self) -> bool {
        STAGE_TABLE[self as usize].3.contains(&Slot::Batch)
    }

    /// Whether the stage sorts a row in a subgroup.
    pub fn ranks(self) -> bool {
        matches!(self, Stage::SortRows)
    }
}

/// The stages of sums, whose kernels `strict.rs` compiles.
pub(crate) const TABLE_OF_SUMS: [(Stage, &str, &str, &[Slot]); 3] = {
    use Slot::*;
    const SUM: &[Slot] = &[
        Params, Coords, Sorted, Masks, Blocks, Listed, Batch, Records, Summed, Tables, Results,
    ];
    [
        (Stage::Arithmetic, "arithmetic", "arithmetic", &[Records]),
        (Stage::Columns, "columns", "columns", &[Records, Summed, Results]),
        (Stage::Sum, "sum", "sum", SUM),
    ]
};

/// A stage's file in `shaders/`, its entry point, and the buffers it uses.
pub(crate) static STAGE_TABLE: [(Stage, &str, &str, &[Slot]); STAGES] = {
    use Slot::*;
    const NEAREST: &[Slot] = &[
        Params,
        Coords,
        Ids,
        Tree,
        Zpoints,
        Nodes,
        Asked,
        QueryPoints,
        Squares,
        Doubts,
        QueryNodes,
        Batch,
    ];
    const NEAREST_LONG: &[Slot] = &[
        Params,
        Coords,
        Ids,
        Tree,
        Zpoints,
        Nodes,
        Asked,
        QueryPoints,
        Squares,
        Doubts,
        Batch,
    ];
    const SORT: &[Slot] = &[Zorder, Entries, OtherEntries, Digits, Tree];
    const SCAN_CELLS: &[Slot] = &[Shape, Starts, Sums];
    const SCAN_ROWS: &[Slot] = &[Params, Sums, Lengths, Offsets];
    const COUNT: &[Slot] = &[
        Params, Shape, Coords, Starts, Sorted, Cells, Lengths, Masks, Blocks, Listed, Batch,
    ];
    const SPLIT: &[Slot] = &[Params, Shape, Starts, Sorted, Cells, Blocks, Listed, Batch];
    const LINK: &[Slot] = &[Params, Coords, Tree, Zpoints, Nodes, Linking, Parents, Batch];
    const FILL: &[Slot] = &[Params, Sorted, Offsets, Chunk, Ids, Masks, Blocks, Listed, Batch];
    const COUNT_NEAR: &[Slot] = &[
        Params, Coords, Sorted, Radii, Order, Nodes, Far, Lengths, Masks, MaskBases, Batch,
    ];
    const FILL_NEAR: &[Slot] = &[
        Params, Coords, Sorted, Radii, Order, Nodes, Offsets, Found, Chunk, Ids, Masks, MaskBases, Batch,
    ];
    const FILL_FAR: &[Slot] = &[
        Params, Coords, Sorted, Radii, Order, Nodes, Far, Offsets, Found, Chunk, Ids, Batch,
    ];
    [
        (Stage::SelfTest, "self_test", "self_test", &[Ids]),
        (Stage::Extent, "extent", "extent", &[Params, Coords, Extents]),
        (Stage::LayShape, "shape", "lay_shape", &[Params, Shape, Extents]),
        (Stage::Key, "key", "key", &[Params, Shape, Coords, Keys, Starts]),
        (Stage::ReduceCells, "scan_cells", "reduce", SCAN_CELLS),
        (Stage::ScanCellSums, "scan_cells", "scan_sums", &[Shape, Sums]),
        (Stage::ApplyCells, "scan_cells", "apply", SCAN_CELLS),
        (
            Stage::Scatter,
            "scatter",
            "scatter",
            &[Params, Coords, Keys, Starts, Sorted, Cells],
        ),
        (Stage::Scope, "scope", "scope", &[Params, Sorted, Classes, Cells]),
        (
            Stage::ListBlocks,
            "blocks",
            "list_blocks",
            &[Params, Shape, Starts, Cells, Blocks],
        ),
        (
            Stage::SizeBlocks,
            "block_sizes",
            "size_blocks",
            &[Params, Blocks, Workgroups],
        ),
        (
            Stage::SizeRanges,
            "block_sizes",
            "size_ranges",
            &[Params, Blocks, Workgroups],
        ),
        (
            Stage::NextRange,
            "block_sizes",
            "next_range",
            &[Params, Blocks, Workgroups],
        ),
        (Stage::Count, "count", "count", COUNT),
        (Stage::SizeCrowds, "block_sizes", "size_crowds", &[Blocks, Workgroups]),
        (Stage::Split, "split", "split", SPLIT),
        (
            Stage::SizeWindows,
            "block_sizes",
            "size_windows",
            &[Params, Blocks, Workgroups],
        ),
        (
            Stage::SizeAll,
            "block_sizes",
            "size_all",
            &[Params, Offsets, Blocks, Workgroups],
        ),
        (Stage::ReduceRows, "scan_rows", "reduce", &[Params, Sums, Lengths]),
        (Stage::ScanRowSums, "scan_rows", "scan_sums", &[Params, Sums]),
        (Stage::ApplyRows, "scan_rows", "apply", SCAN_ROWS),
        (
            Stage::SizeAhead,
            "block_sizes",
            "size_ahead",
            &[Params, Offsets, Blocks, Workgroups],
        ),
        (Stage::Fill, "fill", "fill", FILL),
        (Stage::Pack, "pack", "pack", &[Params, Ids, Packed]),
        (
            Stage::Spread,
            "zorder_spread",
            "spread",
            &[Params, Coords, Zorder, Tree],
        ),
        (Stage::LayWindow, "zorder_window", "lay_window", &[Params, Zorder]),
        (
            Stage::LayFineWindow,
            "zorder_window",
            "lay_fine_window",
            &[Params, Zorder],
        ),
        (
            Stage::Zkey,
            "zorder_key",
            "zorder_key",
            &[Params, Coords, Zorder, Entries, Tree],
        ),
        (Stage::CountDigits, "sort", "count_digits", SORT),
        (Stage::ReduceDigits, "scan_digits", "reduce", &[Tree, Sums, Digits]),
        (Stage::ScanDigitSums, "scan_digits", "scan_sums", &[Tree, Sums]),
        (Stage::ApplyDigits, "scan_digits", "apply", &[Tree, Sums, Digits]),
        (Stage::ScatterDigits, "sort", "scatter_digits", SORT),
        (Stage::NextDigit, "sort", "next_digit", &[Zorder]),
        (
            Stage::Survey,
            "zorder_survey",
            "survey",
            &[Params, Coords, Zorder, Entries, Tree],
        ),
        (
            Stage::ReduceRuns,
            "scan_runs",
            "reduce",
            &[Params, Coords, Zorder, Entries, Tree, Sums],
        ),
        (Stage::ScanRunSums, "scan_runs", "scan_sums", &[Tree, Sums]),
        (
            Stage::ApplyRuns,
            "scan_runs",
            "apply",
            &[Params, Coords, Zorder, Entries, Tree, Sums, Zruns],
        ),
        (Stage::Relabel, "zorder_relabel", "relabel", &[Entries, Tree, Zruns]),
        (
            Stage::Gather,
            "gather",
            "gather",
            &[Params, Coords, Zorder, Entries, Tree, Zpoints, Nodes],
        ),
        (Stage::Plane, "plane", "plane", &[Zorder, Tree, Nodes]),
        (Stage::NextPlane, "plane", "next_plane", &[Zorder]),
        (Stage::Nearest, "knn", "knn", NEAREST),
        (Stage::SizeDoubts, "knn_doubts", "size_doubts", &[Doubts]),
        (Stage::NearestLong, "knn_long", "knn_long", NEAREST_LONG),
        (Stage::Regroup, "regroup", "regroup", &[Params, Radii, Entries]),
        (
            Stage::Leaves,
            "leaves",
            "leaves",
            &[Params, Coords, Sorted, Radii, Entries, Order, Nodes],
        ),
        (Stage::Planes, "planes", "planes", &[Params, Nodes]),
        (Stage::CountNear, "seek_count", "count_near", COUNT_NEAR),
        (Stage::SizeFar, "parts", "size_far", &[Params, Far]),
        (Stage::CountFar, "seek_count", "count_far", COUNT_NEAR),
        (
            Stage::FindEnds,
            "seek_fill",
            "find_ends",
            &[Params, Order, Offsets, Found, Chunk],
        ),
        (Stage::FillNear, "seek_fill", "fill_near", FILL_NEAR),
        (Stage::FillFar, "seek_fill", "fill_far", FILL_FAR),
        (
            Stage::SelectByRadii,
            "select",
            "select_rows",
            &[Params, Offsets, Chunk, Rows],
        ),
        (Stage::SizeDispatches, "dispatch", "size_dispatches", &[Rows]),
        (
            Stage::SortRows,
            "sort_rows",
            "sort_rows",
            &[Offsets, Chunk, Rows, Ids, Batch],
        ),
        (
            Stage::SortLong,
            "sort_long",
            "sort_long",
            &[Params, Offsets, Chunk, Rows, Ids, Batch],
        ),
        (
            Stage::SortLongest,
            "sort_longest",
            "sort_longest",
            &[Params, Offsets, Chunk, Rows, Ids, Batch],
        ),
        (
            Stage::ListDirect,
            "direct",
            "list_direct",
            &[Params, Order, Offsets, Chunk, Direct],
        ),
        (Stage::SizeDirect, "parts", "size_direct", &[Params, Far, Direct]),
        (
            Stage::CountDirect,
            "direct",
            "count_direct",
            &[Params, Coords, Radii, Order, Direct, Batch],
        ),
        (
            Stage::FillDirect,
            "direct",
            "fill_direct",
            &[Params, Coords, Radii, Order, Offsets, Chunk, Direct, Ids, Batch],
        ),
        (Stage::LinkLeaf, "link_leaf", "link_leaf", LINK),
        (
            Stage::LinkNode,
            "link_node",
            "link_node",
            &[Tree, Nodes, Linking, Parents, Batch],
        ),
        (Stage::Link, "link", "link", LINK),
        (Stage::Label, "label", "label", &[Tree, Parents, Groups, Labels]),
        TABLE_OF_SUMS[0],
        TABLE_OF_SUMS[1],
        TABLE_OF_SUMS[2],
    ]
};
