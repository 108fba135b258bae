//! Few rows among many points: those of a handful of active points, first, in the middle and scattered, and in chunks of a row.

use super::*;
use crate::common::Domain;

/// Clouds whose blocks have many points: uniform, in a box, in one place, with a crowd, and far from each other.
fn clouds(random: &mut Random) -> Vec<Case> {
    let mut crowd = random.cloud(3, 900);
    crowd.iter_mut().take(3 * 700).for_each(|c| *c = 0.5 + 0.02 * *c);
    let mut far = random.cloud(2, 700);
    far.iter_mut().step_by(5).for_each(|c| *c *= 1e12);
    vec![
        Case::new("in reach of each other", 3, random.cloud(3, 500), 2.0),
        Case::new("blocks of many", 3, random.cloud(3, 1200), 0.3),
        Case::new("a plane", 2, random.cloud(2, 1200), 0.2),
        Case::new("a line", 1, random.cloud(1, 600), 0.1),
        Case::new("a box", 3, random.cloud(3, 800), 0.3).with_domain(Domain::periodic(0.25, 1.0)),
        Case::new("one place", 3, vec![0.5; 3 * 300], 0.1),
        Case::new("a crowd", 3, crowd, 0.05),
        Case::new("far ones", 2, far, 0.3),
    ]
}

/// Active points by number.
fn active(n: usize) -> [Vec<usize>; 5] {
    [
        vec![0],
        vec![n - 1],
        vec![n / 2, n / 2 + 1],
        (0..n).step_by(97).collect(),
        (n / 3..n / 3 + 9).collect(),
    ]
}

fn few<T: Precision>(seed: u64) {
    let (mut search, mut random) = (Search::new().unwrap(), Random(seed));
    let clouds = Part::of_environment().of(clouds(&mut random));
    for (number, case) in clouds.iter().filter(|case| case.fits::<T>()).enumerate() {
        set::<T>(&mut search, case);
        let (near, n) = (case.truth::<T>(), case.coords.len() / case.dim);
        for (k, active) in active(n).into_iter().enumerate() {
            let mut world = World {
                roles: vec![if k == 3 { Absent } else { Ghost }; n],
                ids: Vec::new(),
                types: Vec::new(),
                pairs: [GhostPairs::All, GhostPairs::LargerIds][k % 2],
                rows: [GhostRows::Active, GhostRows::None][(number + k) % 2],
            };
            active.into_iter().for_each(|i| world.roles[i] = Active);
            if k == 4 {
                world.types = (0..n).map(|i| i32::from(i % 50 != 0)).collect(); // few that all others list
            }
            world.set(&mut search, 0);
            let name = format!("{} {}, active {k}", case.name, T::NAME);
            check_rows(&mut search, &world, &near, 0, &name);
            let (offsets, ids) = world.rows(false, &near);
            let longest = offsets.windows(2).map(|row| row[1] - row[0]).max().unwrap_or(0);
            let (mut found, mut chunks) = (Vec::new(), search.chunks(NeighborsKind::Full, longest.max(1)).unwrap());
            while let Some(chunk) = chunks.next().unwrap() {
                found.extend_from_slice(chunk.ids);
            }
            assert!(found == ids, "{name}: in chunks of {longest}");
        }
    }
}

#[test]
fn few_rows() {
    few::<f32>(3);
    few::<f64>(4);
}
