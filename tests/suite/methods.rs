//! Methods for Rust programs that neither the C interface nor another test calls: each once, on a line of points.

use neargrid::{Axis, KnnKind, NeighborsKind, PointsView, Search};

const LINE: [f64; 4] = [0.0, 1.0, 2.0, 4.0];

fn line() -> Search {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.5).unwrap();
    search.set_points(&PointsView::interleaved(1, &LINE).unwrap()).unwrap();
    search
}

/// An array for each axis, and points backwards in bytes.
#[test]
fn layouts() {
    let (mut search, zero) = (line(), [0.0; 4]);
    search
        .set_points(&PointsView::separate(&[&zero[..], &LINE]).unwrap())
        .unwrap();
    assert_eq!(search.pairs().unwrap().right, [1, 2]);
    let bytes: Vec<u8> = LINE
        .iter()
        .flat_map(|x| [&x.to_ne_bytes()[..], &[0xff; 3]].concat())
        .collect();
    let axis = Axis::new(&bytes, 33, -11);
    search
        .set_points(&PointsView::<f64>::new(1, 4, [axis, axis, axis]).unwrap())
        .unwrap();
    assert_eq!(search.pairs().unwrap().right, [2, 3]);
}

#[test]
fn quantities_of_rows() {
    let (mut search, mut found, mut near) = (line(), [0.0; 4], [-1; 4]);
    let (offsets, ids) = ([0, 1, 3, 4, 4], [1, 0, 2, 1]);
    search.neighbor_distances(&offsets, &ids, &mut found).unwrap();
    assert_eq!(found, [1.0; 4]);
    search.neighbor_displacements(&offsets, &ids, &mut found).unwrap();
    assert_eq!(found, [-1.0, 1.0, -1.0, 1.0]);
    search
        .set_queries(&PointsView::interleaved(1, &[0.5, 4.5]).unwrap())
        .unwrap();
    assert_eq!(search.knn_rows(KnnKind::Queries).unwrap(), 2);
    let (offsets, total) = search.queries_into(&mut near).unwrap();
    let offsets = offsets.to_vec();
    assert_eq!((&offsets[..], total, near), (&[0, 3, 4][..], 4, [0, 1, 2, 3]));
    search.query_distances(&offsets, &near, &mut found).unwrap();
    assert_eq!(found, [0.5, 0.5, 1.5, 0.5]);
    search.query_displacements(&offsets, &near, &mut found).unwrap();
    assert_eq!(found, [0.5, -0.5, -1.5, 0.5]);
}

#[test]
fn ids_and_cells() {
    let (mut search, mut labels) = (line(), [0; 4]);
    search.set_ids(&[40, 30, 20, 10]).unwrap();
    assert_eq!(search.fof_ids_into(&mut labels).unwrap(), 2);
    assert_eq!(labels, [20, 20, 20, 10]);
    let (offsets, ids) = ([0, 1, 2, 2, 2], [30, 40]);
    search.set_exclusions_by_ids(&offsets, &ids, None).unwrap();
    assert_eq!(search.count_pairs().unwrap(), 1);
    search.set_exclusions_by_ids(&[], &[], None).unwrap();
    let vectors = [[3.0, 0.0, 0.0], [0.0; 3], [0.0; 3]];
    search.set_cell(&vectors, [true, false, false]).unwrap();
    let images = search.count_images(NeighborsKind::Half).unwrap();
    search
        .set_exclusions_by_ids_shifts(&offsets, &ids, Some(&[[0; 3]; 2]), None)
        .unwrap();
    assert_eq!(search.count_images(NeighborsKind::Half).unwrap(), images - 1);
    search.set_exclusions(&[], &[], None).unwrap();
    search.clear_cell();
    assert_eq!(search.count_pairs().unwrap(), 2);
}
