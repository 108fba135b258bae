//! Ascending numbers in few bytes: the numbers of a stretch share one whole number and take two bytes each.

/// How many numbers, as a power of two, may share one that is kept whole. The first that works is used; otherwise each is whole.
const SHARED: [u32; 5] = [7, 6, 5, 4, 3];

/// Words that `n` numbers take: the whole ones, and the excess of each over its whole one, which takes nothing if all are whole.
pub fn words(count: usize, shared: u32) -> [usize; 2] {
    let lows = if shared > 0 { count / 2 + 1 } else { 0 }; // one more than there are, at least: two are read at once
    [count.div_ceil(1 << shared), lows]
}

/// How many numbers, as a power of two, may share one that is whole.
pub fn shared(numbers: &[u32]) -> u32 {
    let is_near = |part: &[u32]| part[part.len() - 1] - part[0] <= u16::MAX.into();
    let fits = |&shared: &u32| numbers.chunks(1 << shared).all(is_near);
    SHARED.into_iter().find(fits).unwrap_or(0)
}

/// Splits ascending numbers into those that are whole and by how much each is more.
pub fn split(numbers: &[u32], shared: u32, (wholes, lows): (&mut [u32], &mut [u32])) {
    if shared == 0 {
        return wholes.copy_from_slice(numbers);
    }
    let lows: &mut [u16] = bytemuck::cast_slice_mut(lows);
    let parts = numbers.chunks(1 << shared).zip(lows.chunks_mut(1 << shared));
    for (whole, (numbers, lows)) in wholes.iter_mut().zip(parts) {
        *whole = numbers[0];
        let more = numbers.iter().map(|number| (number - numbers[0]) as u16);
        lows.iter_mut().zip(more).for_each(|(low, more)| *low = more);
    }
}

/// CodedIds by their places.
#[derive(Clone, Copy)]
pub struct CodedIds<'a> {
    pub wholes: &'a [u32],
    pub shared: u32,
    pub lows: &'a [u16],
}

impl CodedIds<'_> {
    /// The one at a place.
    #[inline(always)]
    pub fn of(&self, place: u16) -> u32 {
        let place = usize::from(place);
        match self.shared {
            0 => self.wholes[place],
            shared => self.wholes[place >> shared] + u32::from(self.lows[place]),
        }
    }

    /// Writes all numbers, the first `to.len()`, each plus `base`.
    pub fn all(&self, base: i32, to: &mut [i32]) {
        if self.shared == 0 {
            (to.iter_mut().zip(self.wholes)).for_each(|(to, &whole)| *to = whole as i32 + base);
            return;
        }
        let parts = to.chunks_mut(1 << self.shared).zip(self.lows.chunks(1 << self.shared));
        for ((to, lows), &whole) in parts.zip(self.wholes) {
            let first = whole as i32 + base;
            (to.iter_mut().zip(lows)).for_each(|(to, &low)| *to = first + i32::from(low));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CodedIds come back as they were, however far apart they are.
    #[test]
    fn numbers_come_back() {
        for (count, step) in [
            (1, 1),
            (300, 1),
            (300, 500),
            (300, 3000),
            (300, 9000),
            (300, 60_000),
            (70, 50_000_000),
        ] {
            let numbers: Vec<u32> = (0..count).map(|k| k * step + k % 3 * (step / 4)).collect();
            let shared = shared(&numbers);
            assert!(shared == 7 || step > 500);
            let mut wholes = vec![0; numbers.len().div_ceil(1 << shared)];
            let mut lows = vec![0; words(numbers.len(), shared)[1]];
            split(&numbers, shared, (&mut wholes, &mut lows));
            let list = CodedIds {
                wholes: &wholes,
                shared,
                lows: bytemuck::cast_slice(&lows),
            };
            let mut all = vec![-1; numbers.len()];
            list.all(1, &mut all);
            assert!(all.iter().map(|&number| number as u32 - 1).eq(numbers.iter().copied()));
            assert!(
                (0..count as u16).map(|place| list.of(place)).eq(numbers),
                "steps of {step}"
            );
        }
    }
}
