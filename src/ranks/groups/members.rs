//! Members of groups on this rank: their contributions to groups with a home on other ranks, and those of other ranks to groups
//! with a home here.

use crate::error::{Error, Result, words};
use crate::exact_sum::{ExactSum, WORDS};
use crate::groups::{Properties, Source, Sums};
use crate::memory::{push, reserve_keeping, with_capacity};
use crate::points::{Points, Real};
use crate::ranks::comm::Mail;
use crate::ranks::fof::Friends;
use crate::ranks::mail::{Reader, letter};

const WHAT: &str = "the members of groups";

/// A group that is large enough.
#[derive(Clone, Debug)]
pub struct Made {
    pub label: i64,
    pub size: u64,
    pub mass: f64,
    /// The displacement of the center from the label.
    pub mean: [f64; 3],
    pub center: [f64; 3],
    pub velocity: [f64; 3],
    pub radius: f64,
    pub wide: bool,
}

/// This rank's points by group.
pub struct Members<'a, T> {
    points: &'a Points<T>,
    ids: &'a [i64],
    friends: &'a Friends,
    /// Over the members of one group after the other.
    sums: Sums<'a, T>,
    /// All points, those of a group together, by label.
    order: Vec<i32>,
}

/// The points of a group on this rank, and the place of its label.
struct Group<'a> {
    label: i64,
    members: &'a [i32],
    /// The rank that the group is at home on, if not this one.
    home: Option<usize>,
    origin: [f64; 3],
}

impl<'a, T: Real> Members<'a, T> {
    pub fn new(
        points: &'a Points<T>,
        ids: &'a [i64],
        friends: &'a Friends,
        properties: &Properties<'a, T>,
    ) -> Result<Members<'a, T>> {
        let mut order = with_capacity(ids.len(), WHAT)?;
        order.extend(0..ids.len() as i32);
        order.sort_unstable_by_key(|&point| (friends.labels[point as usize], point));
        let source = Source {
            points,
            labels: &[],
            global_ids: None,
            properties: *properties,
            base: 0,
        };
        Ok(Members {
            points,
            ids,
            friends,
            sums: Sums::new(&source),
            order,
        })
    }

    /// The groups that this rank has members of, by label, and the sums to use.
    fn groups(&mut self) -> (impl Iterator<Item = Result<Group<'_>>>, &mut Sums<'a, T>) {
        let (points, ids, friends) = (self.points, self.ids, self.friends);
        let label = |point: i32| friends.labels[point as usize];
        let groups = self.order.chunk_by(move |&a, &b| label(a) == label(b));
        let group = move |members| group(members, points, ids, friends);
        (groups.map(group), &mut self.sums)
    }

    /// This rank's members of a group that it has some of, and the sums to use.
    fn of(&mut self, label: i64) -> Result<(Group<'_>, &mut Sums<'a, T>)> {
        let label_of = |&point: &i32| self.friends.labels[point as usize];
        let first = self.order.partition_point(|point| label_of(point) < label);
        let end = self.order.partition_point(|point| label_of(point) <= label);
        if first == end {
            return Err(lost(label));
        }
        let group = group(&self.order[first..end], self.points, self.ids, self.friends)?;
        Ok((group, &mut self.sums))
    }

    /// Sums over the members of groups at home elsewhere, for each home.
    pub fn report(&mut self) -> Result<Vec<Mail>> {
        let (mut out, (groups, sums)) = (Vec::new(), self.groups());
        for group in groups {
            let group = group?;
            let Some(home) = group.home else { continue };
            sums.begin_at(group.origin);
            sums.add(group.members);
            let bytes = letter(&mut out, home)?;
            let len = bytes.len() + HEAD;
            reserve_keeping(bytes, len, WHAT)?;
            let (parts, extent) = sums.parts();
            bytes.extend_from_slice(bytemuck::bytes_of(&[group.label, group.members.len() as i64]));
            let start = bytes.len();
            bytes.extend_from_slice(&0u64.to_ne_bytes());
            extent
                .iter()
                .for_each(|corner| bytes.extend_from_slice(bytemuck::bytes_of(*corner)));
            parts.into_iter().try_for_each(|sum| write_sum(sum, bytes))?;
            let rest = (bytes.len() - start - size_of::<u64>()) as u64;
            bytes[start..start + size_of::<u64>()].copy_from_slice(&rest.to_ne_bytes());
        }
        Ok(out)
    }

    /// The groups at home here that are large enough.
    pub fn sum(&mut self, shares: &Shares, min_size: u64) -> Result<Vec<Made>> {
        let (mut made, (groups, sums)) = (Vec::new(), self.groups());
        for group in groups {
            let group = group?;
            let others = shares.of(group.label).map(|share| share.size);
            let size = group.members.len() as u64 + others.sum::<u64>();
            if group.home.is_some() || size < min_size {
                continue;
            }
            sums.begin_at(group.origin);
            sums.add(group.members);
            for share in shares.of(group.label) {
                share.merge_into(sums)?;
            }
            let (mean, mut center, mut velocity) = (sums.mean(), [0.0; 3], [0.0; 3]);
            sums.center(&mean, &mut center);
            sums.velocity(&mut velocity);
            let group = Made {
                label: group.label,
                size,
                mass: sums.mass(),
                mean,
                center,
                velocity,
                radius: 0.0,
                wide: sums.is_wide(),
            };
            push(&mut made, group, WHAT)?;
        }
        Ok(made)
    }

    /// Sums of squares over this rank's members of the groups whose centers came.
    pub fn report_squares(&mut self, came: &[Mail]) -> Result<Vec<Mail>> {
        let mut out = Vec::new();
        for mail in came {
            let mut reader = Reader(&mail.bytes);
            while !reader.0.is_empty() {
                let (label, mean) = (reader.one::<i64>(), reader.one());
                let (group, sums) = self.of(label)?;
                sums.begin_at(group.origin);
                sums.add_squares(group.members, &mean);
                let bytes = letter(&mut out, mail.rank)?;
                let len = bytes.len() + size_of::<i64>();
                reserve_keeping(bytes, len, WHAT)?;
                bytes.extend_from_slice(&label.to_ne_bytes());
                write_sum(sums.squares(), bytes)?;
            }
        }
        Ok(out)
    }

    /// Gives the groups their radii, with what came for that.
    pub fn radii(&mut self, made: &mut [Made], came: &[Mail]) -> Result<()> {
        let mut shares: Vec<(i64, &[u8])> = Vec::new();
        for mail in came {
            let mut reader = Reader(&mail.bytes);
            while !reader.0.is_empty() {
                let label = reader.one();
                push(&mut shares, (label, reader.0), WHAT)?;
                read_sum(&mut reader)?;
            }
        }
        shares.sort_unstable_by_key(|&(label, _)| label);
        for made in made {
            let (group, sums) = self.of(made.label)?;
            sums.begin_at(group.origin);
            sums.add_squares(group.members, &made.mean);
            let first = shares.partition_point(|&(label, _)| label < made.label);
            for &(_, share) in shares[first..].iter().take_while(|&&(label, _)| label == made.label) {
                sums.squares().merge(&mut read_sum(&mut Reader(share))?);
            }
            made.radius = (sums.squares().rounded() / made.mass).sqrt();
        }
        Ok(())
    }
}

/// The group of some points, with its home.
fn group<'a, T: Real>(members: &'a [i32], points: &Points<T>, ids: &[i64], friends: &Friends) -> Result<Group<'a>> {
    let label = friends.labels[members[0] as usize];
    let of_label = members.iter().find(|&&point| ids[point as usize] == label);
    let (home, origin) = match of_label {
        Some(&point) => {
            let mut origin = [0.0; 3];
            let coords = points.axes().iter().map(|axis| axis[point as usize].to_f64());
            origin.iter_mut().zip(coords).for_each(|(to, coord)| *to = coord);
            (None, origin)
        }
        None => {
            let seat = friends.seats.seat(label).ok_or_else(|| lost(label))?;
            (Some(seat.rank as usize), seat.at)
        }
    };
    Ok(Group {
        label,
        members,
        home,
        origin,
    })
}

fn lost(label: i64) -> Error {
    let text = words(format_args!("no rank knows the place of group {label}"));
    Error::Internal { text }
}

/// Bytes of a contribution before its sums: label, number of members, bytes that follow, extent.
const HEAD: usize = 3 * size_of::<i64>() + size_of::<[f64; 6]>();

/// The contribution of another rank to a group at home here: sums as they came.
pub struct Share<'a> {
    label: i64,
    pub rank: usize,
    size: u64,
    sums: &'a [u8],
}

impl Share<'_> {
    fn merge_into<T: Real>(&self, sums: &mut Sums<T>) -> Result<()> {
        let mut reader = Reader(self.sums);
        let (parts, [lowest, highest]) = sums.parts();
        let [low, high] = reader.one::<[[f64; 3]; 2]>();
        for axis in 0..3 {
            lowest[axis] = lowest[axis].min(low[axis]);
            highest[axis] = highest[axis].max(high[axis]);
        }
        for part in parts {
            part.merge(&mut read_sum(&mut reader)?);
        }
        Ok(())
    }
}

/// The contributions of other ranks to groups at home here, by label.
pub struct Shares<'a>(Vec<Share<'a>>);

impl<'a> Shares<'a> {
    pub fn new(came: &'a [Mail]) -> Result<Shares<'a>> {
        let mut list = Vec::new();
        for mail in came {
            let mut rest = &mail.bytes[..];
            while !rest.is_empty() {
                let mut reader = Reader(rest);
                let [label, size, bytes] = reader.one::<[i64; 3]>();
                let (sums, behind) = reader.0.split_at(bytes as usize);
                let (rank, size) = (mail.rank, size as u64);
                push(
                    &mut list,
                    Share {
                        label,
                        rank,
                        size,
                        sums,
                    },
                    WHAT,
                )?;
                rest = behind;
            }
        }
        list.sort_unstable_by_key(|share| (share.label, share.rank));
        Ok(Shares(list))
    }

    /// Those to one group.
    pub fn of(&self, label: i64) -> impl Iterator<Item = &Share<'a>> {
        let first = self.0.partition_point(|share| share.label < label);
        self.0[first..].iter().take_while(move |share| share.label == label)
    }
}

/// A sum as it travels: where its digits begin that are not 0, how many there are, its last word, and these.
fn write_sum(sum: &ExactSum, bytes: &mut Vec<u8>) -> Result<()> {
    let mut words = [0; WORDS];
    sum.to_words(&mut words);
    let (digits, last) = words.split_at(WORDS - 1);
    let first = digits.iter().position(|&digit| digit != 0).unwrap_or(0);
    let end = digits.iter().rposition(|&digit| digit != 0).map_or(first, |at| at + 1);
    let digits = &digits[first..end];
    let len = bytes.len() + size_of::<[i64; 3]>() + size_of_val(digits);
    reserve_keeping(bytes, len, WHAT)?;
    bytes.extend_from_slice(bytemuck::bytes_of(&[first as i64, digits.len() as i64, last[0]]));
    bytes.extend_from_slice(bytemuck::cast_slice(digits));
    Ok(())
}

fn read_sum(reader: &mut Reader) -> Result<ExactSum> {
    let [first, len, last] = reader.one::<[i64; 3]>();
    let mut words = [0; WORDS];
    words[WORDS - 1] = last;
    let came = words.iter_mut().skip(first as usize).zip(reader.take(len as usize));
    came.for_each(|(word, digit)| *word = digit);
    ExactSum::from_words(&words).ok_or(Error::Internal {
        text: "a sum of another rank is none".into(),
    })
}
