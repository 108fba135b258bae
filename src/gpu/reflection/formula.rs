//! A formula for the stages of sums.

use crate::fields::{Fields, Of};
use crate::formula::{Formula, Reduction, Schedule, SumPrecision, TableOf};
use crate::gpu::shader::{Form, Piece, expand_with};
use crate::gpu::{PlacedTable, Shader, ShaderMakes, ShaderPoints, ShaderReads};
use crate::pair_fields::PairFields;
use crate::radii::RadiusRule;
use crate::threads::Team;

/// The text of a sum, or of statements for each point.
fn text(is_double: bool, of_points: bool) -> String {
    // Functions that shaders have in real32 only.
    let single = "
        e = select(exp(-q), log(q), q < 1) + pow(q, h)
        f = sin(q) + cos(q)*tan(q) - tanh(q)*atan2(q, h) + erf(q)/erfc(q)
    ";
    let double = "
        e = select(exp(-q), log(q), q < 1) + pow(q, h)
        f = q^2
    ";
    let functions = if is_double { double } else { single };
    let of_pairs = format!(
        "
        q = r/c + floor(m_i - m_j)*sign(m_j)
        {functions}
        w = e + sqrt(h*abs(m_j)) + 7*W(r) - U(r/c)
        a += w*d/r + (v_i - v_j)*min(q, class)
        o += f*class
        b max= select(q, max(q, 2), q <= m_i/m_j) + select(1, 2, q == 3) + dot(v_i, v_j)*class
        least min= select(1, 2, q != 3)*class
    "
    );
    let of_each = "
        u_i = h*v_i/m_i
        x_i = x_i + u_i
        most all max= m_i
        least all min= dot(v_i, v_i)
        mass all+= m_i
    ";
    if of_points { of_each.to_owned() } else { of_pairs }
}

/// One in 3D that has all operations, vectors, a table, and outputs of each kind, or statements for each point.
pub fn sample([is_wide, is_periodic, by_radii, is_double, of_points]: [bool; 5]) -> Vec<Piece> {
    let text = text(is_double, of_points);
    let mut formula = Formula::new(&text).unwrap();
    formula.set_constant("h", 0.5).unwrap();
    let (mut fields, team) = (Fields::default(), Team::caller());
    fields.set("m", Of::Points, &[1.0f32], 1, &team).unwrap();
    fields.set("v", Of::Points, &[1.0f64; 3], 3, &team).unwrap();
    if !of_points {
        formula.set_table("W", TableOf::R, [0.0, 1.0], &[1.0, 0.0]).unwrap();
        let cubic = &[1.0, 0.5, 0.1, 0.0];
        formula
            .set_cubic_table("U", TableOf::ROverC, [0.0, 1.0], cubic)
            .unwrap();
    }
    let precision = if is_double {
        SumPrecision::Double
    } else {
        SumPrecision::Single
    };
    formula.set_precision(precision);
    let stages = formula
        .stages((&fields, &PairFields::default()), (3, precision), [1, 0], (false, true))
        .unwrap();
    let program = &stages[0].program;
    let schedule = Schedule::new(program, !by_radii).unwrap();
    let points = ShaderPoints {
        dim: 3,
        is_wide,
        is_periodic,
        radii: by_radii.then_some((RadiusRule::Mean, 2)),
        types: None,
    };
    let reads = ShaderReads {
        tables: &[
            PlacedTable { at: 4, is_cubic: false },
            PlacedTable { at: 10, is_cubic: true },
        ],
        fields: &[(1, false), (3, is_double), (1, false), (3, is_double), (1, false)],
    };
    let sums = [Reduction::Max, Reduction::Min, Reduction::Sum].map(ShaderMakes::Total);
    let makes = [&[ShaderMakes::Field, ShaderMakes::Positions], &sums[..]].concat();
    let makes = of_points.then_some(&makes[..]);
    let shader = Shader::new((program, &schedule), reads, points, precision, makes);
    let shader = shader.unwrap().unwrap();
    shader.pieces
}

/// The three components of a vector over a number take its reciprocal once.
#[test]
fn a_divisor_is_prepared_once() {
    let pieces = sample([false; 5]);
    let (_, rows) = pieces.iter().find(|(name, _)| *name == "formula_rows").unwrap();
    assert_eq!(rows.matches(" = divisor_of(").count(), 1, "{rows}");
    assert_eq!(rows.matches(", divisor_").count(), 3, "{rows}");
}

/// The shader of totals of all points, as many as `reductions`.
fn totals(reductions: &[Reduction], is_double: bool) -> Shader {
    let marks = |reduction: &Reduction| match reduction {
        Reduction::Sum => "all+=",
        Reduction::Max => "all max=",
        Reduction::Min => "all min=",
    };
    let lines = reductions.iter().enumerate();
    let text: String = lines.map(|(k, of)| format!("h{k} {} m_i*{k}\n", marks(of))).collect();
    let (mut formula, mut fields) = (Formula::new(&text).unwrap(), Fields::default());
    fields.set("m", Of::Points, &[1.0f32], 1, &Team::caller()).unwrap();
    let precision = [SumPrecision::Single, SumPrecision::Double][usize::from(is_double)];
    formula.set_precision(precision);
    let stages = formula
        .stages(
            (&fields, &PairFields::default()),
            (3, precision),
            [1, 0],
            (false, false),
        )
        .unwrap();
    let program = &stages[0].program;
    let schedule = Schedule::new(program, true).unwrap();
    let points = ShaderPoints {
        dim: 3,
        is_wide: false,
        is_periodic: false,
        radii: None,
        types: None,
    };
    let reads = ShaderReads {
        tables: &[],
        fields: &[(1, false); 2],
    };
    let makes: Vec<_> = reductions.iter().copied().map(ShaderMakes::Total).collect();
    let shader = Shader::new((program, &schedule), reads, points, precision, Some(&makes));
    shader.unwrap().unwrap()
}

/// The memory that workgroups take for totals is what is compared with that of the device.
#[test]
fn memory_of_totals() {
    use Reduction::{Max, Min, Sum};
    for (count, is_double) in [1, 10, 50, 100, 120, 200]
        .into_iter()
        .flat_map(|count| [(count, false), (count, true)])
    {
        for of in [&[Sum][..], &[Max], &[Sum, Min], &[Max, Sum, Sum]] {
            let reductions: Vec<_> = of.iter().copied().cycle().take(count).collect();
            let shader = totals(&reductions, is_double);
            let form = Form {
                doubles: is_double,
                real64: is_double,
                ..Form::default()
            };
            let source = expand_with("each_point", form, &shader.pieces).unwrap();
            let (module, info) = super::valid(&source, form, "each_point");
            let taken = super::workgroup_memory(&module, info.get_entry_point(0));
            let said = shader.totals.shared_bytes(is_double);
            assert_eq!(said, taken as usize, "{count} of {of:?}, real64: {is_double}");
        }
    }
}
