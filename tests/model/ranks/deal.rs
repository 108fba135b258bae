//! The spread of points over ranks.

use super::super::draw::Draw;

/// The elements of each rank, in its own order.
#[derive(Clone, Debug, Default)]
pub struct Deal {
    pub mine: Vec<Vec<usize>>,
    /// Whether ranks have their elements in the order of the world.
    ascends: bool,
}

/// The number of a rule by which elements are spread.
#[derive(Clone, Copy, Debug)]
enum Rule {
    Any,
    Slices,
    Turns,
    /// All on one.
    One,
    /// Any of a few ranks; the others have none.
    Few,
}

impl Deal {
    /// `n` elements on `ranks` ranks.
    pub fn new(draw: &mut Draw, n: usize, ranks: usize) -> Deal {
        let mut deal = Deal {
            mine: vec![Vec::new(); ranks],
            ascends: draw.once_in(2),
        };
        deal.grow(draw, n);
        deal
    }

    /// Deals `more` elements.
    pub fn grow(&mut self, draw: &mut Draw, more: usize) {
        let (first, ranks) = (self.len(), self.mine.len());
        let rule = draw.pick(&[Rule::Any, Rule::Slices, Rule::Turns, Rule::One, Rule::Few]);
        let (one, few) = (draw.below(ranks), 1 + draw.below(ranks));
        for k in 0..more {
            let rank = match rule {
                Rule::Any => draw.below(ranks),
                Rule::Slices => k * ranks / more,
                Rule::Turns => k % ranks,
                Rule::One => one,
                Rule::Few => (one + draw.below(few)) % ranks,
            };
            let mine = &mut self.mine[rank];
            // New points come last, on one rank too.
            let place = mine.partition_point(|&element| element < first);
            let among = if self.ascends {
                mine.len()
            } else {
                place + draw.below(mine.len() - place + 1)
            };
            mine.insert(among, first + k);
        }
    }

    /// The elements of all ranks.
    pub fn len(&self) -> usize {
        self.mine.iter().map(Vec::len).sum()
    }

    /// The rank of each element.
    pub fn owners(&self) -> Vec<usize> {
        let mut owners = vec![0; self.len()];
        for (rank, mine) in self.mine.iter().enumerate() {
            mine.iter().for_each(|&element| owners[element] = rank);
        }
        owners
    }

    /// The numbers that elements have where ranks number them: those of rank 0 first.
    pub fn numbers(&self, base: i64) -> Vec<i64> {
        let mut numbers = vec![0; self.len()];
        (self.mine.iter().flatten().zip(base..)).for_each(|(&element, number)| numbers[element] = number);
        numbers
    }

    /// The elements of an array on each rank. Where it has others than those that are dealt, one rank has too many or some too few.
    pub fn split(&self, len: usize) -> Vec<Vec<usize>> {
        let there = |mine: &Vec<usize>| mine.iter().copied().filter(|&element| element < len).collect();
        let mut split: Vec<Vec<usize>> = self.mine.iter().map(there).collect();
        let ranks = split.len();
        let has_some = |rank: &usize| self.len() == 0 || !self.mine[*rank].is_empty();
        let extra = (0..ranks).map(|k| (len + k) % ranks).find(has_some).unwrap_or(0);
        split[extra].extend(self.len()..len);
        for (part, mine) in split.iter_mut().zip(&self.mine) {
            // No elements at all would mean another thing.
            if len > 0 && part.is_empty() && !mine.is_empty() {
                *part = vec![0; mine.len() + 1];
            }
        }
        split
    }

    /// The parts of an array of `width` numbers for each element.
    pub fn parts<T: Clone>(&self, all: &[T], width: usize) -> Vec<Vec<T>> {
        let split = self.split(all.len() / width);
        let part = |mine: &Vec<usize>| {
            mine.iter()
                .flat_map(|&k| all[k * width..(k + 1) * width].iter().cloned())
                .collect()
        };
        split.iter().map(part).collect()
    }
}
