//! All pairs of nearby points in a random cloud.
//!
//!     cargo run --example find_pairs

use neargrid::{PointsView, Search};

const DIM: usize = 3;
const N: usize = 100;

fn main() -> neargrid::Result<()> {
    let x = random_points();
    let cutoff = 2.0 * (N as f64).powf(-1.0 / DIM as f64); // twice the spacing of as many points on a lattice

    let mut search = Search::new()?; // kept from time step to time step, it keeps its memory
    search.set_cutoff(cutoff)?;
    search.set_points(&PointsView::interleaved(DIM, &x)?)?;
    let pairs = search.pairs()?;

    let npairs = pairs.left.len();
    println!("{npairs} pairs among {N} points are closer than {cutoff:.4}; the first and the last five:");
    println!("{:>6}{:>6}{:>6}", "pair", "i", "j");
    for (k, (i, j)) in pairs.left.iter().zip(pairs.right).enumerate() {
        if k == 5 && npairs > 10 {
            println!("{:>6}", "...");
        }
        if k < 5 || k + 5 >= npairs {
            println!("{k:>6}{i:>6}{j:>6}");
        }
    }
    Ok(())
}

/// Point after point, uniform in the unit cube.
fn random_points() -> Vec<f64> {
    let mut state = 1u64;
    let mut uniform = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..DIM * N).map(|_| uniform()).collect()
}
