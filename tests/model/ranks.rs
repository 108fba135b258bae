//! Plays sequences across ranks that are threads: the inputs of the world are dealt to ranks, each of which makes the C call, and the
//! answers of all are joined by global ids and compared with the model of one handle that has all points.

#[path = "../../src/ranks/fake/functions.rs"]
mod functions;

mod deal;
mod forms;
mod ghosts;
mod given;
mod groups;
mod listed;
mod nearest;
mod pair_fields;
mod points;
mod precision;
mod rows;
mod settings;
mod solve;
mod sums;
mod taken;
mod tally;
mod team;

use super::call::{Call, LISTS, Step};
use super::draw::Draw;
use super::interpret::Failure;
use super::model::*;
use super::sums::Formula;
use deal::Deal;
pub use tally::Tally;
use team::{Fault, Team};

type Checked = Result<(), String>;

/// The most ranks of a sequence.
pub const MOST: usize = 12;

/// A handle that each rank has, the inputs of all, and who has them.
#[derive(Default)]
struct Hand {
    model: Model,
    deal: Deal,
    queries: Deal,
    /// Pairs of active points of two ranks are on both.
    all_pairs: bool,
    /// The chunks that ranks are being given, if nothing has changed.
    chunks: Option<rows::Chunks>,
    /// Groups were found, and nothing has changed.
    groups: Option<groups::Found>,
    /// The points have been dealt otherwise since pair fields were made.
    are_pairs_elsewhere: bool,
}

/// Ranks, and what they were given.
struct World {
    team: Team,
    hands: [Hand; 2],
    formulas: [Option<Formula>; 2],
    /// The rows that ranks have taken into lists.
    lists: [Vec<rows::Rows>; LISTS],
    seed: u64,
    /// Choices of the step.
    draw: Draw,
    /// The rank whose arguments are wrong; none: those of all.
    odd: Option<usize>,
}

/// The outcome of a step.
enum Played {
    Done,
    /// Not played, for a reason.
    Skipped(&'static str),
}

/// Runs `steps` on ranks whose number and shares the seed says.
pub fn run(steps: &[Step], seed: u64, tally: &mut Tally) -> Result<(), Failure> {
    let ranks = ranks_of(seed);
    let mut world = World::new(ranks, seed);
    tally.ranks[ranks] += 1;
    for step in steps {
        let name = step.call.name();
        match world.step(step) {
            Ok(Played::Done) => tally.played(&name),
            Ok(Played::Skipped(why)) => tally.skipped(&name, why),
            Err(text) => return Err(failure(&name, &format!("{text}\n{}", world.shares()))),
        }
    }
    tally.faults += world.team.faults;
    world.team.end().map_err(|text| failure("End", &text))
}

/// The number of ranks for a seed.
pub fn ranks_of(seed: u64) -> usize {
    1 + Draw::seeded(seed ^ 0x7a6e_6b73).below(MOST)
}

fn failure(name: &str, text: &str) -> Failure {
    let cut = text.split([':', '(', '\n']).next().unwrap_or_default();
    let what = format!("{name} {}", cut.replace(|c: char| c.is_ascii_digit(), "#"));
    Failure {
        what,
        text: text.to_owned(),
    }
}

impl World {
    fn new(ranks: usize, seed: u64) -> World {
        let hand = || Hand {
            deal: Deal::new(&mut Draw::seeded(0), 0, ranks),
            queries: Deal::new(&mut Draw::seeded(0), 0, ranks),
            ..Hand::default()
        };
        World {
            team: Team::new(ranks),
            hands: [hand(), hand()],
            formulas: [None, None],
            lists: Default::default(),
            seed,
            draw: Draw::seeded(0),
            odd: None,
        }
    }

    /// Who has what, for the report of a failure.
    fn shares(&self) -> String {
        let of = |hand: &Hand| format!("points {:?}, queries {:?}", hand.deal.mine, hand.queries.mine);
        let [first, second] = self.hands.each_ref().map(of);
        format!("{} ranks: {first}; of the second handle: {second}", self.team.ranks())
    }

    /// Choices that hang on the seed and a text alone, so that they stay where other steps are left out.
    fn choices(&self, text: &str) -> Draw {
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Draw::seeded(text.bytes().fold(self.seed ^ 0xcbf2_9ce4_8422_2325, mix))
    }

    fn step(&mut self, step: &Step) -> Result<Played, String> {
        let h = step.handle;
        if h > 1 {
            return Ok(Played::Skipped("a rank tells no other of a NULL handle"));
        }
        self.draw = self.choices(&format!("{:?}", step.call));
        let rank = self.draw.below(self.team.ranks());
        self.odd = self.draw.once_in(2).then_some(rank);
        let fault = self.draw.pick(&[Fault::Refusal, Fault::Other]);
        // That of other ranks may be the same call.
        let is_same = matches!(step.call, Call::Count { .. } | Call::ChunksNext { .. });
        let fault = if is_same { Fault::Refusal } else { fault };
        self.team.fault = self.draw.once_in(5).then_some((rank, fault, h));
        let played = self.play(h, &step.call);
        self.team.fault = None;
        played
    }

    fn play(&mut self, h: usize, call: &Call) -> Result<Played, String> {
        match call {
            Call::Renew => {
                self.renew(h);
                Ok(Played::Done)
            }
            Call::Points { role, coords, null } => self.points(h, *role, coords, *null),
            Call::Count { what, null } => self.count(h, *what, *null),
            Call::Copy { what, capacity, nulls } => self.copy(h, *what, *capacity, *nulls),
            Call::View { what, nulls } => self.view(h, *what, *nulls),
            Call::Take { list, kind, null } => self.take(h, *list, *kind, *null),
            Call::ListView { list, .. } => self.view_list(*list),
            Call::ListDestroy { list } => self.destroy_list(*list),
            Call::Verlet { kind, nulls } => self.verlet(h, *kind, *nulls),
            Call::Padded { .. } => self.padded(h, call),
            Call::Histogram { kind, shares, nulls } => self.histogram(h, *kind, shares, *nulls),
            Call::Images { kind, how, nulls, .. } => self.images(h, *kind, *how, *nulls),
            Call::ByCutoffs { .. } => self.by_cutoffs(h, call),
            Call::ChunksBegin {
                kind,
                max_entries,
                null,
            } => self.chunks_begin(h, *kind, *max_entries, *null),
            Call::ChunksNext { pairs, .. } => self.chunks_next(h, *pairs),
            Call::Knn { .. } => self.knn(h, call),
            Call::Fof { off, nulls, .. } => self.fof(h, *off, *nulls),
            Call::Groups { .. } => self.groups(h, call),
            Call::GroupsView { .. } => self.groups_view(h),
            Call::Formula { .. } => self.make_formula(call),
            Call::FieldSet { .. } => self.set_field(h, call),
            Call::FormulaConstant { which, name, value } => self.set_constant(*which, *name, *value),
            Call::FormulaNumber { which, .. } => self.check_numbers(*which),
            Call::FormulaTable { .. } => self.set_table(call),
            Call::Run { .. } => self.run_formula(h, call),
            Call::FieldGet { .. } => self.get_fields(h),
            Call::PairFieldSet { .. } => self.set_pair_field(h, call),
            Call::PairFieldGet { .. } => self.get_pair_fields(h),
            Call::Solve { .. } => self.solve(h, call),
            Call::Counter { .. } | Call::SkinUsed { .. } => self.report(h),
            Call::Quantity { .. } => Ok(Played::Skipped("distances are checked where pairs are viewed")),
            Call::Carry { .. } => Ok(Played::Skipped("a call on the arrays of one rank")),
            Call::Systems { .. } => Ok(Played::Skipped("systems are each rank's own")),
            Call::Order { .. } => Ok(Played::Skipped("refused across ranks: migration orders points")),
            Call::Timing { .. } | Call::Info { .. } => Ok(Played::Skipped("reports are each rank's own")),
            Call::LastError { .. } => Ok(Played::Skipped("read after each failure")),
            Call::Create { .. }
            | Call::CellCount { .. }
            | Call::CellFetch { .. }
            | Call::CellRelease
            | Call::DropIn { .. }
            | Call::DropInFetch { .. }
            | Call::DropInRule(_)
            | Call::DropInRelease
            | Call::Constants { .. }
            | Call::Reorder { .. }
            | Call::Sum { .. } => Ok(Played::Skipped("calls without ranks")),
            Call::ForRanks { .. } => Ok(Played::Skipped(
                "refused without ranks; with ranks these are played in other steps",
            )),
            Call::Refuse { .. } => Ok(Played::Skipped("one rank refuses in the place of other calls")),
            Call::Copy32 { .. } => Ok(Played::Skipped("as Copy, with other numbers")),
            Call::OfQueries { .. } => Ok(Played::Skipped("distances are checked where pairs are viewed")),
            Call::FofIds { off, nulls } => self.fof(h, *off, *nulls),
            Call::GroupIds { .. } => self.groups_view(h),
            Call::PairFieldByIds { .. } => Ok(Played::Skipped("all pair fields are given by ids")),
            Call::Cutoff(_)
            | Call::Tie(_)
            | Call::Base(_)
            | Call::Threads(_)
            | Call::Backend(_)
            | Call::Device(_)
            | Call::DeviceTurn(_)
            | Call::Limit(_)
            | Call::Skin(_)
            | Call::Box { .. }
            | Call::Cell { .. }
            | Call::Active(_)
            | Call::GhostPairs(_)
            | Call::GhostRows(_)
            | Call::Exclusions(_)
            | Call::ExclusionsByIds { .. }
            | Call::Roles { .. }
            | Call::Types { .. }
            | Call::TypeCutoffs { .. }
            | Call::Primary { .. }
            | Call::Ids { .. }
            | Call::Radii { .. }
            | Call::QueryRadii { .. }
            | Call::ClearRadii
            | Call::KnnWithin(_)
            | Call::Trim => self.setting(h, call),
        }
    }

    fn renew(&mut self, h: usize) {
        self.team.each(|seat| seat.renew(h));
        let ranks = self.team.ranks();
        self.hands[h] = Hand {
            deal: Deal::new(&mut Draw::seeded(0), 0, ranks),
            queries: Deal::new(&mut Draw::seeded(0), 0, ranks),
            ..Hand::default()
        };
    }

    /// Something has changed: what ranks were being given is over.
    fn changed(&mut self, h: usize) {
        let hand = &mut self.hands[h];
        (hand.chunks, hand.groups) = (None, None);
        hand.model.doubt_list();
    }

    /// The nulls of a call on each rank: of all, or of the odd one alone.
    fn nulls(&self, nulls: u8) -> Vec<u8> {
        let of = |rank: usize| {
            if self.odd.is_none_or(|odd| odd == rank) {
                nulls
            } else {
                0
            }
        };
        (0..self.team.ranks()).map(of).collect()
    }
}

impl Hand {
    /// The model whose points have the ids that ranks know them by.
    fn truth(&self) -> Model {
        let mut model = self.model.clone();
        if model.ids.is_empty() {
            model.ids = self.numbers();
        }
        // Who has the pairs of active points of two ranks is another question.
        model.larger_ids = false;
        model
    }

    /// The global ids of points: those that were given, or numbers rank by rank.
    fn numbers(&self) -> Vec<i64> {
        match self.model.ids.is_empty() {
            true if self.model.dim.is_some() => self.deal.numbers(self.model.base),
            _ => self.model.ids.clone(),
        }
    }

    /// Faults of what ranks compare.
    fn check_ranks(&self, checks: &mut Checks) {
        let (model, n) = (&self.model, self.model.n());
        checks.must(model.dim.is_none(), BAD_STATE);
        checks.must(Model::shared(&model.ids, |_| true), BAD_VALUE);
        checks.must(!model.ids.is_empty() && model.ids.len() != n, BAD_COUNT);
        let has_roles = (0..n).any(|i| !model.is_active(i)) || !model.roles.is_empty();
        let ntypes = model.types.as_ref().map_or(0, |(_, ntypes, _)| *ntypes);
        checks.must(has_roles && ntypes > 31 && n > 0, NOT_SUPPORTED);
        checks.may(model.limit > 0, MEMORY_LIMIT);
        // Ranks make their plan before all is checked.
        let misfits = model.radii.as_ref().is_some_and(|(_, radii, _)| radii.len() != n);
        let is_refused = checks.is_refused();
        checks.may(is_refused && model.cell.is_some(), BAD_DOMAIN);
        checks.may(is_refused && misfits, BAD_COUNT);
        checks.may(is_refused && model.radii.is_some(), BAD_VALUE);
        checks.may(is_refused && model.misfit(), NOT_SUPPORTED);
        checks.may(
            is_refused && model.excludes_images() && model.is_periodic(),
            NOT_SUPPORTED,
        );
        // Ranks without points say nothing of their settings.
        checks.may((is_refused || n == 0) && model.cutoff.is_none(), BAD_STATE);
    }
}
