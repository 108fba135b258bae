//! The dam break between periodic sides: they must not be felt, wherever they are.

use std::fs;
use std::path::Path;

use super::{WIDTH, check_energy, check_frames, floats, integers, succeed};

const INPUT: &str = "dam_break_3d_periodic.nml";
/// A column of 8 particles by 16, 8 deep, and 11 frames.
const WORDS: &[&str] = &["cells=8", "tank=4.0,2.5,1.0", "t_end=2.5"];
const FLUID: usize = 8 * 16 * 8;
const DEPTH: f64 = WIDTH;

/// The fluid at one moment of a run with periodic sides.
struct Moment {
    position: Vec<[f64; 3]>,
    velocity: Vec<[f64; 3]>,
    neighbors: Vec<i32>,
}

impl Moment {
    /// All frames of a run; no particle is outside the box.
    fn all(folder: &Path) -> Vec<Moment> {
        (0..11)
            .map(|k| Moment::read(&folder.join(format!("frame_{k:04}.vtp"))))
            .collect()
    }

    fn read(path: &Path) -> Moment {
        let frame = fs::read(path).unwrap();
        let triples = |name: &str| -> Vec<[f64; 3]> {
            let numbers = floats(&frame, name);
            let triples = numbers.chunks(3).map(|three| three.try_into().unwrap());
            triples.take(FLUID).collect()
        };
        let fluid = integers(&frame, "kind").iter().filter(|&&kind| kind == 0).count();
        assert_eq!(fluid, FLUID);
        let position = triples("position");
        assert!(position.iter().all(|at| (0.0..=DEPTH * (1.0 + 1e-6)).contains(&at[2])));
        Moment {
            position,
            velocity: triples("velocity"),
            neighbors: integers(&frame, "neighbors")[..FLUID].to_vec(),
        }
    }

    /// Momentum along z over the sum of all momenta. Masses count as equal: they differ by half a percent from top to
    /// bottom, and not between one side of the post and the other.
    fn momentum_across(&self) -> f64 {
        let sum: f64 = self.velocity.iter().map(|v| v[2]).sum();
        let all: f64 = self.velocity.iter().map(speed).sum();
        sum / all.max(f64::MIN_POSITIVE)
    }

    /// Neighbors of a particle within one spacing of a periodic side, over those of one inside; both means.
    fn neighbors_at_sides(&self) -> f64 {
        let mut sums = [[0.0; 2]; 2];
        for (at, &neighbors) in self.position.iter().zip(&self.neighbors) {
            let inside = usize::from((DEPTH / 8.0..DEPTH * 7.0 / 8.0).contains(&at[2]));
            sums[inside][0] += f64::from(neighbors);
            sums[inside][1] += 1.0;
        }
        sums[0][0] / sums[0][1] / (sums[1][0] / sums[1][1])
    }
}

fn speed(v: &[f64; 3]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// The nearest image of a difference along z.
fn across(d: f64) -> f64 {
    d - DEPTH * (d / DEPTH).round()
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn periodic_sides() {
    let (rows, said, folder) = succeed(INPUT, WORDS, 2, "periodic");
    assert!(said.contains("periodic sides"), "{said}");
    check_energy(&rows);
    // spray is lighter than it was
    check_frames(&folder, 11, 4.0 * WIDTH, WIDTH / 8.0, 800.0);
    let last = rows.last().unwrap();
    let kept = last.total / rows[0].total;
    assert!((last.front - 3.18).abs() < 0.1, "Z = {}", last.front);
    assert!((kept - 0.919).abs() < 0.01, "E/E(0) = {kept}");

    // Water passes the sides, as much to the left as to the right: the flow mirrors itself at the post, which is
    // off the middle, so that a side that is felt would push. A free surface there would cost neighbors.
    let moments = Moment::all(&folder);
    let passed = moments
        .windows(2)
        .flat_map(|two| two[0].position.iter().zip(&two[1].position));
    let passed = passed.filter(|(a, b)| (a[2] - b[2]).abs() > DEPTH / 2.0).count();
    assert!(passed > 5, "{passed} particles passed the sides");
    let end = moments.last().unwrap();
    let fastest = |axis: usize| end.velocity.iter().map(|v| v[axis].abs()).fold(0.0, f64::max);
    assert!(fastest(2) > 0.1 * fastest(0), "nothing moves along z");
    for (k, moment) in moments.iter().enumerate() {
        let momentum = moment.momentum_across();
        assert!(momentum.abs() < 1e-7, "frame {k}: {momentum}");
        let share = moment.neighbors_at_sides();
        assert!((share - 1.0).abs() < 0.1, "frame {k}: {share}");
    }

    // The begin of the box makes no difference, even inside the post.
    let shifted = [WORDS, &["shift=0.5"]].concat();
    let (shifted_rows, _, folder) = succeed(INPUT, &shifted, 2, "periodic_shifted");
    for (a, b) in rows.iter().zip(&shifted_rows) {
        assert!((a.front - b.front).abs() < 1e-6, "T = {}", a.time);
        assert!((a.total - b.total).abs() < 1e-6 * rows[0].total);
    }
    assert_eq!(rows.len(), shifted_rows.len());
    for (k, (a, b)) in moments.iter().zip(&Moment::all(&folder)).enumerate() {
        for (a, b) in a.position.iter().zip(&b.position) {
            let off = [a[0] - b[0], a[1] - b[1], across(a[2] - b[2] + DEPTH / 2.0)];
            assert!(speed(&off) < 1e-3 * WIDTH / 8.0, "frame {k}: {a:?} and {b:?}");
        }
    }
}

/// Without a post nothing depends on z: every layer of particles moves as the others, those at the sides too.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn periodic_layers_are_alike() {
    let words = [WORDS, &["obstacle_hi=0.0,0.0,0.0"]].concat();
    let (rows, _, folder) = succeed(INPUT, &words, 2, "periodic_layers");
    check_energy(&rows);
    for (k, moment) in Moment::all(&folder).iter().enumerate() {
        let top = moment.velocity.iter().map(speed).fold(0.0, f64::max);
        for v in &moment.velocity {
            assert!(v[2].abs() <= 1e-7 * top, "frame {k}: {v:?}");
        }
        // particles are numbered by x, then z, then y: a slice of the column has 8 layers of 16 particles
        for slice in moment.neighbors.chunks(8 * 16) {
            assert!(
                slice.chunks(16).all(|layer| layer == &slice[..16]),
                "frame {k}: {slice:?}"
            );
        }
    }
}
