//! A call of the C interface as plain data: what is drawn, run, shrunk and printed. Numbers that depend on the state of a
//! handle, as a capacity or a number of rows, are kept relative to what the call needs, so that a sequence that lost some of
//! its calls still means the same.

/// A call on one of two handles.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// 0 or 1; 2 is NULL.
    pub handle: usize,
    pub call: Call,
}

/// The purpose of coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Set,
    Add,
    Queries,
    Update,
}

/// The layout of coordinates in memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// Point after point.
    Interleaved,
    /// An array for each axis.
    Columns,
    /// In structures: `gap` bytes after each point, all of it moved by `odd` bytes, the last point first with `back`.
    Structures { gap: usize, odd: usize, back: bool },
    /// Point after point, with the stride of one number, by which axes overlap.
    OneNumber,
    /// As columns, with a stride that is refused where there are two points.
    Refused(i64),
}

/// Points as a caller gives them.
#[derive(Clone, Debug, PartialEq)]
pub struct Coords {
    pub single: bool,
    pub dim: i32,
    /// Point after point, of [`Coords::axes`] axes.
    pub values: Vec<f64>,
    /// The number passed, if it is one that is refused.
    pub n: Option<i64>,
    pub layout: Layout,
    /// Pointers that are NULL, a bit each.
    pub nulls: u8,
}

impl Coords {
    /// Axes that the values have.
    pub fn axes(&self) -> usize {
        self.dim.clamp(1, 3) as usize
    }

    /// Points that there are.
    pub fn len(&self) -> usize {
        self.values.len() / self.axes()
    }
}

/// A list that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Pairs,
    /// Rows of a kind, which may be none.
    Rows(i32),
}

/// Elements that the caller's arrays have, relative to the need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capacity {
    /// The size needed plus this many.
    More(i64),
    /// So many less than the need, but no less than 0.
    Less(i64),
    /// Just this.
    Is(i64),
}

impl Capacity {
    /// The number of elements.
    pub fn of(self, need: i64) -> i64 {
        match self {
            Capacity::More(more) => need + more,
            Capacity::Less(less) => (need - less).max(0),
            Capacity::Is(capacity) => capacity,
        }
    }
}

/// Pairs or rows that distances are asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum List {
    /// These; of rows the first is the number of ids in each row.
    Given(Vec<i32>, Vec<i32>),
    /// A number of any pairs, by a rule.
    Some(i64),
    /// The arrays of the last view, if it is still valid.
    View,
    /// A number of pairs that is refused, or offsets that are none.
    Refused(i64),
}

/// Masses and velocities for groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Properties {
    pub single: bool,
    /// The number passed is that of the points plus this.
    pub off: i64,
    /// Repeated for all points; none: NULL.
    pub masses: Option<Vec<f64>>,
    pub velocities: Option<Vec<f64>>,
}

/// Lists that calls take rows into.
pub const LISTS: usize = 4;

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// Destroys the handle and makes another.
    Renew,
    /// Tries to make another one.
    Create {
        abi: i32,
        null: bool,
    },
    Points {
        role: Role,
        coords: Coords,
        null: bool,
    },
    Cutoff(f64),
    Tie(i32),
    Base(i32),
    Threads(i32),
    Backend(i32),
    Device(i32),
    DeviceTurn(i32),
    Limit(i64),
    Skin(f64),
    Box {
        dim: i32,
        lo: Vec<f64>,
        length: Vec<f64>,
        periodic: Vec<i32>,
        nulls: u8,
    },
    /// A cell of three vectors, or none.
    Cell {
        cell: Option<Vec<f64>>,
        periodic: Vec<i32>,
        null: bool,
    },
    Active(i64),
    GhostPairs(i32),
    GhostRows(i32),
    /// Each of so many points excludes those whose numbers are up to that far from its own, with all images or, where the third number is
    /// 1, as they are; `None`: no exclusions.
    Exclusions(Option<[usize; 3]>),
    Roles {
        n: Option<i64>,
        roles: Vec<i32>,
        null: bool,
    },
    Types {
        n: Option<i64>,
        types: Vec<i32>,
        ntypes: i32,
        mask: Vec<i32>,
        nulls: u8,
    },
    /// A cutoff for each pair of types; for no types: one for all.
    TypeCutoffs {
        ntypes: i32,
        cutoffs: Vec<f64>,
        null: bool,
    },
    Primary {
        ntypes: i32,
        flags: Vec<i32>,
        null: bool,
    },
    Ids {
        n: Option<i64>,
        ids: Vec<i64>,
        null: bool,
    },
    Radii {
        single: bool,
        n: Option<i64>,
        radii: Vec<f64>,
        rule: i32,
        null: bool,
    },
    QueryRadii {
        single: bool,
        n: Option<i64>,
        radii: Vec<f64>,
        null: bool,
    },
    ClearRadii,
    KnnWithin(f64),
    Trim,
    Count {
        what: What,
        null: bool,
    },
    Copy {
        what: What,
        capacity: Capacity,
        nulls: u8,
    },
    View {
        what: What,
        nulls: u8,
    },
    Verlet {
        kind: i32,
        nulls: u8,
    },
    /// Rows of one length, relative to that of the longest row; for `off` more rows than there are.
    Padded {
        kind: i32,
        width: Capacity,
        off: i64,
        nulls: u8,
    },
    /// Bins of distance, whose edges are shares of the cutoff.
    Histogram {
        kind: i32,
        shares: Vec<f64>,
        nulls: u8,
    },
    /// Rows in a cell: counted, copied or viewed.
    Images {
        kind: i32,
        how: usize,
        capacity: Capacity,
        nulls: u8,
    },
    /// Moves rows by several cutoffs into lists from `first` on.
    ByCutoffs {
        first: usize,
        kind: i32,
        cutoffs: Vec<f64>,
        null: bool,
    },
    /// Moves rows into a list.
    Take {
        list: usize,
        kind: i32,
        null: bool,
    },
    ListView {
        list: usize,
        nulls: u8,
    },
    ListDestroy {
        list: usize,
    },
    /// Systems of points, of which `firsts` are the first points, from 0 on, and the end of the last one; with boxes or without.
    Systems {
        kind: i32,
        coords: Coords,
        firsts: Vec<i64>,
        cutoffs: Vec<f64>,
        boxes: Option<(Vec<f64>, Vec<f64>, Vec<i32>)>,
        nulls: u8,
    },
    /// Carries values from one list to another, by the numbers or by the ids that points had when the lists took rows.
    Carry {
        lists: [usize; 2],
        by_ids: [bool; 2],
        columns: i64,
        /// A bit for each column; all of them: one is no sign.
        signs: u8,
        single: bool,
        seed: u64,
        nulls: u8,
    },
    ChunksBegin {
        kind: i32,
        max_entries: i64,
        null: bool,
    },
    ChunksNext {
        pairs: bool,
        nulls: u8,
    },
    Knn {
        single: bool,
        view: bool,
        kind: i32,
        k: i32,
        measure: i32,
        off: i64,
        nulls: u8,
    },
    Fof {
        view: bool,
        off: i64,
        nulls: u8,
    },
    Groups {
        min_size: i64,
        properties: Option<Properties>,
        null: bool,
    },
    GroupsView {
        sums: bool,
        nulls: u8,
    },
    Quantity {
        displacements: bool,
        rows: bool,
        single: bool,
        list: List,
        nulls: u8,
    },
    Order {
        off: i64,
        null: bool,
    },
    Counter {
        counter: i32,
        null: bool,
    },
    Timing {
        phase: i32,
        null: bool,
    },
    Info {
        capacity: usize,
        nulls: u8,
    },
    SkinUsed {
        null: bool,
    },
    LastError {
        capacity: usize,
        nulls: u8,
    },
    /// Makes one of two formulas another one, from one of the texts of the model.
    Formula {
        which: usize,
        text: usize,
        precision: i32,
        with_self: i32,
    },
    /// Sets a field: one that formulas read or make, or the points; for `off` more points or queries than there are.
    FieldSet {
        name: usize,
        of_queries: bool,
        single: bool,
        components: i32,
        off: i64,
        seed: u64,
        null: bool,
    },
    FormulaConstant {
        which: usize,
        name: usize,
        value: f64,
    },
    FormulaNumber {
        which: usize,
        name: usize,
        null: bool,
    },
    /// Sets a table from 0 to `last`, with values that are not all finite for some seeds.
    FormulaTable {
        which: usize,
        is_known: bool,
        is_cubic: bool,
        of: i32,
        n: i64,
        last: f64,
        seed: u64,
        null: bool,
    },
    /// Runs of a formula; where there is a seed, all that it reads is set before, so that it fits.
    Run {
        which: usize,
        kind: i32,
        times: i64,
        seed: Option<u64>,
        null: bool,
    },
    /// Radii within which so many neighbors are found, by a formula that counts them.
    Solve {
        which: usize,
        kind: i32,
        single: bool,
        target: f64,
        /// The smallest and the largest radius.
        range: [f64; 2],
        tolerance: f64,
        times: i64,
        capacity: Capacity,
        nulls: u8,
    },
    FieldGet {
        name: usize,
        of_queries: bool,
        single: bool,
        off: i64,
        null: bool,
    },
    /// Sets a pair field, with values for the entries of a list.
    PairFieldSet {
        name: usize,
        list: usize,
        single: bool,
        components: i32,
        seed: u64,
        nulls: u8,
    },
    PairFieldGet {
        name: usize,
        single: bool,
        off: i64,
        nulls: u8,
    },
    /// The search of the thread, without a handle.
    CellCount {
        single: bool,
        dim: i32,
        n: Option<i64>,
        values: Vec<f64>,
        cutoff: f64,
        rule: i32,
        base: i32,
        nulls: u8,
    },
    CellFetch {
        compact: bool,
        capacity: Capacity,
        nulls: u8,
    },
    CellRelease,
    /// The drop-in `cellList`; by reference, as Fortran calls it, with pairs that count from 1.
    DropIn {
        single: bool,
        by_reference: bool,
        dim: i32,
        n: Option<i32>,
        values: Vec<f64>,
        cutoff: f64,
        capacity: Capacity,
        nulls: u8,
    },
    DropInFetch {
        capacity: Capacity,
        nulls: u8,
    },
    DropInRule(i32),
    DropInRelease,
    /// Versions, and the name of a status.
    Constants {
        status: i32,
    },
    /// Rows with offsets of 32 bits.
    Copy32 {
        kind: i32,
        capacity: Capacity,
        nulls: u8,
    },
    /// Distances or displacements in rows of queries.
    OfQueries {
        displacements: bool,
        single: bool,
        list: List,
        nulls: u8,
    },
    FofIds {
        off: i64,
        nulls: u8,
    },
    GroupIds {
        capacity: Capacity,
        nulls: u8,
    },
    /// Each id excludes those whose places among all ids are up to that far from its own, as they are or with all images.
    /// `wrong`: 1 to 4 are refused.
    ExclusionsByIds {
        far: usize,
        by_shift: bool,
        wrong: usize,
        rows: i64,
    },
    /// A pair field for the entries of a list, by the ids that points have now; with ids of no points among them.
    PairFieldByIds {
        name: usize,
        list: usize,
        single: bool,
        components: i32,
        gone: bool,
        seed: u64,
        nulls: u8,
    },
    /// One of the calls for ranks, on a handle that has none.
    ForRanks {
        which: usize,
        nulls: u8,
    },
    Refuse {
        reason: i32,
        text: usize,
        null: bool,
    },
    /// Permutes elements of so many bytes.
    Reorder {
        restores: i32,
        base: i32,
        bytes: i64,
        n: Option<i64>,
        order: Vec<i32>,
        in_place: bool,
        nulls: u8,
    },
    /// On one of two exact sums.
    Sum {
        which: usize,
        act: Act,
        null: bool,
    },
}

/// Exact sums.
pub const SUMS: usize = 2;

/// A call on an exact sum.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    Clear,
    /// Words that are no sum, or a number of terms that is refused.
    Spoil(bool),
    Add(Vec<f64>),
    /// Numbers, and the factor of each.
    AddProducts(Vec<(f64, f64)>),
    /// Adds the other one.
    Merge,
    Round,
}

impl Call {
    /// The name of the call, for messages.
    pub fn name(&self) -> String {
        let text = format!("{self:?}");
        text.split([' ', '(']).next().unwrap_or_default().to_owned()
    }
}
