//! The index along the z-order curve: order, coordinates, boxes, against the same made on the host.

use super::clouds::{Cloud, Coordinate, Random, clouds};
use super::{Params, Slot, read_buffer};
use crate::domain::TieRule;
use crate::gpu::buffers::Buffers;
use crate::gpu::device::{Device, acquire};
use crate::gpu::transfer::Transfer;
use crate::gpu::ztree::{Context, FINE_FROM, LEAF, Tree, Ztree};
use crate::threads::Team;

/// Where places begin to count.
const PLACES: i32 = 2048;

/// Sign, exponent and mantissa of a finite number, as `shaders/shared/real.wgsl` has them for real64.
fn parts(a: f64) -> (bool, i32, u64) {
    let biased = (a.to_bits() >> 52 & 0x7ff) as i32;
    let hidden = u64::from(biased > 0) << 52;
    let mantissa = a.to_bits() & ((1 << 52) - 1) | hidden;
    (a < 0.0, biased.max(1) - 1075, mantissa)
}

/// The place of the highest bit, 0 for none.
fn highest(a: f64) -> i32 {
    match parts(a) {
        (_, _, 0) => 0,
        (_, exponent, mantissa) => exponent + 63 - mantissa.leading_zeros() as i32 + PLACES,
    }
}

/// The highest place at which two magnitudes differ, 0 for none.
fn differing(a: f64, b: f64) -> i32 {
    let ((_, e, m), (_, f, n)) = (parts(a), parts(b));
    if e != f {
        return highest(a).max(highest(b));
    }
    match m ^ n {
        0 => 0,
        bits => e + 63 - bits.leading_zeros() as i32 + PLACES,
    }
}

/// The place of a cell on Hilbert's curve, its bits dealt out to the axes in turn.
fn along_curve(cell: &mut [u32], bits: usize) {
    let last = cell.len() - 1;
    for bit in (1..bits).rev() {
        let below = (1 << bit) - 1;
        for axis in 0..=last {
            if cell[axis] >> bit & 1 == 1 {
                cell[0] ^= below;
            } else {
                let swapped = (cell[0] ^ cell[axis]) & below;
                cell[0] ^= swapped;
                cell[axis] ^= swapped;
            }
        }
    }
    for axis in 1..=last {
        cell[axis] ^= cell[axis - 1];
    }
    let turned = (1..bits).filter(|&bit| cell[last] >> bit & 1 == 1);
    let turned = turned.fold(0, |turned, bit| turned ^ ((1 << bit) - 1));
    cell.iter_mut().for_each(|coordinate| *coordinate ^= turned);
}

/// Hilbert's curve goes from each cell to one beside it, through all.
#[test]
fn neighbors_on_the_curve_are_neighbors_in_space() {
    for dim in [2, 3] {
        let cells = 1 << (4 * dim);
        let mut at = vec![None; cells];
        for number in 0..cells {
            let cell: Vec<u32> = (0..dim).map(|axis| (number >> (4 * axis)) as u32 & 15).collect();
            let mut place = cell.clone();
            along_curve(&mut place, 4);
            let bit = |k: usize| (place[dim - 1 - k % dim] >> (k / dim) & 1) as usize;
            at[(0..4 * dim).map(|k| bit(k) << k).sum::<usize>()] = Some(cell);
        }
        for two in at.windows(2) {
            let [Some(a), Some(b)] = two else {
                panic!("two cells share a place")
            };
            assert_eq!(
                a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).sum::<u32>(),
                1,
                "{a:?}, {b:?}"
            );
        }
    }
}

/// The order made on the host, window by window.
struct Twin {
    dim: usize,
    points: Vec<[f64; 3]>,
    sign: i32,
    bottom: i32,
    /// Points are sorted by all bits from this place on.
    sorted: i32,
}

impl Twin {
    fn place(&self, i: u32, j: u32) -> i32 {
        let (a, b) = (&self.points[i as usize], &self.points[j as usize]);
        let places = (0..self.dim).map(|axis| {
            let signs = (a[axis] < 0.0) != (b[axis] < 0.0);
            differing(a[axis], b[axis]).max(if signs { self.sign } else { 0 })
        });
        places.max().unwrap()
    }

    fn key(&self, i: u32, top: i32) -> u32 {
        let bits = 30 / self.dim;
        let mut cell = [0; 3];
        for (axis, &c) in self.points[i as usize][..self.dim].iter().enumerate() {
            let (negative, exponent, mantissa) = parts(c);
            let shift = exponent + PLACES - self.bottom;
            let mut window = match shift {
                64.. => 0,
                0.. => mantissa << shift,
                -63.. => mantissa >> -shift,
                _ => 0,
            } & ((1 << bits) - 1);
            if negative && self.sign == top {
                window |= (1 << (self.sign - self.bottom)) & ((1 << bits) - 1);
            }
            cell[axis] = window as u32;
        }
        if self.dim > 1 {
            along_curve(&mut cell[..self.dim], bits);
        }
        let bit = |k: usize| cell[self.dim - 1 - k % self.dim] >> (k / self.dim) & 1;
        (0..bits * self.dim).map(|k| bit(k) << k).sum()
    }

    /// Numbers in the order of the curve.
    fn sorted(&mut self) -> Vec<u32> {
        let first = self.points[0];
        let all = || self.points.iter().flat_map(|point| point.iter().zip(&first));
        let mut top = all().map(|(&a, &b)| differing(a, b)).max().unwrap();
        if all().any(|(&a, &b)| (a < 0.0) != (b < 0.0)) {
            self.sign = all().map(|(&a, _)| highest(a)).max().unwrap() + 1;
            top = self.sign;
        }
        let mut order: Vec<u32> = (0..self.points.len() as u32).collect();
        let mut runs = vec![0; order.len()];
        loop {
            self.bottom = top - 30 / self.dim as i32 + 1;
            let mut fine = vec![0; order.len()];
            if runs[order[order.len() - 1] as usize] == 0 && order.len() as u64 >= FINE_FROM && self.sorted == 0 {
                let bits = 30 / self.dim as i32;
                self.bottom -= bits;
                for (i, fine) in fine.iter_mut().enumerate() {
                    *fine = self.key(i as u32, top) >> (bits * self.dim as i32 - 16);
                }
                self.bottom += bits;
                self.sorted = self.bottom - 16 / self.dim as i32;
            } else {
                self.sorted = self.bottom;
            }
            order.sort_by_key(|&i| (runs[i as usize], self.key(i, top), fine[i as usize]));
            let mut run = 0;
            for two in order.windows(2) {
                run += u32::from(self.place(two[0], two[1]) >= self.sorted);
                runs[two[1] as usize] = run;
            }
            runs[order[0] as usize] = 0;
            let leaf = LEAF as usize;
            let crowded =
                (0..order.len().saturating_sub(leaf)).filter(|&k| self.place(order[k], order[k + leaf]) < self.sorted);
            let places = crowded.map(|k| {
                self.place(order[k], order[k + leaf])
                    .max(self.place(order[k], order[k + 1]))
            });
            top = places.max().unwrap_or(0);
            if top == 0 {
                return order;
            }
        }
    }
}

/// A coordinate in two words, as `shaders/shared/zpoint.wgsl` makes it.
fn zcoord(c: f64, unit: i32, wide: bool) -> [f32; 2] {
    let (negative, exponent, mantissa) = parts(c);
    let place = highest(c) - PLACES - unit;
    if mantissa == 0 || place < -100 {
        return [0.0; 2];
    }
    let sign = if negative { -1.0 } else { 1.0 };
    if place >= 61 {
        return [sign * 2f32.powi(61), 0.0];
    }
    let leading = mantissa << mantissa.leading_zeros();
    let exponent = exponent - mantissa.leading_zeros() as i32 - unit;
    let word = |bits: u64, lowest: i32| ((bits as f64) * 2f64.powi(lowest)) as f32 * sign;
    let low = word(leading >> 16 & 0xff_ffff, exponent + 16);
    [
        word(leading >> 40, exponent + 40),
        if wide && place > -79 { low } else { 0.0 },
    ]
}

fn check<T: Coordinate>(
    tools: &mut (Ztree, Buffers, Transfer),
    device: &std::sync::Arc<Device>,
    cloud: &Cloud<T>,
    first: usize,
) -> u32 {
    let (ztree, buffers, transfer) = tools;
    let (view, wide) = (cloud.view(), size_of::<T>() == 8);
    let bytes = (view.len() * view.dim() * size_of::<T>()) as u64;
    buffers.ensure(device, Slot::Coords, bytes, "a test").unwrap();
    let coords = buffers.get(Slot::Coords).unwrap().clone();
    transfer.upload_points(device, &Team::caller(), &view, &coords).unwrap();
    let params = Params {
        dim: view.dim() as u32,
        words: 1 + u32::from(wide),
        ..Params::default()
    };
    let mut context = Context {
        device,
        transfer,
        clock: None,
        seconds: &mut [0.0; 5],
    };
    let points = view.len() - first;
    ztree
        .build(
            &mut context,
            &coords,
            &params,
            [points as u32, first as u32],
            |zorder| zorder.unit(0.0),
        )
        .unwrap();

    let of = |i: usize| {
        std::array::from_fn(|axis| {
            if axis < view.dim() {
                view.get(axis, i).to_f64()
            } else {
                0.0
            }
        })
    };
    let mut twin = Twin {
        dim: view.dim(),
        points: (first..view.len()).map(of).collect(),
        sign: 0,
        bottom: 0,
        sorted: 0,
    };
    let order = twin.sorted();
    let places = ztree.tree.places as usize;
    let get = |slot| ztree.buffers.get(slot).unwrap();
    let zpoints: Vec<[u32; 4]> = read_buffer(device, get(Slot::Zpoints), 0, places * (1 + usize::from(wide)));
    let numbers: Vec<u32> = zpoints[..points].iter().map(|point| point[3]).collect();
    assert_eq!(numbers, order, "{}: order, {:?}", cloud.name, ztree.zorder);
    let mut placed = Vec::new();
    for (k, &number) in order.iter().enumerate() {
        let words = twin.points[number as usize].map(|c| zcoord(c, ztree.tree.unit, wide));
        for axis in 0..3 {
            let found = [0, 1].map(|word| match word {
                1 if !wide => 0.0,
                _ => f32::from_bits(zpoints[word * places + k][axis]),
            });
            assert_eq!(
                found, words[axis],
                "{}: coordinate {axis} of {:?}, {:?}",
                cloud.name, twin.points[number as usize], ztree.zorder
            );
        }
        placed.push((words, number));
    }
    check_planes(device, ztree, &placed, wide, &cloud.name);
    ztree.zorder.rounds
}

/// Every node's box is that of its points, and its lowest number too.
fn check_planes(device: &Device, ztree: &Ztree, placed: &[([[f32; 2]; 3], u32)], wide: bool, name: &str) {
    let tree @ &Tree { planes, nodes, .. } = &ztree.tree;
    let nodes = nodes as usize;
    let words: Vec<[u32; 4]> = read_buffer(
        device,
        ztree.buffers.get(Slot::Nodes).unwrap(),
        0,
        2 * nodes * (1 + usize::from(wide)),
    );
    let word = |second: usize, node: usize, side: usize, axis: usize| match second {
        1 if !wide => 0.0,
        _ => f64::from(f32::from_bits(words[2 * (second * nodes + node) + side][axis])),
    };
    let mut len = LEAF as usize;
    for plane in 0..planes as usize {
        assert_eq!(
            tree.counts[plane] as usize,
            placed.len().div_ceil(len),
            "{name}: plane {plane}"
        );
        for (k, points) in placed.chunks(len).enumerate() {
            let node = tree.firsts[plane] as usize + k;
            assert_eq!(
                words[2 * node][3],
                points.iter().map(|point| point.1).min().unwrap(),
                "{name}: lowest"
            );
            for axis in 0..3 {
                let along = || points.iter().map(|point| point.0[axis].map(f64::from));
                let order = |a: &[f64; 2], b: &[f64; 2]| a.partial_cmp(b).unwrap();
                let corners = [along().min_by(order).unwrap(), along().max_by(order).unwrap()];
                for (side, corner) in corners.into_iter().enumerate() {
                    assert_eq!(
                        [word(0, node, side, axis), word(1, node, side, axis)],
                        corner,
                        "{name}: plane {plane}, node {k}, side {side}"
                    );
                }
            }
        }
        len *= LEAF as usize;
    }
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn curve_stages() {
    let device = acquire(crate::plan::WantedDevice::Best, true).expect("this test needs a Vulkan device");
    let mut tools = Default::default();
    let mut rounds = 0;
    for dim in 1..=3 {
        for cloud in clouds::<f32>(dim) {
            rounds = rounds.max(check(&mut tools, &device, &cloud, 0));
            check(&mut tools, &device, &cloud, cloud.len() / 3);
        }
        for cloud in clouds::<f64>(dim) {
            rounds = rounds.max(check(&mut tools, &device, &cloud, 0));
        }
    }
    assert!(rounds > 1, "a stray leaves a crowd");
    // Several blocks and three planes; crowds on many scales.
    let mut random = Random(3);
    let mut cloud = Cloud {
        name: "many points".to_owned(),
        dim: 3,
        coords: (0..3 * 40_000).map(|_| random.uniform()).collect::<Vec<f64>>(),
        cutoff: 1.0,
        rule: TieRule::Inclusive,
        lengths: [0.0; 3],
        lo: 0.0,
    };
    check(&mut tools, &device, &cloud, 0);
    cloud.name = "crowds on many scales".to_owned();
    for (k, c) in cloud.coords.iter_mut().enumerate() {
        *c *= 2f64.powi(-((k / 3 / 97 % 40) as i32) * 20);
    }
    assert!(check(&mut tools, &device, &cloud, 0) > 9);
}
