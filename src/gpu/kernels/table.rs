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
    Totals = 33,
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
    Excluded = 55,
}

/// One more than the number of the last [`Slot`].
pub(crate) const SLOTS: usize = 56;

impl Slot {
    /// Whether shaders see the buffer as constants.
    pub fn is_uniform(self) -> bool {
        use Slot::*;
        matches!(self, Params | Chunk | Tree | Asked | Linking | Batch | Summed)
    }

    /// The slot whose buffer this one shares, and whether it is its second half. Keys are done with when rows are counted.
    pub fn home(self) -> (Slot, u64) {
        match self {
            Slot::Lengths => (Slot::Keys, 0),
            Slot::Found => (Slot::Keys, 1),
            slot => (slot, 0),
        }
    }

    /// Whether the kernel of a stage binds the buffer in a form.
    pub fn is_bound(self, stage: Stage, form: Form) -> bool {
        self != Slot::Excluded || stage != Stage::Count || form.excluded
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

/// A stage, its file in `shaders/`, its entry point, and the buffers it uses.
pub type Row = (Stage, &'static str, &'static str, &'static [Slot]);

macro_rules! stages {
    ($($stage:ident: $file:literal $entry:literal [$($slot:ident),*];)*) => {
        /// The stages in the order they run.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Stage {
            $($stage),*
        }

        /// Number of [`Stage`]s.
        pub(crate) const STAGES: usize = [$(Stage::$stage),*].len();

        const ROWS: [Row; STAGES] = [$((Stage::$stage, $file, $entry, &[$(Slot::$slot),*])),*];
    };
}

stages! {
    SelfTest: "self_test" "self_test" [Ids];
    Extent: "extent" "extent" [Params, Coords, Extents];
    LayShape: "shape" "lay_shape" [Params, Shape, Extents];
    Key: "key" "key" [Params, Shape, Coords, Keys, Starts];
    ReduceCells: "scan_cells" "reduce" [Shape, Starts, Sums];
    ApplyCells: "scan_cells" "apply" [Shape, Starts, Sums];
    Scatter: "scatter" "scatter" [Params, Coords, Keys, Starts, Sorted, Cells];
    Scope: "scope" "scope" [Params, Sorted, Classes, Cells, Lengths];
    ListBlocks: "blocks" "list_blocks" [Params, Shape, Starts, Cells, Blocks];
    SizeBlocks: "block_sizes" "size_blocks" [Params, Blocks, Workgroups];
    SizeRanges: "block_sizes" "size_ranges" [Params, Blocks, Workgroups];
    NextRange: "block_sizes" "next_range" [Params, Blocks, Workgroups];
    Count: "count" "count" [
        Params, Shape, Coords, Starts, Sorted, Cells, Lengths, Masks, Blocks, Listed, Batch, Excluded
    ];
    SizeCrowds: "block_sizes" "size_crowds" [Blocks, Workgroups];
    Split: "split" "split" [Params, Shape, Starts, Sorted, Cells, Blocks, Listed, Batch];
    SizeWindows: "block_sizes" "size_windows" [Params, Blocks, Workgroups];
    ReduceRows: "scan_rows" "reduce" [Params, Sums, Lengths];
    ApplyRows: "scan_rows" "apply" [Params, Sums, Lengths, Offsets];
    SizeAll: "block_sizes" "size_all" [Params, Lengths, Offsets, Blocks, Workgroups];
    Fill: "fill" "fill" [Params, Sorted, Offsets, Chunk, Ids, Masks, Blocks, Listed, Batch];
    BringLower: "lower_ghosts" "bring_lower" [Params, Offsets, Chunk, Ids];
    Pack: "pack" "pack" [Params, Ids, Packed];
    Spread: "zorder_spread" "spread" [Params, Coords, Zorder, Tree];
    LayWindow: "zorder_window" "lay_window" [Params, Zorder];
    LayFineWindow: "zorder_window" "lay_fine_window" [Params, Zorder];
    Zkey: "zorder_key" "zorder_key" [Params, Coords, Zorder, Entries, Tree];
    CountDigits: "sort" "count_digits" [Zorder, Entries, OtherEntries, Digits, Tree];
    ReduceDigits: "scan_digits" "reduce" [Tree, Sums, Digits];
    ApplyDigits: "scan_digits" "apply" [Tree, Sums, Digits];
    ScatterDigits: "sort" "scatter_digits" [Zorder, Entries, OtherEntries, Digits, Tree];
    NextDigit: "sort" "next_digit" [Zorder];
    Survey: "zorder_survey" "survey" [Params, Coords, Zorder, Entries, Tree];
    ReduceRuns: "scan_runs" "reduce" [Params, Coords, Zorder, Entries, Tree, Sums];
    ApplyRuns: "scan_runs" "apply" [Params, Coords, Zorder, Entries, Tree, Sums, Zruns];
    Relabel: "zorder_relabel" "relabel" [Entries, Tree, Zruns];
    Gather: "gather" "gather" [Params, Coords, Zorder, Entries, Tree, Zpoints, Nodes];
    Plane: "plane" "plane" [Zorder, Tree, Nodes];
    NextPlane: "plane" "next_plane" [Zorder];
    Nearest: "knn" "knn" [
        Params, Coords, Ids, Tree, Zpoints, Nodes, Asked, QueryPoints, Squares, Doubts, QueryNodes, Batch
    ];
    SizeDoubts: "knn_doubts" "size_doubts" [Doubts];
    NearestLong: "knn_long" "knn_long" [
        Params, Coords, Ids, Tree, Zpoints, Nodes, Asked, QueryPoints, Squares, Doubts, Batch
    ];
    Regroup: "regroup" "regroup" [Params, Radii, Entries];
    Leaves: "leaves" "leaves" [Params, Coords, Sorted, Radii, Entries, Order, Nodes];
    Planes: "planes" "planes" [Params, Nodes];
    CountNear: "seek_count" "count_near" [
        Params, Coords, Sorted, Radii, Order, Nodes, Far, Lengths, Masks, MaskBases, Batch
    ];
    SizeFar: "parts" "size_far" [Params, Far];
    CountFar: "seek_count" "count_far" [
        Params, Coords, Sorted, Radii, Order, Nodes, Far, Lengths, Masks, MaskBases, Batch
    ];
    TellTests: "tell_tests" "tell_tests" [Params, Lengths, Offsets, MaskBases];
    FindEnds: "seek_fill" "find_ends" [Params, Order, Offsets, Found, Chunk];
    FillNear: "seek_fill" "fill_near" [
        Params, Coords, Sorted, Radii, Order, Nodes, Offsets, Found, Chunk, Ids, Masks, MaskBases, Batch
    ];
    FillFar: "seek_fill" "fill_far" [
        Params, Coords, Sorted, Radii, Order, Nodes, Far, Offsets, Found, Chunk, Ids, Batch
    ];
    SelectRows: "select" "select_rows" [Params, Order, Offsets, Chunk, Direct, Rows];
    SizeSelected: "parts" "size_selected" [Params, Far, Direct, Rows];
    CountDirect: "direct" "count_direct" [Params, Coords, Radii, Order, Direct, Batch];
    FillDirect: "direct" "fill_direct" [Params, Coords, Radii, Order, Offsets, Chunk, Direct, Ids, Batch];
    SortRows: "sort_rows" "sort_rows" [Params, Offsets, Chunk, Ids, Batch];
    SortLong: "sort_long" "sort_long" [Offsets, Chunk, Rows, Ids, Batch];
    SortLongest: "sort_long" "sort_long" [Offsets, Chunk, Rows, Ids, Batch];
    LinkLeaf: "link_leaf" "link_leaf" [Params, Coords, Tree, Zpoints, Nodes, Linking, Parents, Groups, Batch];
    LinkNode: "link_node" "link_node" [Tree, Nodes, Linking, Parents, Batch];
    Link: "link" "link" [Params, Coords, Tree, Zpoints, Nodes, Linking, Parents, Groups, Batch];
    Label: "label" "label" [Tree, Parents, Groups, Labels];
    Arithmetic: "arithmetic" "arithmetic" [Records];
    Real64Rate: "real64_rate" "real64_rate" [Records];
    Columns: "columns" "columns" [Records, Summed, Results];
    EachPoint: "each_point" "each_point" [Params, Totals, Summed, Tables];
    Sum: "sum" "sum" [
        Params, Coords, Sorted, Masks, Blocks, Listed, Batch, Records, Summed, Tables, Results, Excluded
    ];
    SumByRadii: "sum" "sum" [
        Params, Coords, Offsets, Ids, Radii, Order, Batch, Records, Summed, Tables, Results, Excluded
    ];
}

/// The row of each stage, at its number.
pub(crate) static STAGE_TABLE: [Row; STAGES] = ROWS;

/// The stages of sums, whose kernels `strict.rs` compiles.
pub(crate) const TABLE_OF_SUMS: [Row; 6] = [
    ROWS[Stage::Arithmetic as usize],
    ROWS[Stage::Real64Rate as usize],
    ROWS[Stage::Columns as usize],
    ROWS[Stage::Sum as usize],
    ROWS[Stage::SumByRadii as usize],
    ROWS[Stage::EachPoint as usize],
];

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
    /// Whether a search of `family` and `form` has the stage.
    pub fn runs(self, family: Family, form: Form) -> bool {
        use Stage::*;
        let is_shared = matches!(self, ReduceRows | ApplyRows | BringLower | Pack);
        let own = match self {
            _ if self <= Pack => Family::Pairs,
            _ if self <= NextPlane => Family::Ztree,
            _ if self <= NearestLong => Family::Knn,
            _ if self <= SortLongest => Family::Radii,
            _ if self <= Label => Family::Groups,
            _ => Family::Sums,
        };
        match self {
            _ if is_shared => matches!(family, Family::Pairs | Family::Radii),
            _ if own != family => false,
            Scope => form.kinds,
            Sum => !form.radii,
            SumByRadii => form.radii,
            Real64Rate => form.real64,
            SelfTest => !form.windows && !form.periodic && !form.kinds,
            Nearest => form.k > 0,
            _ => true,
        }
    }

    /// Whether the stage may take long and can run in batches of its workgroups.
    pub fn is_long(self) -> bool {
        STAGE_TABLE[self as usize].3.contains(&Slot::Batch)
    }
}
