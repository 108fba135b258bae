//! The index along the z-order curve: results show whether its boxes are right, and these tests whether its order is good.

use super::points::Cloud;
use super::{Params, read_buffer};
use crate::gpu::acquire;
use crate::gpu::buffers::Buffers;
use crate::gpu::channel::Channel;
use crate::gpu::kernels::Slot;
use crate::gpu::ztree::{FINE_FROM, Ztree};
use crate::plan::WantedDevice;
use crate::points::Real;
use crate::random::Random;
use crate::threads::Team;

/// The numbers of the points from the `first` on in the order of the curve, and how many rounds it took to sort them.
fn order<T: Real>(cloud: &Cloud<T>, first: usize) -> (Vec<u32>, u32) {
    let device = acquire(WantedDevice::Best, true).expect("this test needs a Vulkan device");
    let (mut ztree, mut buffers) = (Ztree::default(), Buffers::default());
    let mut channel = Channel::new(device.clone()).unwrap();
    let (view, bytes) = (cloud.view(), size_of_val(&*cloud.coords) as u64);
    buffers.ensure(&device, Slot::Coords, bytes, "a test").unwrap();
    let coords = buffers.get(Slot::Coords).unwrap();
    channel.upload_points(&Team::caller(), (&view, 0), coords).unwrap();
    let params = Params::along_curve(view.dim(), &cloud.periods());
    let points = view.len() - first;
    let range = [points as u32, first as u32];
    ztree.order(&mut channel, coords, &params, range).unwrap();
    let entries: Vec<[u32; 2]> = read_buffer(&device, ztree.buffers.get(Slot::Entries).unwrap(), 0, points);
    let order: Vec<u32> = entries.into_iter().map(|entry| entry[1]).collect();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert!(
        sorted.into_iter().eq(0..points as u32),
        "{}: each point once",
        cloud.name
    );
    (order, ztree.zorder.rounds)
}

/// The curve goes from each point of a lattice to one beside it, wherever the lattice begins.
fn check_lattice<T: Real>(dim: usize, side: usize, spacing: f64, lo: i64) {
    let (points, mut random) = (side.pow(dim as u32), Random(9));
    let mut shuffled: Vec<usize> = (0..points).collect();
    (1..points).for_each(|k| shuffled.swap(k, random.below(k as u64 + 1) as usize));
    let place = |k: usize, axis: usize| (k / side.pow(axis as u32) % side) as i64;
    let coord = |k: &usize, axis| (place(*k, axis) + lo) as f64 * spacing;
    let coords = shuffled.iter().flat_map(|k| (0..dim).map(move |axis| coord(k, axis)));
    let cloud = Cloud::<T>::new(
        format!("a lattice from {lo} on in {dim}D, {}", T::NAME),
        dim,
        coords,
        1.0,
    );
    let (order, _) = order(&cloud, 0);
    for two in order.windows(2) {
        let [a, b] = [two[0], two[1]].map(|number| shuffled[number as usize]);
        let steps: u64 = (0..dim).map(|axis| place(a, axis).abs_diff(place(b, axis))).sum();
        assert_eq!(steps, 1, "{}: from {a} to {b}", cloud.name);
    }
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn neighbors_on_the_curve_are_neighbors_in_space() {
    assert!((16u64.pow(3)..32u64.pow(3)).contains(&FINE_FROM)); // the last by more bits than a key has
    for (dim, side) in [(1, 4096), (2, 64), (3, 16), (3, 32)] {
        check_lattice::<f32>(dim, side, 0.5, 0);
        check_lattice::<f64>(dim, side, 2f64.powi(-700), side as i64);
    }
}

/// Points on many scales are sorted on each, and a part of the points by itself.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn crowds_on_many_scales() {
    const SCALES: usize = 40;
    let coords = Random(3).cloud(3, 40_000);
    let scale = |i: usize| i / 97 % SCALES;
    let coords = coords
        .iter()
        .enumerate()
        .map(|(k, c)| (0.5 + c / 2.0) * 2f64.powi(-20 * scale(k / 3) as i32));
    let cloud = Cloud::<f64>::new("crowds on many scales", 3, coords, 1.0);
    for first in [0, 10_000] {
        let (order, rounds) = order(&cloud, first);
        assert!(rounds > 9, "{rounds} rounds");
        let changes = order
            .windows(2)
            .filter(|two| scale(first + two[0] as usize) != scale(first + two[1] as usize));
        assert_eq!(changes.count(), SCALES - 1, "each scale is one part of the curve");
    }
}
