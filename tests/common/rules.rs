//! The data of a case's points beside their places: types, which of them interact, and which points are active.

use super::{Case, Random};

/// Types, from 0, their mask, and the number of active points; by default nothing is said.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    pub types: Vec<i32>,
    pub mask: Vec<bool>,
    pub active: Option<usize>,
}

impl Rules {
    pub fn new(types: &[i32], mask: Vec<bool>, active: Option<usize>) -> Rules {
        Rules {
            types: types.to_vec(),
            mask,
            active,
        }
    }

    /// Whether two points that are near are a pair.
    pub fn counts(&self, i: usize, j: usize) -> bool {
        let ntypes = self.mask.len().isqrt();
        let interact = || self.mask[self.types[i] as usize * ntypes + self.types[j] as usize];
        let active = self.active.unwrap_or(usize::MAX);
        (self.types.is_empty() || interact()) && (i < active || j < active)
    }

    /// Rules of all sorts for `n` points.
    pub fn some(n: usize, random: &mut Random) -> Vec<Rules> {
        let mut types = |ntypes: usize| (0..n).map(|_| random.below(ntypes) as i32).collect::<Vec<_>>();
        let (two, five) = (types(2), types(5));
        let boundary = vec![true, true, true, false];
        let others = (0..25)
            .map(|k| (k / 5 + k % 5) % 3 != 0 && k / 5 * (k % 5) != 16)
            .collect();
        vec![
            Rules::new(&[], Vec::new(), Some(n / 3)),
            Rules::new(&two, boundary.clone(), None),
            Rules::new(&two, boundary, Some(n - n / 4)),
            Rules::new(&five, others, Some(n / 2)),
            Rules::new(&two, vec![false; 4], None),
            Rules::new(&[], Vec::new(), Some(0)),
            Rules::new(&[], Vec::new(), Some(1.min(n))),
            Rules::new(&[], Vec::new(), Some(n)),
        ]
    }
}

/// Every so many of the cases, each with rules of another sort.
pub fn ruled_cases(cases: &[Case], every: usize) -> Vec<Case> {
    let mut random = Random(77);
    let ruled = |(k, case): (usize, &Case)| {
        let rules = Rules::some(case.coords.len() / case.dim, &mut random).swap_remove(k % 8);
        let name = format!("{}, {:?} active of types {:?}", case.name, rules.active, rules.mask);
        Case {
            name,
            rules,
            ..case.clone()
        }
    };
    cases.iter().step_by(every).enumerate().map(ruled).collect()
}
