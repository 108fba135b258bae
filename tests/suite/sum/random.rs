//! Random formulas, with a printed seed, against a walk over their trees.

use std::fmt::{self, Display, Formatter};
use std::rc::Rc;

use super::*;

/// An expression, to be written and to be evaluated. A number is a vector of equal numbers.
#[derive(Debug)]
enum Tree {
    Literal(&'static str),
    Named(&'static str),
    Temporary(usize, Rc<Tree>),
    Unary(&'static str, Rc<Tree>),
    Binary(&'static str, Rc<Tree>, Rc<Tree>),
    Component(Rc<Tree>, usize),
    Vector(Vec<Rc<Tree>>),
    Whole(Rc<Tree>, i32),
    Select(Rc<Tree>, Rc<Tree>, Rc<Condition>),
}

/// A condition. Parentheses are only where the precedence needs them.
#[derive(Debug)]
enum Condition {
    Compared(&'static str, Rc<Tree>, Rc<Tree>),
    Both(&'static str, Rc<Condition>, Rc<Condition>),
    Not(Rc<Condition>),
}

impl Display for Tree {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Tree::Literal(text) | Tree::Named(text) => f.write_str(text),
            Tree::Temporary(number, _) => write!(f, "t{number}"),
            Tree::Unary("-", x) => write!(f, "(-{x})"),
            Tree::Unary(name, x) => write!(f, "{name}({x})"),
            Tree::Binary(name @ ("min" | "max" | "pow" | "atan2" | "dot" | "cross"), a, b) => {
                write!(f, "{name}({a}, {b})")
            }
            Tree::Binary(sign, a, b) => write!(f, "({a} {sign} {b})"),
            Tree::Component(x, axis) => write!(f, "{x}.{}", ["x", "y", "z"][*axis]),
            Tree::Vector(numbers) => {
                let numbers: Vec<_> = numbers.iter().map(|x| x.to_string()).collect();
                write!(f, "vector({})", numbers.join(", "))
            }
            Tree::Whole(x, n) => write!(f, "({x})^{n}"),
            Tree::Select(a, b, condition) => write!(f, "select({a}, {b}, {condition})"),
        }
    }
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // Each in parentheses where it binds less than what is around it.
        let inner = |f: &mut Formatter<'_>, inner: &Condition, binds: u8| match inner.binds() < binds {
            true => write!(f, "({inner})"),
            false => write!(f, "{inner}"),
        };
        match self {
            Condition::Compared(sign, a, b) => write!(f, "{a} {sign} {b}"),
            Condition::Both(word, a, b) => {
                inner(f, a, self.binds())?;
                write!(f, " {word} ")?;
                inner(f, b, self.binds() + 1)
            }
            Condition::Not(a) => {
                f.write_str("not ")?;
                inner(f, a, self.binds())
            }
        }
    }
}

impl Condition {
    fn binds(&self) -> u8 {
        match self {
            Condition::Both("or", ..) => 1,
            Condition::Both(..) => 2,
            Condition::Not(_) => 3,
            Condition::Compared(..) => 4,
        }
    }

    fn random(random: &mut Random, depth: usize, scope: &Scope) -> Rc<Condition> {
        let again = |random: &mut Random| Condition::random(random, depth - 1, scope);
        Rc::new(match random.below(if depth == 0 { 1 } else { 5 }) {
            0 | 1 => {
                let sign = ["<", "<=", ">", ">=", "==", "!="][random.below(6)];
                let mut number = || Tree::random(random, depth, false, scope);
                Condition::Compared(sign, number(), number())
            }
            2 => Condition::Not(again(random)),
            k => Condition::Both(["and", "or"][k - 3], again(random), again(random)),
        })
    }

    fn holds<F: Number>(&self, pair: &Pair<F>, given: &Given) -> bool {
        match self {
            Condition::Compared(sign, a, b) => {
                let (a, b) = (a.value(pair, given)[0], b.value(pair, given)[0]);
                match *sign {
                    "<" => a < b,
                    "<=" => a <= b,
                    ">" => a > b,
                    ">=" => a >= b,
                    "==" => a == b,
                    _ => a != b,
                }
            }
            Condition::Both("and", a, b) => a.holds(pair, given) && b.holds(pair, given),
            Condition::Both(_, a, b) => a.holds(pair, given) || b.holds(pair, given),
            Condition::Not(a) => !a.holds(pair, given),
        }
    }
}

/// The axes, and the temporaries so far, each of which is a vector or not.
struct Scope {
    dim: usize,
    temporaries: Vec<(Rc<Tree>, bool)>,
}

impl Tree {
    /// A number, or a vector, of a depth.
    fn random(random: &mut Random, depth: usize, is_vector: bool, scope: &Scope) -> Rc<Tree> {
        let (dim, temporaries) = (scope.dim, &scope.temporaries);
        let again = |random: &mut Random, is_vector| Tree::random(random, depth - 1, is_vector, scope);
        let alike: Vec<_> = (0..temporaries.len())
            .filter(|&k| temporaries[k].1 == is_vector)
            .collect();
        if depth == 0 || random.below(8) == 0 {
            if !alike.is_empty() && random.below(3) == 0 {
                let k = alike[random.below(alike.len())];
                return Rc::new(Tree::Temporary(k, temporaries[k].0.clone()));
            }
            let vectors = ["d", "v_i", "v_j"];
            let numbers = ["r", "r2", "c", "h", "m_i", "m_j", "p_i", "p_j", "W(r)", "U(r/c)", "pi"];
            let literals = ["0", "1", "2.5", "0.1", "1e-3", "3d2", ".7"];
            return Rc::new(match random.below(4) {
                _ if is_vector => Tree::Named(vectors[random.below(3)]),
                0 => Tree::Literal(literals[random.below(7)]),
                _ => Tree::Named(numbers[random.below(numbers.len())]),
            });
        }
        let pair = |random: &mut Random| [again(random, is_vector), again(random, is_vector)];
        Rc::new(match random.below(14) {
            0 => Tree::Unary("-", again(random, is_vector)),
            1..=3 => {
                let [a, b] = pair(random);
                Tree::Binary(["+", "-"][random.below(2)], a, b)
            }
            4 => {
                let [a, b] = pair(random);
                Tree::Select(a, b, Condition::random(random, depth - 1, scope))
            }
            5 | 6 if is_vector => Tree::Binary("*", again(random, false), again(random, true)),
            7 if is_vector => Tree::Binary("*", again(random, true), again(random, false)),
            8 if is_vector => Tree::Vector((0..dim).map(|_| again(random, false)).collect()),
            9 if is_vector && dim == 3 => Tree::Binary("cross", again(random, true), again(random, true)),
            _ if is_vector => Tree::Binary("/", again(random, true), again(random, false)),
            5 => Tree::Binary("dot", again(random, true), again(random, true)),
            6 => Tree::Whole(again(random, false), random.below(19) as i32 - 9),
            7 => {
                let names = ["exp", "log", "sin", "cos", "tan", "tanh", "erf", "erfc"];
                Tree::Unary(names[random.below(8)], again(random, false))
            }
            8 => Tree::Unary(["abs", "sqrt", "sign", "floor"][random.below(4)], again(random, false)),
            // A literal exponent may be whole, and then it is another power.
            9 => Tree::Binary(
                "pow",
                again(random, false),
                Rc::new(Tree::Named(["r", "m_i", "p_j", "h"][random.below(4)])),
            ),
            10 => Tree::Component(again(random, true), random.below(dim)),
            11 if dim == 2 => Tree::Binary("cross", again(random, true), again(random, true)),
            _ => Tree::Binary(
                ["*", "/", "min", "max", "atan2"][random.below(5)],
                again(random, false),
                again(random, false),
            ),
        })
    }

    fn value<F: Number>(&self, pair: &Pair<F>, given: &Given) -> [F; 3] {
        let (zero, one) = (F::default(), F::ONE);
        let value = |tree: &Tree| tree.value(pair, given);
        let each = |a: [F; 3], b: [F; 3], f: &dyn Fn(F, F) -> F| std::array::from_fn(|axis| f(a[axis], b[axis]));
        match self {
            Tree::Literal(text) => number(lit(&text.replace('d', "e"))),
            Tree::Temporary(_, tree) => value(tree),
            Tree::Named(name) => match *name {
                "d" => pair.d,
                "v_i" => given.v(pair.dim, pair.i),
                "v_j" => given.v(pair.dim, pair.j),
                "r" => number(pair.r),
                "r2" => number(pair.r2),
                "c" => number(pair.c),
                "h" => number(given.h()),
                "m_i" => number(given.m(pair.i)),
                "m_j" => number(given.m(pair.j)),
                "p_i" => number(given.p(pair.i)),
                "p_j" => number(given.p(pair.j)),
                "U(r/c)" => number(given.cubic(pair.r / pair.c)),
                "pi" => number(lit("3.14159265358979323846264338327950288")),
                _ => number(given.table(pair.r)),
            },
            Tree::Unary(name, x) => value(x).map(|x| match *name {
                "-" => -x,
                "exp" => steps::exp(x),
                "log" => steps::log(x),
                "sin" => steps::sin(x),
                "cos" => steps::cos(x),
                "tan" => steps::tan(x),
                "tanh" => steps::tanh(x),
                "erf" => steps::erf(x),
                "erfc" => steps::erfc(x),
                "abs" => magnitude(x),
                "sqrt" => root(x),
                "floor" => floor(x),
                _ if x > zero => one,
                _ if x < zero => -one,
                _ => x,
            }),
            Tree::Binary("dot", a, b) => number(dot(pair.dim, value(a), value(b))),
            Tree::Binary("cross", a, b) => {
                let (a, b) = (value(a), value(b));
                let [x, y, z] = [[1, 2], [2, 0], [0, 1]].map(|[k, l]| a[k] * b[l] - a[l] * b[k]);
                if pair.dim == 2 { number(z) } else { [x, y, z] }
            }
            Tree::Component(x, axis) => number(value(x)[*axis]),
            Tree::Vector(numbers) => std::array::from_fn(|axis| numbers.get(axis).map_or(zero, |x| value(x)[0])),
            Tree::Binary(name, a, b) => each(value(a), value(b), &|a, b| match *name {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "/" => a / b,
                "pow" => steps::pow(a, b),
                "atan2" => steps::atan2(a, b),
                "min" if b < a => b,
                "max" if a < b => b,
                _ => a,
            }),
            Tree::Whole(x, n) => value(x).map(|x| whole_power(x, *n)),
            Tree::Select(a, b, condition) => value(if condition.holds(pair, given) { a } else { b }),
        }
    }
}

/// By repeated squaring from the highest digit of the exponent down.
fn whole_power<F: Number>(x: F, n: i32) -> F {
    if n == 0 {
        return F::ONE;
    }
    let digits = format!("{:b}", n.unsigned_abs());
    let power = digits[1..].chars().fold(x, |power, digit| match digit {
        '1' => power * power * x,
        _ => power * power,
    });
    if n < 0 { F::ONE / power } else { power }
}

/// Its name, whether it is a vector, and its terms.
type RandomOutput = (&'static str, bool, Rc<Tree>);

/// A random formula: temporaries, and outputs of all sorts with the trees of their terms.
fn random_formula(random: &mut Random, dim: usize) -> (String, Vec<RandomOutput>) {
    let (mut text, mut outputs) = (String::new(), Vec::new());
    let mut scope = Scope {
        dim,
        temporaries: Vec::new(),
    };
    for k in 0..random.below(4) {
        let is_vector = random.below(3) == 0;
        let tree = Tree::random(random, 3, is_vector, &scope);
        text += &format!(
            "t{k} = {tree}{}",
            [";", "\n", " # a comment\n", "\n\n;"][random.below(4)]
        );
        scope.temporaries.push((tree, is_vector));
    }
    for name in ["sum_a", "most_b", "least_c", "sum_d"]
        .into_iter()
        .take(1 + random.below(4))
    {
        let is_vector = random.below(3) == 0;
        let tree = Tree::random(random, 4, is_vector, &scope);
        let sign = match name.split('_').next() {
            Some("most") => "max=",
            Some("least") => "min=",
            _ => "+=",
        };
        text += &format!("{name} {sign} {tree}\n");
        outputs.push((name, is_vector, tree));
    }
    (text, outputs)
}

fn check_random<T: Precision, F: Number>(search: &mut Search, world: &World<T>, seed: u64) {
    let (text, outputs) = random_formula(&mut Random(seed), world.dim);
    let everyone = world.coords.len() / world.dim;
    let given = Given::new(world.dim, everyone, world.cutoff.to_f64(), &mut Random(seed));
    let mut formula = Formula::new(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    given.set(search, &mut formula, world.dim, everyone);
    formula.set_precision(F::PRECISION);
    search
        .run(&mut formula, NeighborsKind::Full, 1)
        .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    let about = format!("seed {seed}, {} in {}:\n{text}", T::NAME, F::NAME);
    check_place::<F>(search);
    for (name, is_vector, tree) in &outputs {
        let width = usize::from(!is_vector);
        compare::<T, F>(world, (search, NeighborsKind::Full), (name, width), &about, |pair| {
            tree.value(pair, &given)
        });
    }
}

#[test]
fn random_formulas() {
    fn some<T: Precision>(dim: usize, seeds: impl Iterator<Item = u64>) {
        let mut random = Random(dim as u64);
        let n = 200;
        let case = Case::new("cloud", dim, random.cloud(dim, n), [0.03, 0.12, 0.25][dim - 1]);
        let mut search = Search::new().unwrap();
        set::<T>(&mut search, &case, 0);
        let world = World::<T>::new(&case, oracle::neighbors(n, &case.truth::<T>(), true));
        for seed in seeds {
            match seed % 2 {
                0 => check_random::<T, f32>(&mut search, &world, seed),
                _ => check_random::<T, f64>(&mut search, &world, seed),
            }
        }
    }
    let many = if crate::common::is_whole() { 5000 } else { 504 } / Part::of_environment().every.min(10) as u64;
    let first = crate::common::seed();
    let seeds = |part: usize| {
        (many * part as u64..)
            .map(|k| first.wrapping_add(k))
            .take(many as usize / 6)
    };
    for dim in 1..=3 {
        some::<f32>(dim, seeds(dim));
        some::<f64>(dim, seeds(dim + 3));
    }
}
