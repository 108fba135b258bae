//! A radius for each point, and the cutoff of two points.
//!
//! in: the caller's radii and rule; out: [`Reach`], read by the backends.

mod of_ghosts;
mod rule;

use std::ops::Range;

pub use rule::RadiusRule;

use crate::domain::{Periods, TieRule};
use crate::error::{Error, Result, Status, number};
use crate::kinds::Classes;
use crate::list::{holds, reserve_discarding};
use crate::points::{Precision, Real, Values};
use crate::version::Version;

/// The radius -0 is 0: backends compare the bits of radii.
fn without_sign<T: Precision>(radius: T) -> T {
    radius.add(T::default())
}

impl Values {
    /// Copies the caller's radii, each refused by its number, from `base` on; then nothing changes. Memory is kept.
    pub fn set<T: Precision>(&mut self, argument: &'static str, radii: &[T], base: i64) -> Result<()> {
        let range = T::CUTOFF2_MIN..=T::CUTOFF2_MAX;
        let is_allowed = |r: T| r == T::default() || r > T::default() && range.contains(&r.mul(r).to_f64());
        if let Some(at) = radii.iter().position(|&r| !is_allowed(r)) {
            let allowed = format_args!(
                "0, or finite, greater than 0, and its square from {:.3e} to {:.3e} in {} (first at point {})",
                T::CUTOFF2_MIN,
                T::CUTOFF2_MAX,
                T::NAME,
                at as i64 + base
            );
            let value = number(radii[at].to_f64());
            return Err(Error::not_allowed(Status::BadRadius, argument, value, allowed));
        }
        if let Some(held) = T::held_mut(self).filter(|held| held.capacity() >= radii.len()) {
            held.clear();
            held.extend(radii.iter().map(|&r| without_sign(r)));
            return Ok(());
        }
        let mut held = Vec::new();
        reserve_discarding(&mut held, radii.len(), "the radii of the points")?;
        held.extend(radii.iter().map(|&r| without_sign(r)));
        *self = T::hold(held);
        Ok(())
    }

    fn is_none(&self) -> bool {
        matches!(self, Values::None)
    }

    /// The radii of `points` points of precision `T`.
    fn of<T: Precision>(&self, what: &'static str, points: usize) -> Result<&[T]> {
        let Some(values) = T::held(self) else {
            let (held, allowed) = match self {
                Values::F32(_) => (f32::NAME, f64::NAME),
                _ => (f64::NAME, f32::NAME),
            };
            let allowed = format_args!("{allowed}, the precision of the points");
            return Err(Error::not_allowed(
                Status::BadValue,
                "precision of radii",
                held,
                allowed,
            ));
        };
        if values.len() != points {
            let allowed = format_args!("{points}, the number of points");
            return Err(Error::not_allowed(Status::BadCount, what, values.len(), allowed));
        }
        Ok(values)
    }
}

/// The caller's radii.
#[derive(Debug, Default)]
pub struct Radii {
    /// None where all points have the cutoff.
    points: Values,
    /// The number of radii at the end that ghosts of other ranks have.
    of_ghosts: usize,
    queries: Values,
    rule: RadiusRule,
    version: Version,
}

holds! { Radii { points, queries; of_ghosts, rule, version } }

impl Radii {
    /// Sets the radii of the points and the rule. On failure nothing changes.
    pub fn set<T: Precision>(&mut self, radii: &[T], rule: RadiusRule, base: i64) -> Result<()> {
        self.points.set("radii", radii, base)?;
        (self.of_ghosts, self.rule, self.version) = (0, rule, Version::new());
        Ok(())
    }

    /// Sets the radii of the queries. On failure nothing changes.
    pub fn set_queries<T: Precision>(&mut self, radii: &[T], base: i64) -> Result<()> {
        self.queries.set("query radii", radii, base)?;
        self.version = Version::new();
        Ok(())
    }

    /// Removes the radii of the points, or those of the queries.
    pub fn remove(&mut self, of_queries: bool) {
        match of_queries {
            true => self.queries = Values::None,
            false => (self.points, self.of_ghosts) = (Values::None, 0),
        }
        self.version = Version::new();
    }

    /// The cutoff of the points of rows, those of queries or others. Where only queries have radii, the rule is gather: it needs
    /// no others, and rules are set together with the radii of points.
    pub fn rule(&self, of_queries: bool) -> RadiusRule {
        match of_queries && self.points.is_none() {
            true => RadiusRule::Gather,
            false => self.rule,
        }
    }

    /// Another whenever radii or rule change.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Whether each point has a radius of its own.
    pub fn are_set(&self) -> bool {
        !self.points.is_none()
    }

    /// Refuses radii that are not in the precision of the points.
    pub fn check_precision<T: Precision>(&self) -> Result<()> {
        match self.are_set() {
            true => self.points.of::<T>("number of radii", self.points.len()).map(|_| ()),
            false => Ok(()),
        }
    }

    /// Whether rows of queries, or others, are found by radii.
    pub fn are_for(&self, of_queries: bool) -> bool {
        self.are_set() || of_queries && !self.queries.is_none()
    }

    /// The radii of `points` points and the `queries` after them; `of_queries`: for the rows of those.
    pub fn reach<T: Precision>(&self, counts: [usize; 2], of_queries: bool, tie_rule: TieRule) -> Result<Reach<'_, T>> {
        let ([points, queries], rule) = (counts, self.rule(of_queries));
        let needs_queries = of_queries && queries > 0 && rule != RadiusRule::Scatter;
        if needs_queries && self.queries.is_none() {
            return Err(Error::BadState {
                missing: "radii of the queries",
                remedy: "set_radii for queries, or set_query_radii",
            });
        }
        Ok(Reach {
            points: match self.are_set() {
                true => self.points.of("number of radii", points)?,
                false => &[],
            },
            queries: match needs_queries {
                true => self.queries.of("number of query radii", queries)?,
                false => &[],
            },
            counts,
            of_queries,
            rule,
            tie_rule,
            skin: T::default(),
        })
    }
}

/// The radii of points and queries, and what they mean.
#[derive(Clone, Copy, Debug)]
pub struct Reach<'a, T> {
    points: &'a [T],
    queries: &'a [T],
    /// Points, and the queries after them, whose rows these are, or are not.
    counts: [usize; 2],
    of_queries: bool,
    pub rule: RadiusRule,
    pub tie_rule: TieRule,
    /// Added to each radius.
    skin: T,
}

/// The largest cutoff that a pair may have.
#[derive(Clone, Copy, Debug)]
pub struct Farthest<T> {
    cutoff: T,
    /// The point, or the query after the points, that would have to reach less.
    at: usize,
}

impl<T: Real> Reach<'_, T> {
    /// That of points without radii, whose types say how far each reaches into the rows of others.
    pub fn by_types(counts: [usize; 2], tie_rule: TieRule) -> Self {
        Reach {
            points: &[],
            queries: &[],
            counts,
            of_queries: false,
            rule: RadiusRule::Scatter,
            tie_rule,
            skin: T::default(),
        }
    }

    /// The same with a skin, which is added to each radius with one rounding.
    pub fn with_skin(self, skin: f64) -> Self {
        let skin = T::from_f64(skin);
        Reach { skin, ..self }
    }

    /// The radius of point `i`, or of the query that is there, with the skin; without a radius where it does not matter.
    #[inline]
    pub fn of(&self, i: usize) -> T {
        let (radii, at) = match i.checked_sub(self.counts[0]) {
            None => (self.points, i),
            Some(query) => (self.queries, query),
        };
        radii.get(at).copied().unwrap_or_default().add(self.skin)
    }

    /// The largest radius, of those that [`needed`](Reach::needed) leaves.
    pub fn largest(&self) -> T {
        let larger = |a: T, &b: &T| if a < b { b } else { a };
        let largest = self.points.iter().chain(self.queries).fold(T::default(), larger);
        self.needed(largest.add(self.skin), self.farthest().as_ref())
    }

    /// As much of a radius as pairs need: of two the larger one does not matter where the rule is min.
    #[inline]
    pub fn needed(&self, radius: T, farthest: Option<&Farthest<T>>) -> T {
        match farthest {
            Some(farthest) if self.rule == RadiusRule::Min && radius > farthest.cutoff => farthest.cutoff,
            _ => radius,
        }
    }

    /// The largest cutoff that a pair may have; `None` where there are no two points, or no point and query.
    pub fn farthest(&self) -> Option<Farthest<T>> {
        let [points, queries] = self.counts;
        let larger = |a: (T, usize), b: (T, usize)| if a.0 < b.0 { b } else { a };
        let most = |range: Range<usize>| range.map(|i| (self.of(i), i)).reduce(larger);
        let ends = match self.of_queries {
            true => [most(points..points + queries)?, most(0..points)?],
            false => {
                let first = most(0..points)?;
                let second = [most(0..first.1), most(first.1 + 1..points)]
                    .into_iter()
                    .flatten()
                    .reduce(larger);
                [first, second?]
            }
        };
        // Of two points either may be the row's.
        let turned = match self.of_queries {
            true => ends,
            false => [ends[1], ends[0]],
        };
        let of = |[mine, other]: [(T, usize); 2]| {
            let is_mine = match self.rule {
                RadiusRule::Gather => true,
                RadiusRule::Scatter => false,
                RadiusRule::Min => mine.0 < other.0,
                RadiusRule::Max | RadiusRule::Mean => mine.0 >= other.0,
            };
            let cutoff = self.rule.cutoff(mine.0, other.0);
            (cutoff, if is_mine { mine.1 } else { other.1 })
        };
        let (cutoff, at) = larger(of(ends), of(turned));
        Some(Farthest { cutoff, at })
    }

    /// Refuses a box with a periodic axis shorter than twice the largest cutoff: a pair would then have several images
    /// in reach. Points are named from `base` on.
    pub fn check_box(&self, periods: &Periods<T>, base: i64) -> Result<()> {
        if periods.is_open() {
            return Ok(());
        }
        let Some(Farthest { cutoff, at }) = self.farthest() else {
            return Ok(());
        };
        for (period, axis) in periods.0.iter().zip(["x", "y", "z"]) {
            let Some(period) = period.filter(|period| period.half < cutoff) else {
                continue;
            };
            let (argument, point, first) = match at < self.counts[0] {
                true => ("radius", "point", 0),
                false => ("query radius", "query", self.counts[0]),
            };
            let what = match self.rule {
                RadiusRule::Mean => "so small that half its sum with any other one is at most",
                _ => "at most",
            };
            let half = number(period.half);
            let with_skin = if self.skin > T::default() { " with the skin" } else { "" };
            let value = format_args!(
                "{}{with_skin} of {point} {}",
                number(self.of(at)),
                (at - first) as i64 + base
            );
            let allowed = format_args!("{what} {half}, half the length of the periodic axis {axis}");
            return Err(Error::not_allowed(Status::BadDomain, argument, value, allowed));
        }
        Ok(())
    }

    /// Refuses a skin with which the square of a radius would be infinite.
    pub fn check_skin(&self) -> Result<()> {
        let largest = self.largest();
        if self.skin == T::default() || largest.mul(largest).to_f64() <= T::CUTOFF2_MAX {
            return Ok(());
        }
        let allowed = format_args!(
            "with a skin, such that the square of both together is at most {:.3e} in {}",
            T::CUTOFF2_MAX,
            T::NAME
        );
        let argument = "the sum of the largest radius and the skin";
        Err(Error::not_allowed(
            Status::BadRadius,
            argument,
            number(largest.to_f64()),
            allowed,
        ))
    }

    /// The group of a point of some class and radius. By the exclusive rule those of radius 0 are apart: where both
    /// points must reach out they have no neighbors, however many coincide.
    #[inline]
    pub fn group(&self, class: u8, radius: T) -> u8 {
        let is_lone = self.tie_rule == TieRule::Exclusive && radius == T::default();
        class << 1 | u8::from(is_lone)
    }

    /// Whether rows of a group may list points of another one, as `classes` and radii of 0 have it.
    pub fn may_list(&self, classes: Option<&Classes>, row: u8, other: u8) -> bool {
        let [mine, others] = [row, other].map(|group| group & 1 == 0);
        let is_allowed = || classes.is_none_or(|classes| classes.allows(row >> 1, other >> 1));
        self.rule.cutoff(f32::from(u8::from(mine)), f32::from(u8::from(others))) > 0.0 && is_allowed()
    }

    /// Whether a pair of these radii, of which the first is the row's, and of this distance squared are neighbors.
    #[inline(always)]
    pub fn is_pair(&self, mine: T, other: T, d2: T) -> bool {
        let cutoff = self.rule.cutoff(mine, other);
        let square = cutoff.mul(cutoff);
        match self.tie_rule {
            TieRule::Inclusive => d2 <= square,
            TieRule::Exclusive => d2 < square,
        }
    }
}
