//! Pair fields: what plain loops make over a table of all pairs, bit for bit, whatever happens to the rows between two runs.

use std::collections::BTreeMap;

use super::*;
use crate::common::{Again, some_ids};
use neargrid::{Backend, PairValues, Status, SumPrecision};

const FULL: NeighborsKind = NeighborsKind::Full;

/// Grains with a tangential spring in each contact, which slides where friction does not hold it; as a law of the discrete element method.
const GRAINS: &str = "
    n = d/r
    dv = v_i - v_j
    spring_ij = spring_ij + dt*(dv - dot(dv, n)*n)
    spring_ij = spring_ij - dot(spring_ij, n)*n
    long = sqrt(dot(spring_ij, spring_ij))
    most = 0.5*(c - r)
    spring_ij = spring_ij*select(most/long, 1, long > most)
    age_ij = age_ij + dt
    f += 40*(c - r)*n - 8*spring_ij - 0.2*dv
    work += dot(spring_ij, spring_ij)*age_ij
    touching += 1
    v_i = v_i + dt*f_i
    x_i = x_i + dt*v_i";

/// The same in Rust: a table of all pairs, and every pair of points looked at in every step.
struct Grains {
    length: f64,
    cutoff: f64,
    dt: f64,
    x: Vec<[f64; 3]>,
    v: Vec<[f64; 3]>,
    springs: Vec<[f64; 3]>,
    ages: Vec<f64>,
    work: Vec<f64>,
    touching: Vec<bool>,
    made: usize,
    lost: usize,
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Grains {
    fn new(n: usize, cutoff: f64) -> Grains {
        let mut random = Random(5);
        let mut vectors = |scale: f64, shift: f64| -> Vec<[f64; 3]> {
            let mut one = || scale * (random.uniform() + shift);
            (0..n).map(|_| [one(), one(), one()]).collect()
        };
        Grains {
            length: 1.0,
            cutoff,
            dt: 0.004,
            x: vectors(1.0, 0.0),
            v: vectors(3.0, -0.5),
            springs: vec![[0.0; 3]; n * n],
            ages: vec![0.0; n * n],
            work: vec![0.0; n],
            touching: vec![false; n * n],
            made: 0,
            lost: 0,
        }
    }

    fn step(&mut self) {
        let (n, dt, c) = (self.x.len(), self.dt, self.cutoff);
        let mut forces = vec![[0.0; 3]; n];
        let (springs, ages, before) = (self.springs.clone(), self.ages.clone(), self.touching.clone());
        (self.springs, self.ages) = (vec![[0.0; 3]; n * n], vec![0.0; n * n]);
        for (i, total) in forces.iter_mut().enumerate() {
            self.work[i] = 0.0;
            for j in 0..n {
                let d: [f64; 3] = std::array::from_fn(|k| {
                    let d = self.x[i][k] - self.x[j][k];
                    match d {
                        d if d > 0.5 * self.length => d - self.length,
                        d if d < -0.5 * self.length => d + self.length,
                        d => d,
                    }
                });
                let (r2, pair) = (dot(d, d), i * n + j);
                let touch = i != j && r2 <= c * c;
                self.touching[pair] = touch;
                self.made += usize::from(touch && !before[pair]);
                self.lost += usize::from(!touch && before[pair]);
                if !touch {
                    continue;
                }
                let r = r2.sqrt();
                let normal = d.map(|d| d / r);
                let dv: [f64; 3] = std::array::from_fn(|k| self.v[i][k] - self.v[j][k]);
                let (along, mut spring) = (dot(dv, normal), springs[pair]);
                spring = std::array::from_fn(|k| spring[k] + dt * (dv[k] - along * normal[k]));
                let out = dot(spring, normal);
                spring = std::array::from_fn(|k| spring[k] - out * normal[k]);
                let (long, most) = (dot(spring, spring).sqrt(), 0.5 * (c - r));
                let factor = if long > most { most / long } else { 1.0 };
                spring = spring.map(|value| value * factor);
                (self.springs[pair], self.ages[pair]) = (spring, ages[pair] + dt);
                let push = 40.0 * (c - r);
                for k in 0..3 {
                    total[k] += push * normal[k] - 8.0 * spring[k] - 0.2 * dv[k];
                }
                self.work[i] += dot(spring, spring) * self.ages[pair];
            }
        }
        for (i, force) in forces.iter().enumerate() {
            for (k, force) in force.iter().enumerate() {
                self.v[i][k] += dt * force;
                let x = self.x[i][k] + dt * self.v[i][k];
                self.x[i][k] = neargrid::oracle::wrapped(x, 0.0, self.length);
            }
        }
    }

    fn search(&self) -> Search {
        let mut search = Search::new().unwrap();
        search.set_cutoff(self.cutoff).unwrap();
        search.set_box(&[0.0; 3], &[self.length; 3], &[true; 3]).unwrap();
        search
            .set_points(&PointsView::interleaved(3, self.x.as_flattened()).unwrap())
            .unwrap();
        search.set_field("v", self.v.as_flattened(), 3).unwrap();
        search
    }

    fn formula(&self) -> Formula {
        let mut formula = Formula::new(GRAINS).unwrap();
        formula.set_precision(SumPrecision::Double);
        formula.set_constant("dt", self.dt).unwrap();
        formula
    }

    fn compare(&self, search: &mut Search) {
        let n = self.x.len();
        assert_eq!(search.field::<f64>("v").unwrap(), self.v.as_flattened());
        assert_eq!(search.field_as::<f64>("x").unwrap(), self.x.as_flattened());
        assert_eq!(search.field::<f64>("work").unwrap(), self.work);
        let pairs: Vec<usize> = (0..n * n).filter(|&pair| self.touching[pair]).collect();
        let spring = search.pair_field::<f64>("spring").unwrap();
        let ids: Vec<i32> = pairs.iter().map(|pair| (pair % n) as i32).collect();
        assert_eq!((spring.ids, spring.components), (ids, 3));
        let springs: Vec<f64> = pairs.iter().flat_map(|&pair| self.springs[pair]).collect();
        assert_eq!(spring.values, springs);
        let ages: Vec<f64> = pairs.iter().map(|&pair| self.ages[pair]).collect();
        assert_eq!(search.pair_field::<f64>("age").unwrap().values, ages);
    }
}

/// Eighty steps of grains that meet and part.
#[test]
fn grains() {
    for (threads, skin) in [(1, 0.0), (3, 0.0), (2, 0.05)] {
        let mut grains = Grains::new(150, 0.12);
        let (mut search, mut formula) = (grains.search(), grains.formula());
        search.set_threads(threads).unwrap();
        search.set_skin(skin).unwrap();
        for _ in 0..80 {
            grains.step();
            search.run(&mut formula, FULL, 1).unwrap();
            grains.compare(&mut search);
        }
        let now = grains.touching.iter().filter(|&&touch| touch).count();
        assert!(
            grains.made > 2 * now && grains.lost > now && now > 100,
            "{} {} {now}",
            grains.made,
            grains.lost
        );
    }
}

/// Many steps in one call, and a run that goes on in another handle from what was read of the first.
#[test]
fn restart() {
    let mut grains = Grains::new(100, 0.12);
    let (mut first, mut formula) = (grains.search(), grains.formula());
    first.run(&mut formula, FULL, 25).unwrap();
    (0..25).for_each(|_| grains.step());
    grains.compare(&mut first);
    let mut second = grains.search();
    second.set_index_base(1).unwrap();
    first.set_index_base(1).unwrap();
    for name in ["spring", "age"] {
        let PairValues {
            offsets,
            ids,
            values,
            components,
        } = first.pair_field::<f64>(name).unwrap();
        assert_eq!(first.pair_field_size(name).unwrap(), [components, 100, ids.len()]);
        second
            .set_pair_field(name, (&offsets, &ids), &values, components)
            .unwrap();
    }
    first.trim().unwrap();
    second.set_index_base(0).unwrap();
    for search in [&mut first, &mut second] {
        search.set_index_base(0).unwrap();
        search.run(&mut grains.formula(), FULL, 25).unwrap();
    }
    (0..25).for_each(|_| grains.step());
    grains.compare(&mut first);
    grains.compare(&mut second);
}

/// With global ids, points may change their numbers between two runs, come and go.
#[test]
fn renumbered_points() {
    let mut random = Random(9);
    let text = "age_ij = age_ij + 1 + id_i; sum += age_ij*id_j";
    let mut formula = Formula::new(text).unwrap();
    formula.set_precision(SumPrecision::Double);
    let (mut search, mut ages) = (Search::new().unwrap(), BTreeMap::new());
    search.set_cutoff(0.3).unwrap();
    let all = 80;
    let mut places: Vec<f64> = random.cloud(2, all);
    let mut saved: Option<(Vec<i64>, PairValues<f64, i64>)> = None;
    for step in 0..30 {
        places.iter_mut().for_each(|x| *x += 0.05 * (random.uniform() - 0.5));
        let mut here: Vec<usize> = (0..all).filter(|_| random.below(10) > 0).collect();
        (1..here.len()).for_each(|k| here.swap(k, random.below(k + 1)));
        let coords: Vec<f64> = here.iter().flat_map(|&k| [places[2 * k], places[2 * k + 1]]).collect();
        let ids: Vec<i64> = here.iter().map(|&k| 7 * k as i64 - 100).collect();
        let numbers: Vec<f64> = here.iter().map(|&k| k as f64).collect();
        search
            .set_points(&PointsView::interleaved(2, &coords).unwrap())
            .unwrap();
        search.set_ids(&ids).unwrap();
        search.set_field("id", &numbers, 1).unwrap();
        if let Some((ids_then, ages)) = saved.take().filter(|_| step % 3 == 0) {
            // Another program goes on, and knows the rows of points that are still there.
            let PairValues {
                offsets, ids, values, ..
            } = ages;
            search.set_pair_field::<f64>("age", (&[], &[]), &[], 1).unwrap();
            let (mut now, mut partners, mut of_them) = (vec![0], Vec::new(), Vec::new());
            for id in here.iter().map(|&k| 7 * k as i64 - 100) {
                if let Some(row) = ids_then.iter().position(|then| *then == id) {
                    let [begin, end] = [offsets[row] as usize, offsets[row + 1] as usize];
                    partners.extend_from_slice(&ids[begin..end]);
                    of_them.extend_from_slice(&values[begin..end]);
                }
                now.push(partners.len() as i64);
            }
            let rows = (&now[..], &partners[..]);
            search.set_pair_field_by_ids("age", rows, &of_them, 1).unwrap();
        }
        search.run(&mut formula, FULL, 1).unwrap();
        let found = search.pair_field::<f64>("age").unwrap();
        saved = Some((ids, search.pair_field_by_ids("age").unwrap()));
        let mut now = BTreeMap::new();
        for i in 0..here.len() {
            for at in found.offsets[i] as usize..found.offsets[i + 1] as usize {
                let pair = (here[i], here[found.ids[at] as usize]);
                let age = ages.get(&pair).copied().unwrap_or(0.0) + 1.0 + pair.0 as f64;
                assert_eq!(found.values[at], age, "step {step}, {pair:?}");
                now.insert(pair, age);
            }
        }
        let is_near = |a: usize, b: usize| {
            let [x, y] = [0, 1].map(|k| places[2 * a + k] - places[2 * b + k]);
            a != b && x * x + y * y <= 0.3 * 0.3
        };
        let near = here.iter().flat_map(|&a| here.iter().map(move |&b| (a, b)));
        assert_eq!(near.filter(|&(a, b)| is_near(a, b)).count(), now.len());
        ages = now;
    }
}

/// Texts of several stages, in which pair fields are read and made before and after moves.
const TEXTS: [&str; 5] = [
    "w_ij = w_ij + d; a += w_ij; x_i = x_i + dt*u_i; b += w_ij; w_ij = 0.5*w_ij - d; e += w_ij",
    "rho += 1 - r/c; g_ij = max(g_ij, rho_i*rho_j); n max= g_ij; t_i = n_i - rho_i; q_ij = q_ij + g_ij*t_j; s += q_ij*d",
    "s_ij = select(s_ij, -s_ij, q_ij > 0); f += s_ij*m_j; x_i = x_i + dt*f_i; f_i = 0.5*f_i",
    "q_ij = q_ij + 1; q_ij = 2*q_ij; x_i = x_i - dt*u_i; q_ij = q_ij - r; last all+= m_i; z += q_ij",
    "old = q_ij; q_ij = old*0.5 + m_i - m_j; n += old - q_ij; w_ij = s_ij + w_ij; p += dot(w_ij, d)",
];

#[test]
fn texts() {
    for (which, text) in TEXTS.into_iter().enumerate() {
        for how in 0..6 {
            let (dim, n, mut random) = (1 + (which + how) % 3, 60, Random((10 * which + how) as u64));
            let mut setting = Setting::new(dim, [0.06, 0.2, 0.35][dim - 1]);
            match how {
                0 => setting.periods = [Some([0.0, 1.0]); 3],
                1 => {
                    let radius = |_| f64::from((0.05 + 0.2 * random.uniform()) as f32);
                    setting.radii = (0..n).map(radius).collect();
                }
                2 => setting.types = (0..n).map(|_| random.below(2) as i32).collect(),
                3 => setting.active = Some(40),
                4 => setting.ids = some_ids(n, &mut random).remove(1),
                _ => (),
            }
            let coords = random.cloud(dim, n);
            let single: Vec<f32> = coords.iter().map(|&x| x as f32).collect();
            let seed = (which + how) as u64;
            check::<f64, f64>(&setting, &coords, text, 6, seed);
            check::<f64, f32>(&setting, &coords, text, 6, seed);
            check::<f32, f64>(&setting, &single, text, 6, seed);
            check::<f32, f32>(&setting, &single, text, 6, seed);
        }
    }
}

#[test]
fn widths() {
    let parts = [("scalar", ""), ("avx2", "")];
    Again::only(module_path!(), &["texts"], "texts").in_widths(&parts);
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    Again::only(module_path!(), &["texts", "restart"], "texts").on_devices(&[("", "")]);
}

/// No points, points without neighbors, and an index base that changes.
#[test]
fn few_points() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.0).unwrap();
    let mut formula = Formula::new("a_ij = a_ij + 1; n += a_ij").unwrap();
    let cases: [(&[f64], i64); 6] = [
        (&[], 0),
        (&[0.0], 1),
        (&[0.0, 2.0], 0),
        (&[0.0, 1.0], 1),
        (&[0.0, 1.0, 3.0], 0),
        (&[], 1),
    ];
    for (coords, base) in cases {
        search.set_index_base(base).unwrap();
        search.set_points(&PointsView::interleaved(1, coords).unwrap()).unwrap();
        search.run(&mut formula, FULL, 2).unwrap();
        let a = search.pair_field::<f64>("a").unwrap();
        let (n, pairs) = (coords.len(), coords.contains(&1.0));
        assert_eq!((a.offsets.len(), a.offsets[0]), (n + 1, base), "{coords:?}");
        let first = base as i32;
        assert_eq!(a.ids, if pairs { vec![first + 1, first] } else { vec![] }, "{coords:?}");
        assert_eq!(
            a.values,
            vec![[2.0, 4.0][usize::from(n == 3)]; if pairs { 2 } else { 0 }],
            "{coords:?}"
        );
    }
}

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
    let mut grains = Grains::new(400, 0.09);
    let (mut search, mut formula) = (grains.search(), grains.formula());
    search.set_backend(Backend::Gpu);
    for _ in 0..10 {
        grains.step();
        grains.step();
        search.run(&mut formula, FULL, 2).unwrap();
        grains.compare(&mut search);
    }
    let info = search.info();
    assert!(
        info.contains("backend: gpu") && info.contains("run: stage by stage (pair fields)"),
        "{info}"
    );
    assert!(info.contains("formula: on the CPU (pair fields)"), "{info}");
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
