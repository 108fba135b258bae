//! Refusals: the table of texts that are no formulas, or that points and fields do not suit. Each message says where, and what to
//! write instead.

use super::*;

/// A line of the table: a text, and for one that is refused the status, line and column, and words of the message.
struct Line {
    text: String,
    refused: Option<(String, Option<[u32; 2]>, &'static str)>,
}

fn table(section: &str) -> Vec<Line> {
    let table = include_str!("../../refusals/texts.txt");
    let (_, lines) = table.split_once(&format!("[{section}]\n")).unwrap();
    let lines = lines.lines().take_while(|line| !line.starts_with('['));
    lines.filter(|line| line.starts_with('`')).map(line_of).collect()
}

fn line_of(line: &'static str) -> Line {
    let (text, rest) = line[1..].rsplit_once('`').unwrap();
    let refused = rest.strip_prefix(" -> ").map(|rest| {
        let (status, words) = rest.split_once(' ').unwrap();
        let place = words.split_once(' ').and_then(|(place, words)| {
            let (line, column) = place.split_once(':')?;
            Some(([line.parse().ok()?, column.parse().ok()?], words))
        });
        let words = place.map_or(words, |(_, words)| words);
        (
            status.replace('_', "").to_lowercase(),
            place.map(|(place, _)| place),
            words,
        )
    });
    Line {
        text: plain(text),
        refused,
    }
}

/// A text with the characters that `\n`, `\t` and `\u{...}` stand for.
fn plain(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let mut plain = parts.next().unwrap().to_owned();
    for part in parts {
        let (code, rest) = part.split_once('}').unwrap();
        plain.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap());
        plain += rest;
    }
    plain.replace("\\n", "\n").replace("\\t", "\t")
}

/// That an error is the one of the table.
fn check(line: &Line, error: &neargrid::Error) {
    let (text, message) = (&line.text, error.to_string());
    let (status, place, words) = line.refused.as_ref().unwrap();
    assert_eq!(
        format!("{:?}", error.status()).to_lowercase(),
        *status,
        "{text:?}: {message}"
    );
    assert!(message.contains(words), "{text:?}: {message}");
    if let Some([line, column]) = place {
        let place = format!("line {line}, column {column}: ");
        assert!(message.contains(&place), "{text:?}: {message}");
        check_plain(text, &message);
    }
}

#[test]
fn texts() {
    for line in table("texts") {
        check(&line, &Formula::new(&line.text).unwrap_err());
    }
    for line in table("formulas") {
        Formula::new(&line.text).unwrap_or_else(|error| panic!("{:?}: {error}", line.text));
    }
}

/// Each text is refused as before after those before it: a refused run makes nothing.
#[test]
fn runs() {
    let coords = Random(1).cloud(2, 30);
    let mut search = Search::new().unwrap();
    search.set_cutoff(0.3).unwrap();
    search
        .set_points(&PointsView::interleaved(2, &coords).unwrap())
        .unwrap();
    for (name, components) in [("v", 2), ("u", 2), ("m", 1), ("p", 1)] {
        search.set_field(name, &coords[..30 * components], components).unwrap();
    }
    for line in table("runs") {
        let mut formula = Formula::new(&line.text).unwrap();
        let _ = formula.set_constant("r0", 1.0);
        check(&line, &search.run(&mut formula, NeighborsKind::Full, 1).unwrap_err());
    }
    assert_eq!(
        search.field_as::<f64>("x").unwrap(),
        coords,
        "points stay where they were"
    );
    assert_eq!(search.field::<f32>("s").unwrap_err().status(), Status::BadState);
}

/// The message of a text that is no formula.
fn refused(text: &str) -> String {
    Formula::new(text).unwrap_err().to_string()
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
