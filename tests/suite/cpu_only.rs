//! A build without the feature `gpu`: `auto` is the CPU, and `gpu` says what the build lacks.
#![cfg(not(feature = "gpu"))]

use neargrid::{Backend, PointsView, Search, Status};

fn search(backend: Backend) -> Search {
    let mut search = Search::new().unwrap();
    search.set_backend(backend);
    search.set_cutoff(1.0).unwrap();
    // enough points for `auto` to look for a GPU
    let line: Vec<f64> = (0..100_000).map(f64::from).collect();
    search.set_points(&PointsView::interleaved(1, &line).unwrap()).unwrap();
    search
}

#[test]
fn auto_is_the_cpu() {
    for backend in [Backend::Auto, Backend::Cpu] {
        assert_eq!(search(backend).pairs().unwrap().left.len(), 99_999);
    }
}

#[test]
fn gpu_says_what_the_build_lacks() {
    let error = search(Backend::Gpu).pairs().unwrap_err();
    assert_eq!(error.status(), Status::NoDevice);
    let text = error.to_string();
    assert!(text.contains("this build of neargrid has no GPU support"), "{text}");
}
