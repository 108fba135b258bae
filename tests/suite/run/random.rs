//! Random texts of many statements, with a printed seed.

use super::*;
use crate::common::{Again, Part, seed, some_ids};

/// A writer of texts that have a meaning.
struct Writer {
    dim: usize,
    random: Random,
    /// Names of fields, and whether they are vectors; temporaries of pairs and of points; numbers.
    fields: Vec<(String, bool)>,
    temporaries: Vec<(String, bool, bool)>,
    numbers: Vec<String>,
    /// There are pair fields: `q` and `g` of numbers, `s` and `w` of vectors.
    has_pair_fields: bool,
}

impl Writer {
    fn field(&mut self, is_vector: bool, sides: &[&str]) -> String {
        let of: Vec<String> = (self.fields.iter())
            .filter(|(_, vector)| *vector == is_vector)
            .map(|(name, _)| name.clone())
            .collect();
        let name = &of[self.random.below(of.len())];
        format!("{name}{}", sides[self.random.below(sides.len())])
    }

    fn pair_field(&mut self, is_vector: bool) -> String {
        let names = if is_vector { ["s_ij", "w_ij"] } else { ["q_ij", "g_ij"] };
        names[self.random.below(2)].to_owned()
    }

    /// An expression of pairs, of points, or of numbers alone.
    fn tree(&mut self, depth: usize, is_vector: bool, of: &str) -> String {
        let sides: &[&str] = if of == "pairs" { &["_i", "_j"] } else { &["_i"] };
        if depth == 0 || self.random.below(6) == 0 {
            let temporaries: Vec<String> = (self.temporaries.iter())
                .filter(|(_, vector, of_pair)| of != "numbers" && *vector == is_vector && (!of_pair || of == "pairs"))
                .map(|(name, ..)| name.clone())
                .collect();
            if !temporaries.is_empty() && self.random.below(3) == 0 {
                return temporaries[self.random.below(temporaries.len())].clone();
            }
            let literal = ["0", "1", "2.5", "0.1", "1e-3", "3", "3d2", ".7", "pi"][self.random.below(9)].to_owned();
            let number = self.numbers[self.random.below(self.numbers.len())].clone();
            return match (of, self.random.below(5)) {
                ("pairs", 3 | 4) if self.has_pair_fields => self.pair_field(is_vector),
                ("pairs", 0 | 1) if is_vector => "d".to_owned(),
                _ if is_vector => self.field(true, sides),
                ("pairs", 0) => ["r", "r2", "c", "W(r)", "U(r/c)"][self.random.below(5)].to_owned(),
                ("numbers", 0..3) | (_, 1) => number,
                ("numbers", _) | (_, 2) => literal,
                _ => self.field(false, sides),
            };
        }
        let sign = ["+", "-"][self.random.below(2)];
        let [a, b] = [0, 1].map(|_| self.tree(depth - 1, is_vector, of));
        let number = self.tree(depth - 1, false, of);
        let vectors = match of {
            "numbers" => None,
            _ => Some([0, 1].map(|_| self.tree(depth - 1, true, of))),
        };
        match (self.random.below(14), vectors) {
            (0, _) => format!("(-{a})"),
            (1 | 2, _) => format!("({a} {sign} {b})"),
            (3, _) => format!("select({a}, {b}, {})", self.condition(depth - 1, of)),
            (4 | 5, _) if is_vector => format!("{number}*{a}"),
            (6, _) if is_vector => {
                let rest = (1..self.dim).map(|_| format!(", {}", self.tree(depth - 1, false, of)));
                format!("vector({number}{})", rest.collect::<String>())
            }
            (7, _) if is_vector && self.dim == 3 => format!("cross({a}, {b})"),
            _ if is_vector => format!("{a}/(1 + abs({number}))"),
            (4, Some([u, v])) => format!("dot({u}, {v})"),
            (5, Some([u, _])) => format!("({u}).{}", ["x", "y", "z"][self.random.below(self.dim)]),
            (6, Some([u, v])) if self.dim == 2 => format!("cross({u}, {v})"),
            (7, _) => format!("({a})^{}", self.random.below(19) as i32 - 9),
            (8, _) => {
                let names = ["exp", "log", "sin", "cos", "tan", "tanh", "erf", "erfc"];
                format!("{}({a})", names[self.random.below(8)])
            }
            (9, _) => format!("{}({a})", ["abs", "sqrt", "sign", "floor"][self.random.below(4)]),
            (10, _) => format!("sqrt(abs({a}))"),
            (11, _) => {
                let of_pair = if of == "pairs" { "r" } else { "h" };
                format!("pow({a}, {})", [of_pair, "h", "1.7"][self.random.below(3)])
            }
            (12, _) => format!("{}({a}, {b})", ["min", "max", "atan2"][self.random.below(3)]),
            _ => format!("{a}{}{b}", ["*", "/"][self.random.below(2)]),
        }
    }

    /// A condition, with parentheses or without.
    fn condition(&mut self, depth: usize, of: &str) -> String {
        match self.random.below(if depth == 0 { 1 } else { 5 }) {
            0 | 1 => {
                let compares = ["<", "<=", ">", ">=", "==", "!="][self.random.below(6)];
                let [a, b] = [0, 1].map(|_| self.tree(depth, false, of));
                format!("{a} {compares} {b}")
            }
            2 => format!("not {}", self.condition(depth - 1, of)),
            3 => format!("not ({})", self.condition(depth - 1, of)),
            _ => {
                let [a, b] = [0, 1].map(|_| self.condition(depth - 1, of));
                match self.random.below(4) {
                    0 => format!("({a} or {b})"),
                    1 => format!("({a}) and {b}"),
                    2 => format!("{a} and {b}"),
                    _ => format!("{a} or {b}"),
                }
            }
        }
    }

    fn statement(&mut self, k: usize) -> String {
        let (is_vector, depth) = (self.random.below(3) == 0, 1 + self.random.below(4));
        match self.random.below(10) {
            0..2 if self.has_pair_fields && self.random.below(2) == 0 => {
                let (name, tree) = (self.pair_field(is_vector), self.tree(depth, is_vector, "pairs"));
                format!("{name} = {tree}")
            }
            0..3 => {
                let (name, tree) = (format!("s{k}"), self.tree(depth, is_vector, "pairs"));
                self.fields.push((name.clone(), is_vector));
                format!("{name} {} {tree}", ["+=", "+=", "max=", "min="][self.random.below(4)])
            }
            3..5 => {
                let (name, tree) = (format!("f{k}"), self.tree(depth, is_vector, "points"));
                self.fields.push((name.clone(), is_vector));
                format!("{name}_i = {tree}")
            }
            // A field that there is gets other values.
            5 => {
                let name = self.field(is_vector, &[""]);
                match &name[..] {
                    "u" | "x" => match self.random.below(3) {
                        // New positions that do not depend on the old ones.
                        0 => format!("x_i = {}*u_i", ["0.5", "h", "k"][self.random.below(3)]),
                        _ => format!("x_i = x_i + dt*{}*u_i", ["1", "-2", "h"][self.random.below(3)]),
                    },
                    _ => format!("{name}_i = {}", self.tree(depth, is_vector, "points")),
                }
            }
            6 => format!(
                "x_i = x_i + select(dt, -0.02, {} > 1)*u_i",
                self.tree(1, false, "points")
            ),
            7 => {
                let (name, tree) = (format!("a{k}"), self.tree(depth, false, "points"));
                self.numbers.push(name.clone());
                format!("{name} all{} {tree}", ["+=", " max=", " min="][self.random.below(3)])
            }
            8 => {
                let tree = self.tree(depth, false, "numbers");
                match self.random.below(3) {
                    0 if !self.numbers.contains(&"kept".to_owned()) => "k := k + 1".to_owned(),
                    _ => {
                        let name = format!("n{k}");
                        self.numbers.push(name.clone());
                        format!("{name} := {tree}")
                    }
                }
            }
            _ => {
                let of = ["points", "pairs"][self.random.below(2)];
                let (name, tree) = (format!("t{k}"), self.tree(depth, is_vector, of));
                self.temporaries.push((name.clone(), is_vector, of == "pairs"));
                format!("{name} = {tree}")
            }
        }
    }
}

/// A text of up to a dozen statements.
fn text(dim: usize, random: Random, has_pair_fields: bool) -> String {
    let fields = [("m", false), ("p", false), ("v", true), ("u", true), ("x", true)];
    let mut writer = Writer {
        dim,
        random,
        fields: fields.map(|(name, is_vector)| (name.to_owned(), is_vector)).into(),
        temporaries: Vec::new(),
        numbers: ["h", "k", "dt"].map(str::to_owned).into(),
        has_pair_fields,
    };
    let statements = 2 + writer.random.below(10);
    let mut lines: Vec<String> = Vec::new();
    for k in 0..statements {
        let line = writer.statement(k);
        if line.starts_with("x_i") {
            writer.temporaries.retain(|(.., of_pairs)| !of_pairs); // they are of the pairs before
        }
        let is_again = line.starts_with("k :=") && lines.iter().any(|before| before.starts_with("k :="));
        if !is_again {
            lines.push(line);
        }
    }
    if has_pair_fields {
        lines.push("g_ij = 0.5*g_ij + 1\nw_ij = 0.5*w_ij + d".to_owned());
    }
    lines.push("last += 1".to_owned());
    lines.join("\n")
}

/// Settings of every kind.
fn setting(dim: usize, n: usize, random: &mut Random) -> Setting {
    let mut setting = Setting::new(dim, [0.1, 0.25, 0.4][dim - 1]);
    setting.with_self = random.below(3) == 0;
    if random.below(2) == 0 {
        setting.kind = NeighborsKind::Half;
    }
    for axis in 0..dim {
        setting.periods[axis] = (random.below(3) == 0).then_some([-0.1, 1.2]);
    }
    match random.below(5) {
        0 => setting.types = (0..n).map(|_| random.below(2) as i32).collect(),
        1 => setting.active = Some(random.below(n + 1)),
        2 => {
            let all = some_ids(n, random);
            setting.ids = all[random.below(all.len())].clone();
        }
        3 => {
            setting.radii = (0..n)
                .map(|_| f64::from((0.05 + 0.3 * random.uniform()) as f32))
                .collect();
            let rules = [
                RadiusRule::Max,
                RadiusRule::Min,
                RadiusRule::Mean,
                RadiusRule::Gather,
                RadiusRule::Scatter,
            ];
            setting.rule = rules[random.below(if setting.kind == NeighborsKind::Half { 3 } else { 5 })];
        }
        _ => (),
    }
    setting
}

fn some<T: Width, F: Width>(seed: u64) {
    let mut random = Random(seed);
    let (dim, n) = (1 + random.below(3), [1, 20, 40, 70][random.below(4)]);
    let coords: Vec<T> = random.cloud(dim, n).iter().map(|&x| T::from_f64(x)).collect();
    let setting = setting(dim, n, &mut random);
    let has_pair_fields = setting.kind == NeighborsKind::Full && !setting.with_self && random.below(2) == 0;
    let text = text(dim, random, has_pair_fields);
    check::<T, F>(&setting, &coords, &text, 1 + (seed % 3) as usize, seed);
}

#[test]
fn random_texts() {
    let many = if crate::common::is_whole() { 5000 } else { 500 } / Part::of_environment().every as u64;
    let first = seed();
    for seed in (0..many).map(|k| first.wrapping_add(k)) {
        match seed % 4 {
            0 => some::<f32, f32>(seed),
            1 => some::<f64, f32>(seed),
            2 => some::<f32, f64>(seed),
            _ => some::<f64, f64>(seed),
        }
    }
}

#[test]
fn widths() {
    Again::only(module_path!(), &["random_texts"], "random_texts").in_widths(&[("scalar", "8:0"), ("avx2", "8:1")]);
}
