//! Refusals: texts, shapes and values. Each message says where, and what to write instead.

use super::*;

/// The message of a text that is no formula.
fn refused(text: &str) -> String {
    let error = Formula::new(text).unwrap_err();
    assert_eq!(error.status(), Status::BadValue, "{error}");
    error.to_string()
}

#[test]
fn wrong_texts() {
    for (text, place, part) in [
        ("", "line 1, column 1", "the formula makes nothing"),
        ("# nothing\ns = 1", "line 2, column 6", "the formula makes nothing"),
        (
            "rho += m_j *",
            "line 1, column 13",
            "the end of the text stands where a number",
        ),
        (
            "rho += m_j *\ns += 1",
            "line 1, column 13",
            "the end of the statement stands where",
        ),
        (
            "rho += (1 + r",
            "line 1, column 14",
            "')' is missing before the end of the text",
        ),
        (
            "rho += 1 + r)",
            "line 1, column 13",
            "')' does not continue the expression",
        ),
        ("rho += 2 r", "line 1, column 10", "write an operator before it"),
        (
            "rho + 1",
            "line 1, column 5",
            "'+' is not expected here: write 'rho = ...' for a temporary",
        ),
        ("rho max 1", "line 1, column 9", "'=' is missing"),
        ("\n\n  3 += r", "line 3, column 3", "begin a statement with a name"),
        ("rho += r @ 2", "line 1, column 10", "'@' has no meaning"),
        ("rho += \u{3c1}", "line 1, column 8", "has no meaning"),
        (
            "# \u{3c1}\u{3c1}\nrho += 1e999",
            "line 2, column 8",
            "1e999 is too large",
        ),
        ("rho += 1..2", "line 1, column 10", "does not continue"),
        ("rho += .", "line 1, column 8", "'.' is not a number"),
        (
            "rho += sqrt(r, c)",
            "line 1, column 8",
            "sqrt has 2 arguments here: it takes one",
        ),
        (
            "rho += min(r)",
            "line 1, column 8",
            "min has 1 argument here: it takes two",
        ),
        ("rho += select(r, c)", "line 1, column 8", "select(a, b, condition)"),
        (
            "rho += sqrt",
            "line 1, column 12",
            "'(' is missing before the end of the text",
        ),
        ("rho += asin(r + 1)", "line 1, column 8", "'asin' is not a function"),
        ("rho += W(r) + W(r2)", "line 1, column 15", "called with r and with r2"),
        (
            "q = r/c\ns += W(r)*W(q)",
            "line 2, column 11",
            "'W' is called with r and with r/c: use a table for each",
        ),
        (
            "s += W(r",
            "line 1, column 9",
            "')' is missing before the end of the text",
        ),
        (
            "s += W(c/r)",
            "line 1, column 6",
            "'W' is not a function: a table is called with r, r2 or r/c",
        ),
        ("s += W(r/c + 0)", "line 1, column 6", "'W' is not a function"),
        ("s += W(W(r))", "line 1, column 6", "'W' is not a function"),
        ("r += 1", "line 1, column 1", "'r' is built in"),
        ("max += 1", "line 1, column 1", "'max' is built in"),
        (
            "m_j = 1",
            "line 1, column 1",
            "'m_j' is a value of the neighbor, which is only read: 'm_i = ...'",
        ),
        ("a = 1; a += r", "line 1, column 8", "'a' has a value from line 1"),
        (
            "a += r\nb += a",
            "line 2, column 6",
            "'a' has a value for each point (line 1): a_i and a_j read it",
        ),
        ("b += a\na = 1", "line 2, column 1", "'a' is used in line 1 already"),
        ("a = 1\nb += a(r)", "line 2, column 6", "'a' is a temporary"),
        (
            "s += select(1, 0, r < c < 1)",
            "line 1, column 25",
            "a second comparison: write a < b and b < c",
        ),
        (
            "s += (r; y += 1",
            "line 1, column 8",
            "')' is missing before the end of the statement",
        ),
    ] {
        let message = refused(text);
        assert!(message.contains(place) && message.contains(part), "{text:?}: {message}");
        check_plain(text, &message);
    }
}

/// A message has its place, is on one line, shows what cannot be seen by its code point, and suggests what is whole.
fn check_plain(text: &str, message: &str) {
    assert!(message.starts_with("the formula, line "), "{text:?}: {message}");
    let is_plain = |c: char| !c.is_control() && (c == ' ' || !c.is_whitespace()) && c != '\u{feff}' && c != '\u{200b}';
    assert!(message.chars().all(is_plain), "{text:?}: {message:?}");
    assert!(!message.contains("  ") && message.len() < 400, "{text:?}: {message}");
    if let Some((_, suggested)) = message.strip_suffix('?').and_then(|message| message.rsplit_once("; ")) {
        let mut depth = 0i32;
        for c in suggested.chars() {
            depth += i32::from(c == '(') - i32::from(c == ')');
            assert!(depth >= 0, "{text:?}: {message}");
        }
        assert_eq!(depth, 0, "{text:?}: {message}");
    }
}

/// Words of other languages, and reads of a statement's own output.
#[test]
fn habits() {
    const FUNCTIONS: &str = "select, min, max, abs, sqrt, exp, log, pow, sin, cos, tan, tanh, atan2, erf, erfc, dot, \
                             cross, vector, sign and floor";
    for (text, place, part) in [
        (
            "s += gamma(r)",
            "column 6",
            "'gamma' is not a function: a table under another name",
        ),
        ("s += gamma(r + 1)", "column 6", FUNCTIONS),
        ("s += SIN(r)", "column 6", "'SIN' is not a function: write sin"),
        ("s += dtanh(r)", "column 6", "'dtanh' is not a function: write tanh"),
        ("s += atan(r)", "column 6", "atan2(x, 1) is atan(x)"),
        (
            "s += atan2(r)",
            "column 6",
            "atan2 has 1 argument here: it takes atan2(y, x)",
        ),
        ("s += erfc(r, 1)", "column 6", "erfc has 2 arguments here: it takes one"),
        (
            "s += kernel(r/h)",
            "column 6",
            "a table is called with r, r2 or r/c, as in kernel(r), and * multiplies",
        ),
        ("s += kernel(r, h)", "column 6", FUNCTIONS),
        ("s += m_j*kernel(r/h)", "column 10", FUNCTIONS),
        (
            "s += norm2(d)",
            "column 6",
            "sqrt(dot(a, a)) is the length of a vector a",
        ),
        ("s += MIN(r, c)", "column 6", "'MIN' is not a function: write min"),
        ("s += Sqrt(r2)", "column 6", "'Sqrt' is not a function: write sqrt"),
        ("s += sqrtt(r + 1)", "column 6", "perhaps sqrt"),
        ("s += mxa(1, r)", "column 6", "perhaps max"),
        ("s += fabs(r)", "column 6", "write abs"),
        ("s += merge(1, 0, r < c)", "column 6", "select(a, b, condition)"),
        (
            "s += a(b)",
            "column 6",
            "a table is called with r, r2 or r/c, as in a(r)",
        ),
        (
            "rho += rho + m_j",
            "column 8",
            "'rho' is what this statement makes: += adds to it",
        ),
        (
            "q = 1\nrho max= max(rho, m_j)",
            "line 2, column 14",
            "max= and min= compare with it",
        ),
        (
            "w = w + 1; s += w",
            "column 5",
            "'w' is what this statement makes: it has no value before",
        ),
        ("s += s(r)", "column 6", "'s' is what this statement makes"),
        (
            "s += select(1, 0, r < c AND r > 1)",
            "column 25",
            "'AND': write and: a and b holds where both conditions do",
        ),
        (
            "s += select(1, 0, r < c && r > 1)",
            "column 25",
            "'&&' has no meaning in a formula: write and",
        ),
        (
            "s += select(1, 0, r < c .and. r > 1)",
            "column 25",
            "'.and.' has no meaning in a formula: write and",
        ),
        (
            "s += select(1, 0, r.LT.c)",
            "column 20",
            "'.LT.' has no meaning in a formula: write <",
        ),
        ("s += select(1, 0, r < c || r > 1)", "column 25", "'||' has no meaning"),
        ("s += select(1, 0, r < c | r > 1)", "column 25", "'|' has no meaning"),
        (
            "s += select(1, 0, .NOT. r < c)",
            "column 19",
            "'.NOT.' has no meaning in a formula: write not",
        ),
        (
            "s += select(1, 0, ~(r < c))",
            "column 19",
            "'~' has no meaning in a formula: write not",
        ),
        (
            "s += select(1, 0, Not (r < c))",
            "column 19",
            "'Not' has no meaning in a formula: write not",
        ),
        (
            "s += select(1, 0, !(r < c))",
            "column 28",
            "the end of the text stands where a number, a name or '(' is expected: ! begins a comment; not is the word",
        ),
        (
            "s += select(1, 0, r < c and !far)\ny += r",
            "line 2, column 3",
            "')' is missing before '+=': ! begins a comment; not is the word",
        ),
        (
            "s += max(r, ! the larger\n y += r",
            "line 2, column 4",
            "')' is missing before '+='",
        ),
        ("and += r", "column 1", "'and' begins a statement"),
        (
            "s += select(1, 0, and(r < c, r > 1))",
            "column 19",
            "'and' stands where a number",
        ),
        ("s += select(1, 0, r < c and)", "column 28", "')' stands where a number"),
        (
            "s += select(1, 0, r < c not r > 1)",
            "column 25",
            "')' is missing before 'not'",
        ),
        ("pi = 3", "column 1", "'pi' is built in: choose another name"),
        (
            "s += m_j(r)",
            "column 6",
            "'m_j' is no function: write * to multiply by the parentheses, and .x, .y or .z for a component",
        ),
        ("s += v_i(1)", "column 6", "'v_i' is no function: write * to multiply"),
        ("s += d(1)", "column 6", "'d' is no function"),
        ("s += pi(r)", "column 6", "'pi' is no function"),
        (
            "s += h*r\ny += h(r)",
            "line 2, column 6",
            "'h' is a constant from line 1: write * to multiply by the parentheses",
        ),
        (
            "s += h(r)\ny += h*r",
            "line 2, column 6",
            "'h' is a table from line 1: call it, or choose another name for a constant",
        ),
        (
            "s += select(1, 0, r /= c)",
            "column 21",
            "'/=' has no meaning in a formula: write !=",
        ),
        (
            "s += select(1, 0, r <> c)",
            "column 21",
            "'<>' has no meaning in a formula: write !=",
        ),
        (
            "s += select(1, 0, r = c)",
            "column 21",
            "')' is missing before '=': == compares",
        ),
        (
            "if (r < c) s += 1",
            "column 1",
            "'if' has no meaning in a formula: select(a, b, condition)",
        ),
        (
            "s += 1 if r < c else 0",
            "column 8",
            "'if' does not continue the expression: select(a, b, condition)",
        ),
        ("s += if(r < c, 1, 0)", "column 6", "'if' has no meaning"),
        (
            "s += r < c ? 1 : 0",
            "column 12",
            "'?' has no meaning in a formula: select(a, b, condition)",
        ),
        ("where (r < c) s += 1", "column 1", "'where' has no meaning"),
        (
            "do j = 1, n",
            "column 1",
            "'do' has no meaning in a formula: +=, max= and min= run over all neighbors",
        ),
        (
            "s -= m_j",
            "column 3",
            "'-=' is not expected here: write 's = ...' for a temporary",
        ),
        ("s *= m_j", "column 3", "'*=' is not expected here"),
        (
            "s += d[1]",
            "column 7",
            "'[' has no meaning in a formula: parentheses group, and a vector has no index",
        ),
        (
            "s += 1.0_dp*r",
            "column 9",
            "'_' has no meaning in a formula: a name begins with a letter",
        ),
        (
            "s += r % c",
            "column 8",
            "'%' has no meaning in a formula: x - y*floor(x/y)",
        ),
        (
            "s += r + &\n c",
            "column 10",
            "an expression continues on the next line",
        ),
        ("s += min(r)", "column 6", "min has 1 argument here"),
        (
            "s += d.w",
            "column 7",
            "'.w' is not a component: vectors have .x, .y and .z",
        ),
        ("s += (d).X", "column 9", "'.X' is not a component"),
        ("s += d.x1*r", "column 7", "'.x1' is not a component"),
        ("s += W(r).xy", "column 10", "'.xy' is not a component"),
        (
            "s += d .x",
            "column 8",
            "'.x' is not a number: a component is directly after its vector, as in d.x",
        ),
        ("s += 2.5.x", "column 9", "'.x' is not a number"),
        ("s += .y", "column 6", "'.y' is not a number"),
        ("s += d. x", "column 7", "'.' is not a number"),
        (
            "s += d.x.lt.c",
            "column 9",
            "'.lt.' has no meaning in a formula: write <",
        ),
        (
            "s += select(1, 0, r < 1.and.r > 0)",
            "column 24",
            "'.and.' has no meaning",
        ),
        ("s.y += r", "column 1", "a component can only be read"),
        (
            "s += vector(1, 2, 3, 4)",
            "column 6",
            "vector has 4 arguments here: it takes a number for each axis, at most three",
        ),
        ("s += vector()", "column 13", "')' stands where a number"),
        ("s += cross(d)", "column 6", "cross has 1 argument here: it takes two"),
        (
            "s += vec3(r, r, r)",
            "column 6",
            "'vec3' is not a function: write vector",
        ),
        ("vector = 1", "column 1", "'vector' is built in"),
    ] {
        let message = refused(text);
        assert!(message.contains(place) && message.contains(part), "{text:?}: {message}");
        check_plain(text, &message);
    }
    // These are names like others.
    for text in [
        "s += kernel(r)",
        "s += W(r2) + in*r",
        "s += norm*r + asin",
        "s += MIN*r",
        "s += x_j",
        "s += .5e0*r",
    ] {
        Formula::new(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    }
}

/// Characters that nobody sees, or that look like others, by their code points.
#[test]
fn characters() {
    for (c, part) in [
        (
            '\u{feff}',
            "the character U+FEFF (byte order mark) has no meaning in a formula: remove it",
        ),
        (
            '\u{a0}',
            "the character U+00A0 (no-break space) has no meaning in a formula: write a blank instead",
        ),
        ('\u{200b}', "the character U+200B (zero-width space)"),
        ('\u{202e}', "the character U+202E (direction mark)"),
        ('\u{3000}', "the character U+3000 (ideographic space)"),
        ('\0', "the character U+0000 (NUL)"),
        ('\u{7}', "the character U+0007 has no meaning"),
        ('\u{2028}', "the character U+2028 (line separator)"),
        (
            '\u{2212}',
            "'\u{2212}' (U+2212, minus sign) has no meaning in a formula: write - instead",
        ),
        ('\u{201c}', "'\u{201c}' (U+201C, quotation mark)"),
        (
            '\u{ff0b}',
            "'\u{ff0b}' (U+FF0B) has no meaning in a formula: write + instead",
        ),
        ('\u{ff41}', "write a instead"),
        (
            '\u{3c1}',
            "'\u{3c1}' (U+03C1) has no meaning in a formula: names have letters a to z",
        ),
        ('@', "'@' has no meaning in a formula: names have letters a to z"),
    ] {
        for (text, place) in [
            (format!("{c}s += r"), "line 1, column 1:"),
            (format!("s +={c} r"), "line 1, column 5:"),
            (format!("y += 1\ns += r *{c}c"), "line 2, column 9:"),
        ] {
            let message = refused(&text);
            assert!(message.contains(place) && message.contains(part), "{text:?}: {message}");
            check_plain(&text, &message);
        }
        assert!(Formula::new(&format!("s += r # {c}")).is_ok(), "comments have any text");
        let mut formula = Formula::new("s += a").unwrap();
        let message = formula.set_constant(&format!("a{c}"), 1.0).unwrap_err().to_string();
        let shown = if "@\u{2212}\u{201c}\u{ff0b}\u{ff41}\u{3c1}".contains(c) {
            format!("'a{c}'")
        } else {
            format!("'a<U+{:04X}>'", c as u32)
        };
        assert!(message.contains(&shown), "{message}");
    }
}

/// A name that is something else than what the call gives a value.
#[test]
fn names_of_other_kinds() {
    let text = "w = h*r; rho += m_j*w*W(r)";
    let mut formula = Formula::new(text).unwrap();
    let table = |formula: &mut Formula, name| formula.set_table(name, TableOf::R, [0.0, 1.0], &[1.0, 0.0]);
    for (result, part) in [
        (
            formula.set_constant("m", 1.0),
            "constants of the formula: h; 'm' is a field, with a value for each point (set_field of the search)",
        ),
        (formula.set_constant("W", 1.0), "'W' is a radial table (set_table)"),
        (formula.set_constant("w", 1.0), "'w' is a temporary"),
        (formula.set_constant("rho", 1.0), "'rho' is a field"),
        (formula.set_constant("r", 1.0), "'r' is built in"),
        (
            formula.set_constant("pi", 3.0),
            "constants of the formula: h; 'pi' is built in, 3.14159265...",
        ),
        (
            formula.set_constant("max", 1.0),
            "constants of the formula: h; 'max' is a function",
        ),
        (formula.set_constant("H", 1.0), "constants of the formula: h; perhaps h"),
        (table(&mut formula, "h"), "tables of the formula: W; 'h' is a constant"),
        (
            formula.number("w").map(drop),
            "numbers of the formula: h; 'w' is a temporary",
        ),
        (
            formula.number("m").map(drop),
            "numbers of the formula: h; 'm' is a field",
        ),
        (formula.number("H").map(drop), "perhaps h"),
    ] {
        let error = result.unwrap_err();
        assert!(
            error.status() == Status::BadValue && error.to_string().contains(part),
            "{error}"
        );
    }
    let mut search = Search::new().unwrap();
    search.set_cutoff(2.0).unwrap();
    search
        .set_points(&PointsView::interleaved(1, &[0.0, 1.0]).unwrap())
        .unwrap();
    for (refused, part) in [
        (search.set_field("x", &[1.0; 2], 1), "'x' is the field of the points"),
        (search.field::<f32>("rho").map(drop), "no field 'rho' of points: set it"),
        (
            search.query_field::<f32>("rho").map(drop),
            "no field 'rho' of queries: set it",
        ),
    ] {
        let message = refused.unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
    let mut both = Formula::new("s += m*m_j").unwrap();
    let message = search.run(&mut both, NeighborsKind::Full, 1).unwrap_err().to_string();
    assert!(
        message.contains("the constant 'm' has no value yet; set_constant, or in the formula"),
        "{message}"
    );
    let mut large = Formula::new("s += PI*r").unwrap();
    let message = search.run(&mut large, NeighborsKind::Full, 1).unwrap_err().to_string();
    assert!(
        message.contains("the constant 'PI' has no value yet; set_constant, or in the formula pi?"),
        "{message}"
    );
    let mut typed = Formula::new("s += sqtr(r2)").unwrap();
    let message = search.run(&mut typed, NeighborsKind::Full, 1).unwrap_err().to_string();
    assert!(
        message.contains("the table 'sqtr' has no value yet; set_table, or in the formula sqrt?"),
        "{message}"
    );
    let mut single = Formula::new("s += 1").unwrap();
    search.run(&mut single, NeighborsKind::Full, 1).unwrap();
    let message = search.field::<f64>("s").unwrap_err().to_string();
    assert!(
        message.contains("precision = real64 is not allowed: it must be real32, the precision of the field"),
        "{message}"
    );
    let narrow = [0.0f32];
    let message = search
        .set_queries(&PointsView::interleaved(1, &narrow).unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("real32 is not allowed: it must be real64, the precision of the points"),
        "{message}"
    );
}

/// The place where a formula was evaluated, and why, for every backend that there may be.
#[test]
fn where_it_ran() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(2.0).unwrap();
    search
        .set_points(&PointsView::interleaved(1, &[0.0, 1.0]).unwrap())
        .unwrap();
    let mut formula = Formula::new("s += 1").unwrap();
    let mut line = |search: &mut Search, precision| {
        formula.set_precision(precision);
        search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
        let info = search.info();
        let line = info.lines().find(|line| line.starts_with("formula: "));
        line.unwrap_or_else(|| panic!("{info}")).to_owned()
    };
    if std::env::var("NEARGRID_BACKEND").is_err() {
        let few = line(&mut search, SumPrecision::Single);
        assert!(few.starts_with("formula: on the CPU (auto: "), "{few}");
        search.set_radii(&[2.0; 2], RadiusRule::Max).unwrap();
        assert_eq!(line(&mut search, SumPrecision::Single), few);
        search.clear_radii();
    }
    search.set_backend(neargrid::Backend::Cpu);
    assert_eq!(
        line(&mut search, SumPrecision::Single),
        "formula: on the CPU (asked for)"
    );
    search.count_pairs().unwrap();
    assert!(!search.info().contains("formula: "));
}

/// Long texts and deep ones have a limit each, below which they are right.
#[test]
fn long_and_deep() {
    let one_pair = |text: &str| {
        let mut search = Search::new().unwrap();
        search.set_cutoff(2.0).unwrap();
        search
            .set_points(&PointsView::interleaved(2, &[0.0, 0.0, 1.0, 0.0]).unwrap())
            .unwrap();
        let mut formula = Formula::new(text)?;
        search.run(&mut formula, NeighborsKind::Full, 1)?;
        Ok::<f32, neargrid::Error>(search.field::<f32>("s")?[0])
    };
    let chain = format!("s += 0{}", " + 2*r".repeat(2000));
    assert!(chain.len() > 10_000);
    assert_eq!(one_pair(&chain).unwrap(), 4000.0);
    let different: String = (0..1000).map(|k| format!("t{k} = r + {k}\n")).collect();
    assert_eq!(one_pair(&format!("{different}s += t999 - t0")).unwrap(), 999.0);
    let nested = |deep: usize| format!("s += {}r{}", "(".repeat(deep), ")".repeat(deep));
    assert_eq!(one_pair(&nested(100)).unwrap(), 1.0);
    for deep in [101, 5000, 13_000] {
        assert!(refused(&nested(deep)).contains("nested more than 100 deep"));
        assert!(refused(&format!("s += {}r", "-".repeat(deep))).contains("nested more than 100 deep"));
        assert!(refused(&format!("s += r{}", "^r".repeat(deep))).contains("nested more than 100 deep"));
        assert!(refused(&format!("s += {}r", "sqrt(".repeat(deep))).contains("nested more than 100 deep"));
    }
    let long = format!("s += 0{}", " ".repeat(70_000));
    assert_eq!(Formula::new(&long).unwrap_err().status(), Status::BadCount);
    let many: String = (0..2500).map(|k| format!(" + (r+{k})^2147483647")).collect();
    let message = one_pair(&format!("s += 0{many}")).unwrap_err().to_string();
    assert!(message.contains("more than 65536 operations"), "{message}");
}

/// Shapes that do not fit, and values that are missing.
#[test]
fn wrong_shapes_and_values() {
    let coords = Random(1).cloud(2, 30);
    let mut search = Search::new().unwrap();
    search.set_cutoff(0.3).unwrap();
    search
        .set_points(&PointsView::interleaved(2, &coords).unwrap())
        .unwrap();
    let try_one = |search: &mut Search, text: &str| {
        let mut formula = Formula::new(text).unwrap();
        search.set_field("v", &coords, 2).unwrap();
        search.set_field("m", &coords[..30], 1).unwrap();
        search.run(&mut formula, NeighborsKind::Full, 1)
    };
    for (text, place, part) in [
        (
            "s += v_i * d",
            "line 1, column 10",
            "'v_i' and 'd' are vectors here; dot(v_i, d)?",
        ),
        (
            "\n\ns += 1 + d",
            "line 3, column 8",
            "'d' is a vector here and '1' a number; dot(d, d)?",
        ),
        (
            "s += m_j / (v_i - v_j)",
            "line 1, column 10",
            "'v_i - v_j' is a vector here, by which nothing can be divided; sqrt(dot(v_i - v_j, v_i - v_j))?",
        ),
        (
            "s += (m_i+1)*d*d",
            "line 1, column 15",
            "'(m_i+1)*d' and 'd' are vectors here; dot((m_i+1)*d, d)?",
        ),
        (
            "s += (v_i - v_j)*m_j*d",
            "line 1, column 21",
            "dot((v_i - v_j)*m_j, d)?",
        ),
        (
            "s += ((d)*2)*((v_i) - (v_j))",
            "line 1, column 13",
            "'(d)*2' and '(v_i) - (v_j)' are vectors here; dot((d)*2, (v_i) - (v_j))?",
        ),
        (
            "s += exp(-(v_i - v_j))",
            "line 1, column 10",
            "'-(v_i - v_j)' is a vector here; dot(-(v_i - v_j), d)?",
        ),
        ("s += (v_i # why\n\t- v_j)*d", "line 2, column 8", "dot(v_i - v_j, d)?"),
        (
            "s += (v_i + v_j + v_i + v_j + v_i + v_j + v_i + v_j)*d",
            "line 1, column 53",
            "are vectors here; dot(..., d)?",
        ),
        (
            "s += select(1, 0, d)",
            "line 1, column 6",
            "select(a, b, dot(d, d) > 0)?",
        ),
        (
            "s += exp(v_j)",
            "line 1, column 10",
            "'v_j' is a vector here; dot(v_j, d)?",
        ),
        (
            "s += atan2(r, v_j)",
            "line 1, column 15",
            "'v_j' is a vector here; dot(v_j, d)?",
        ),
        (
            "u = v_i - v_j; s += abs(u)",
            "line 1, column 25",
            "sqrt(dot(u, u)) for its length?",
        ),
        ("s += d^2", "line 1, column 6", "dot(d, d) for its square?"),
        (
            "s += dot(m_i, d)",
            "line 1, column 6",
            "'m_i' is a number here, and dot takes two vectors",
        ),
        (
            "s += select(1, d, r < c)",
            "line 1, column 6",
            "'d' is a vector here and '1' a number",
        ),
        (
            "s += select(1, 0, r)",
            "line 1, column 6",
            "'r' is not a condition; select(a, b, r > 0)?",
        ),
        (
            "s += r < c",
            "line 1, column 8",
            "'r < c' is a condition here, not a number; select(1, 0, r < c)?",
        ),
        ("s += 1 + (r < c)", "line 1, column 13", "is a condition here"),
        (
            "s += select(r < c, 0, r < c)",
            "line 1, column 15",
            "is a condition here",
        ),
        ("s += select(1, 0, d < c)", "line 1, column 19", "'d' is a vector here"),
        (
            "s += r\ny += (v_i - v_j).z",
            "line 2, column 17",
            "there is no component .z: the points have 2 axes",
        ),
        (
            "s += m_j.x",
            "line 1, column 9",
            "'m_j' is a number here, and has no component .x",
        ),
        ("s += d.x.y", "line 1, column 9", "'d.x' is a number here"),
        ("s += (r < c).x", "line 1, column 9", "'r < c' is a condition here"),
        (
            "s += vector(1, 2, r)",
            "line 1, column 6",
            "a vector of 3 numbers, and the points have 2 axes; vector(a, b)?",
        ),
        ("s += vector(r)", "line 1, column 6", "a vector of 1 number, and"),
        (
            "s += vector(r, d)",
            "line 1, column 16",
            "'d' is a vector here, and vector takes numbers",
        ),
        (
            "s += vector(r, r < c)",
            "line 1, column 18",
            "'r < c' is a condition here",
        ),
        (
            "s += select(1, 0, r and m_j > 0)",
            "line 1, column 19",
            "'r' is not a condition; r > 0?",
        ),
        (
            "s += select(1, 0, r > 0 or m_i - 1)",
            "line 1, column 32",
            "'m_i - 1' is not a condition; m_i - 1 > 0?",
        ),
        (
            "s += select(1, 0, not d)",
            "line 1, column 23",
            "'d' is not a condition; dot(d, d) > 0?",
        ),
        (
            "s += not r < c",
            "line 1, column 6",
            "'not r < c' is a condition here, not a number; select(1, 0, not r < c)?",
        ),
        ("s += 1 + (r < c or r > 1)", "line 1, column 17", "is a condition here"),
        (
            "s += select(1, 0, r < not r > c)",
            "line 1, column 23",
            "'not r > c' is a condition here",
        ),
        (
            "s += cross(d, m_j)",
            "line 1, column 6",
            "'m_j' is a number here, and cross takes two vectors; * instead?",
        ),
        (
            "s += d + vector(1, 2)*d.y + cross(d, d)",
            "line 1, column 27",
            "'cross(d, d)' a number",
        ),
    ] {
        let error = try_one(&mut search, text).unwrap_err();
        let message = error.to_string();
        assert_eq!(error.status(), Status::BadValue);
        assert!(message.contains(place) && message.contains(part), "{text:?}: {message}");
        check_plain(text, &message);
    }
    for (text, status, part) in [
        (
            "s += r\ny += 2*q_j",
            Status::BadState,
            "line 2, column 8: the field 'q' has no value yet; set_field, or a statement that makes it?",
        ),
        (
            "s += h*r",
            Status::BadState,
            "line 1, column 6: the constant 'h' has no value yet; set_constant?",
        ),
        (
            "s += W(r)",
            Status::BadState,
            "line 1, column 6: the table 'W' has no value yet; set_table?",
        ),
    ] {
        let error = try_one(&mut search, text).unwrap_err();
        assert!(error.status() == status && error.to_string().contains(part), "{error}");
    }
    let mut formula = Formula::new("s += m_j + W(r2)*h").unwrap();
    let refusals = [
        (
            formula.set_constant("m", 1.0),
            Status::BadValue,
            "name = 'm' is not allowed: it must be one of the constants of the formula: h",
        ),
        (search.set_field("m", &[1.0], 4), Status::BadDim, "components = 4"),
        (search.set_field("m", &[1.0], 2), Status::BadCount, "a multiple of 2"),
        (
            formula.set_table("W", TableOf::R, [0.0, 1.0], &[1.0, 2.0]),
            Status::BadValue,
            "with which the formula",
        ),
        (
            formula.set_table("W", TableOf::R2, [0.0, 1.0], &[1.0]),
            Status::BadCount,
            "2 to 16777216",
        ),
        (
            formula.set_table("W", TableOf::ROverC, [0.0, 1.0], &[1.0, 2.0]),
            Status::BadValue,
            "table of = r/c is not allowed: it must be r2, with which the formula calls 'W'",
        ),
        (
            formula.set_cubic_table("W", TableOf::R2, [0.0, 1.0], &[1.0, 2.0, 3.0]),
            Status::BadCount,
            "number of values = 3 is not allowed: it must be 4 to 16777216",
        ),
        (
            formula.set_cubic_table("W", TableOf::R2, [0.0, 1.0], &[1.0, 2.0, f64::NAN, 3.0]),
            Status::NonFinite,
            "values = NaN (value 3) is not allowed: it must be finite in a cubic table",
        ),
        (
            formula.set_cubic_table("W", TableOf::R2, [0.0, 1.0], &[1.0, 1e308, -1e308, 3.0]),
            Status::BadValue,
            "(value 3) is not allowed: it must be so small that real64 has the numbers of the spline",
        ),
        (
            formula.set_table("W", TableOf::R2, [1.0, 1.0], &[1.0, 2.0]),
            Status::BadValue,
            "greater than first (1)",
        ),
        (
            formula.set_table("W", TableOf::R2, [f64::NAN, 1.0], &[1.0, 2.0]),
            Status::NonFinite,
            "first",
        ),
    ];
    for (refused, status, part) in refusals {
        let error = refused.unwrap_err();
        assert!(error.status() == status && error.to_string().contains(part), "{error}");
    }
    formula.set_constant("h", 1.0).unwrap();
    formula
        .set_cubic_table("W", TableOf::R2, [0.0, 1.0], &[0.0, 1.0, 1e38, -3e38])
        .unwrap();
    search.set_field("m", &coords[..30], 1).unwrap();
    let error = search.run(&mut formula, NeighborsKind::Full, 1).unwrap_err();
    assert!(
        error.status() == Status::BadValue && error.to_string().contains("that real32 has the numbers"),
        "{error}"
    );
    formula
        .set_table("W", TableOf::R2, [1e38, 1.1e38], &[1.0, 2.0])
        .unwrap();
    search.set_field("m", &coords[..29], 1).unwrap();
    let error = search.run(&mut formula, NeighborsKind::Full, 1).unwrap_err();
    assert!(
        error.status() == Status::BadCount
            && error
                .to_string()
                .contains("has values of 29 points; there are 30 points now")
    );
    search.set_field("m", &[0.0; 90], 3).unwrap();
    let error = search.run(&mut formula, NeighborsKind::Full, 1).unwrap_err();
    assert!(error.status() == Status::BadDim && error.to_string().contains("has 3 components; 1 or 2"));
    search.set_field("m", &coords[..30], 1).unwrap();
    search
        .set_queries(&PointsView::interleaved(2, &coords).unwrap())
        .unwrap();
    formula.set_include_self(true);
    let error = search.run(&mut formula, NeighborsKind::Queries, 1).unwrap_err();
    assert!(error.status() == Status::BadValue && error.to_string().contains("include_self"));
    assert_eq!(search.field::<f32>("s").unwrap_err().status(), Status::BadState);
    search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
    assert_eq!(search.field::<f32>("s").unwrap().len(), 30);
    assert_eq!(search.field::<f64>("s").unwrap_err().status(), Status::BadValue);
    let message = search.field::<f32>("y").unwrap_err().to_string();
    assert!(message.contains("no field 'y' of points"), "{message}");
}

/// Texts of random words, most of which are no formulas: each has a result, or is refused at a place in the text.
#[test]
fn random_texts() {
    const WORDS: &[&str] = &[
        "x",
        "s",
        "y",
        "s +=",
        "y max=",
        "z min=",
        "t =",
        "r",
        "r2",
        "d",
        "c",
        "m_i",
        "m_j",
        "v_j",
        "a",
        "W(r)",
        "W(r/c)",
        "U(",
        "r/c",
        "1",
        "2.5",
        "1e-3",
        "1e400",
        "+",
        "-",
        "*",
        "/",
        "^",
        "**",
        "(",
        ")",
        ",",
        ";",
        "\n",
        "# ",
        "!",
        "==",
        "!=",
        "<",
        "=",
        "+=",
        "-=",
        "\u{a0}",
        "\u{2212}",
        " and ",
        " or ",
        "not ",
        "pi",
        "if",
        ".lt.",
        "&&",
        "MIN(",
        "sin(r)",
        "kernel(",
        "min(",
        "dot(",
        "select(",
        "sqrt(",
        "exp(",
        "pow(",
        "atan2(",
        "asin(",
        "cross(",
        "vector(",
        ".x",
        ".y",
        " ",
        "\u{b5}",
        "\0",
        ".",
        "_",
        "_i",
        "max",
        "all",
        ":=",
        "s_j",
        "v_i",
        "x_i =",
        "v_i = v_i*",
    ];
    let mut search = Search::new().unwrap();
    search.set_cutoff(2.0).unwrap();
    let points = PointsView::interleaved(2, &[0.0, 0.0, 1.0, 0.0, 0.0, 0.5]).unwrap();
    let (mut random, mut sums) = (Random(2026), 0);
    for k in 0..20_000 {
        let words = 1 + random.below(if k % 2 == 0 { 6 } else { 25 });
        // A beginning that many formulas have, so that some are right.
        let mut text = ["", "s += ", "s += r*", "t = d; y += "][random.below(4)].to_owned();
        (0..words).for_each(|_| text += WORDS[random.below(WORDS.len())]);
        let check = |error: neargrid::Error| match error {
            neargrid::Error::Formula { line, column, .. } => {
                assert!(
                    line >= 1 && line as usize <= text.split('\n').count() && column >= 1,
                    "{text:?}: {error}"
                );
                check_plain(&text, &error.to_string());
            }
            neargrid::Error::NonFinite { .. } => assert!(text.contains("x_i"), "{text:?}: {error}"),
            _ => panic!("{text:?}: {error}"),
        };
        let mut formula = match Formula::new(&text) {
            Ok(formula) => formula,
            Err(error) => {
                check(error);
                continue;
            }
        };
        search.set_points(&points).unwrap();
        search.set_field("m", &[1.0, 2.0, 3.0], 1).unwrap();
        search.set_field("v", &[1.0; 6], 2).unwrap();
        let _ = formula.set_constant("a", 0.5);
        let _ = formula.set_table("W", TableOf::R, [0.0, 1.0], &[1.0, 0.0]);
        let _ = formula.set_cubic_table("U", TableOf::ROverC, [0.0, 1.0], &[1.0, 0.5, 0.1, 0.0]);
        match search.run(&mut formula, NeighborsKind::Full, 1) {
            Ok(()) => sums += 1,
            Err(error) => check(error),
        }
    }
    assert!(sums > 200, "{sums} formulas");
}
