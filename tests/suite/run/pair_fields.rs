//! Pair fields by global ids, what several programs share, and reports. Random texts make and read pair fields, too.

use super::*;
use neargrid::{Backend, PairValues, Status, SumPrecision};

const FULL: NeighborsKind = NeighborsKind::Full;

/// Values of a pair field that the same stage makes again are not stored.
#[test]
fn stages() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.0).unwrap();
    search
        .set_points(&PointsView::interleaved(1, &[0.0, 1.0]).unwrap())
        .unwrap();
    let text =
        "a_ij = r; a_ij = 2*a_ij; x_i = 0.5*x_i; n += a_ij; b_ij = r; b_ij = a_ij + r; x_i = 2*x_i; b_ij = 3*b_ij";
    search.run(&mut Formula::new(text).unwrap(), FULL, 1).unwrap();
    let stages = "stages: 1: neighbors: a_ij; 2: points, real64: x; 3: neighbors: n b_ij; 4: points, real64: x; 5: neighbors: b_ij\n";
    assert!(search.info().contains(stages), "{}", search.info());
    assert_eq!(search.pair_field::<f64>("a").unwrap().values, [2.0; 2]);
    assert_eq!(search.pair_field::<f64>("b").unwrap().values, [7.5; 2]);
}

/// A pair keeps its value while no statement gives the pair field new ones, also where it is out of reach meanwhile.
#[test]
fn programs_share_a_pair_field() {
    let mut search = Search::new().unwrap();
    let points = |search: &mut Search, x: f64| {
        search
            .set_points(&PointsView::interleaved(1, &[0.0, 1.0, 1.0 + x]).unwrap())
            .unwrap();
    };
    search.set_cutoff(1.0).unwrap();
    points(&mut search, 1.0);
    let mut count = Formula::new("age_ij = age_ij + 1").unwrap();
    let mut read = Formula::new("sum += age_ij*(1 + r)").unwrap();
    read.set_precision(SumPrecision::Double);
    search.run(&mut count, FULL, 3).unwrap();
    search.run(&mut read, FULL, 1).unwrap();
    assert_eq!(search.field::<f64>("sum").unwrap(), [6.0, 12.0, 6.0]);
    points(&mut search, 2.0);
    search.run(&mut read, FULL, 1).unwrap();
    assert_eq!(search.field::<f64>("sum").unwrap(), [6.0, 6.0, 0.0]);
    search.set_cutoff(3.0).unwrap();
    search.run(&mut read, FULL, 1).unwrap();
    assert_eq!(search.field::<f64>("sum").unwrap(), [6.0, 6.0 + 9.0, 9.0]);
    search.run(&mut count, FULL, 1).unwrap();
    assert_eq!(
        search.pair_field::<f32>("age").unwrap().values,
        [4.0, 1.0, 4.0, 4.0, 1.0, 4.0]
    );
    search.set_cutoff(1.0).unwrap();
    search.run(&mut count, FULL, 1).unwrap();
    assert_eq!(search.pair_field::<f64>("age").unwrap().values, [5.0, 5.0]);
    assert!(
        search.info().contains("stages: 1: neighbors: age_ij\n"),
        "{}",
        search.info()
    );
    assert!(
        search.info().contains("formula: on the CPU (pair fields)"),
        "{}",
        search.info()
    );
}

/// A run that fails leaves pair fields as they were after the last step that was complete.
#[test]
fn failures() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.0).unwrap();
    search
        .set_points(&PointsView::interleaved(1, &[0.0, 0.5]).unwrap())
        .unwrap();
    let mut formula = Formula::new("a_ij = a_ij + 1; n += a_ij; x_i = x_i/select(0, 1, n_i > 2.5)").unwrap();
    let error = search.run(&mut formula, FULL, 5).unwrap_err();
    assert_eq!(error.status(), Status::NonFinite, "{error}");
    assert_eq!(search.pair_field::<f32>("a").unwrap().values, [2.0, 2.0]);
    search.set_memory_limit(30).unwrap();
    let error = search
        .run(&mut Formula::new("a_ij = a_ij + 1").unwrap(), FULL, 1)
        .unwrap_err();
    assert_eq!(error.status(), Status::MemoryLimit, "{error}");
    assert_eq!(search.pair_field::<f32>("a").unwrap().values, [2.0, 2.0]);
}

/// Rows of ids, of which some are those of no point. Without ids they are point numbers.
#[test]
fn by_ids() {
    let mut search = Search::new().unwrap();
    search.set_index_base(1).unwrap();
    let (offsets, all) = ([1, 3, 4], [2, 7, 1]);
    let mut set = |ids: &[i64], rows: (&[i64], &[i64])| {
        search.set_ids(ids).unwrap();
        search.set_pair_field_by_ids("a", rows, &[1.0, 2.0, 3.0], 1)?;
        Ok((
            search.pair_field::<f64>("a")?.ids,
            search.pair_field_by_ids::<f64>("a")?,
        ))
    };
    for (ids, numbers) in [(&[][..], [2, 7, 1]), (&[1, 2], [2, 3, 1]), (&[7, 2, 1], [2, 1, 3])] {
        let (found, by_ids) = set(ids, (&offsets, &all)).unwrap();
        assert_eq!((&found[..], &by_ids.ids[..]), (&numbers[..], &all[..]));
        assert_eq!(
            (&by_ids.offsets[..], &by_ids.values[..]),
            (&offsets[..], &[1.0, 2.0, 3.0][..])
        );
    }
    type Given<'a> = (&'a [i64], [i64; 3], Status, &'a str);
    let cases: [Given; 5] = [
        (
            &[1, 2],
            [7, 2, 1],
            Status::BadValue,
            "element 2 of ids is 2: it must be more than 7, which is before it in row 1",
        ),
        (&[1, 2], [2, 2, 1], Status::BadValue, "element 2 of ids"),
        (
            &[1],
            all,
            Status::BadCount,
            "n = 2 is not allowed: it must be 0 to 1, the number of points",
        ),
        (&[], [0, 7, 1], Status::BadValue, "element 1 of ids is 0"),
        (&[], [2, 1 << 31, 1], Status::BadValue, "element 2 of ids is 2147483648"),
    ];
    for (ids, rows, status, part) in cases {
        let error: neargrid::Error = set(ids, (&offsets, &rows)).unwrap_err();
        assert_eq!(error.status(), status, "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
    // Rows that ascend by numbers become such that ascend by ids.
    search.set_ids(&[7, 2, 1]).unwrap();
    search
        .set_pair_field("a", (&[1, 4], &[1, 2, 3]), &[7.0, 2.0, 1.0], 1)
        .unwrap();
    let sorted = search.pair_field_by_ids::<f64>("a").unwrap();
    assert_eq!(
        (&sorted.ids[..], &sorted.values[..]),
        (&[1, 2, 7][..], &[1.0, 2.0, 7.0][..])
    );
}

/// The GPU finds the rows, and all values are those of the CPU.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn pair_fields_on_a_gpu() {
    let text = "s_ij = 0.5*s_ij + d; f += s_ij; x_i = x_i + 0.001*f_i";
    let results = [Backend::Cpu, Backend::Gpu].map(|backend| {
        let mut search = Setting::new(3, 0.12).search(&Random(5).cloud(3, 400));
        search.set_backend(backend);
        let mut formula = Formula::new(text).unwrap();
        (0..5).for_each(|_| search.run(&mut formula, FULL, 2).unwrap());
        let info = search.info();
        assert!(info.contains("formula: on the CPU (pair fields)"), "{info}");
        if backend == Backend::Gpu {
            let found = info.contains("backend: gpu") && info.contains("run: stage by stage (pair fields)");
            assert!(found, "{info}");
        }
        let PairValues { ids, values, .. } = search.pair_field::<f32>("s").unwrap();
        assert!(ids.len() > 400);
        (ids, values, search.field_as::<f64>("x").unwrap().to_vec())
    });
    assert!(results[0] == results[1]);
}

/// The report names the pair fields that a run makes, and their cost.
#[test]
fn report_of_pair_fields() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.0).unwrap();
    search
        .set_points(&PointsView::interleaved(1, &[0.0, 0.5]).unwrap())
        .unwrap();
    for (text, line) in [
        ("mu_ij = r; n += mu_ij", Some("pair fields: mu_ij (rows are listed, ")),
        (
            "mu_ij = r; nu_ij = 2*mu_ij; n += nu_ij",
            Some("pair fields: mu_ij and 1 more (rows are listed, "),
        ),
        ("mu = r; n += mu", None),
        ("n += mu_ij", None),
    ] {
        search.run(&mut Formula::new(text).unwrap(), FULL, 1).unwrap();
        let info = search.info();
        assert_eq!(info.contains("pair fields: "), line.is_some(), "{text}: {info}");
        assert!(line.is_none_or(|line| info.contains(line)), "{text}: {info}");
    }
    search.neighbors(FULL).unwrap();
    assert!(!search.info().contains("pair fields: "));
}
