//! Tests that are specific to this notation; `tests/notations.rs` has the properties of all of them.

use super::*;

/// The examples of the EIS paper, section 3.2.
#[test]
fn paper() {
    let pos = |x: i64, y: i64| Function::new("pos", [x.into(), y.into()]).into();
    let path = Parameter::from(vec![pos(1, 1), pos(2, 1)]);
    let speed = Function::new("speed", [10.0.into()]).into();
    let cases = [
        ("moveTo(2,3)", Action::new("moveTo", [2.into(), 3.into()])),
        ("followPath([pos(1,1),pos(2,1)],speed(10.0))", Action::new("followPath", [path, speed])),
    ];
    for (text, action) in cases {
        assert_eq!(action.to_string(), text);
        assert_eq!(text.parse(), Ok(action));
    }
}

#[test]
fn containers_without_parameters() {
    assert_eq!(Action::new("skip", []).to_string(), "skip");
    assert_eq!(Percept::new("true", []).to_string(), "true");
    assert_eq!(Function::new("f", []).to_string(), "f()");
    for text in ["skip", "skip()", " skip ( ) . ", "'skip'", "\"skip\""] {
        assert_eq!(text.parse(), Ok(Action::new("skip", [])), "{text}");
        assert_eq!(text.parse(), Ok(Percept::new("skip", [])), "{text}");
        assert_eq!(text.parse(), Ok(Function::new("skip", [])), "{text}");
    }
}

#[test]
fn parameters_print_and_read_back() {
    let f = |name: &str| Parameter::from(Function::new(name, [true.into()]));
    let cases: Vec<(&str, Parameter)> = vec![
        ("roomC1", "roomC1".into()),
        ("a_B9", "a_B9".into()),
        ("true", true.into()),
        ("false", false.into()),
        ("'true'", "true".into()),
        ("'false'", "false".into()),
        ("true(true)", f("true")),
        ("'RoomC1'", "RoomC1".into()),
        ("'_'", "_".into()),
        ("'9'", "9".into()),
        ("'größe'", "größe".into()),
        ("gr(true)", f("gr")),
        ("'Gr'(true)", f("Gr")),
        ("''", "".into()),
        ("''(true)", f("")),
        ("'[]'", "[]".into()),
        ("'Hello, world'", "Hello, world".into()),
        (r"'it\'s \\ \n\t\r'", "it's \\ \n\t\r".into()),
        (r"'\x00\\x1F\\x7F\\x85\'", "\0\u{1F}\u{7F}\u{85}".into()),
        (r"'\x2028\\x2029\'", "\u{2028}\u{2029}".into()),
        (r"'\xFEFF\\xFFFE\\xFFFF\'", "\u{FEFF}\u{FFFE}\u{FFFF}".into()),
        (r"'\x61C\\x200E\\x200F\'", "\u{61C}\u{200E}\u{200F}".into()),
        (r"'\x202A\\x202E\\x2066\\x2069\'", "\u{202A}\u{202E}\u{2066}\u{2069}".into()),
        ("'日本 😀 \"`'", "日本 😀 \"`".into()),
        ("[]", vec![].into()),
        ("[[],[1,[a]]]", vec![vec![].into(), vec![1.into(), vec!["a".into()].into()].into()].into()),
    ];
    for (text, parameter) in cases {
        assert_eq!(parameter.to_string(), text);
        assert_eq!(text.parse(), Ok(parameter));
    }
}

#[test]
fn numerals_print_and_read_back() {
    let nan = |bits| Numeral::Float(f64::from_bits(bits));
    let cases = [
        ("0", Numeral::Integer(0)),
        ("-1", Numeral::Integer(-1)),
        ("9223372036854775807", Numeral::Integer(i64::MAX)),
        ("-9223372036854775808", Numeral::Integer(i64::MIN)),
        ("0.0", Numeral::Float(0.0)),
        ("-0.0", Numeral::Float(-0.0)),
        ("10.0", Numeral::Float(10.0)),
        ("0.1", Numeral::Float(0.1)),
        ("0.0001", Numeral::Float(1e-4)),
        ("1.0e-5", Numeral::Float(1e-5)),
        ("1.5e-7", Numeral::Float(1.5e-7)),
        ("9999999999999998.0", Numeral::Float(9999999999999998.0)),
        ("1.0e16", Numeral::Float(1e16)),
        ("1.0e21", Numeral::Float(1e21)),
        ("-1.7976931348623157e308", Numeral::Float(f64::MIN)),
        ("5.0e-324", Numeral::Float(f64::from_bits(1))),
        ("1.0Inf", Numeral::Float(f64::INFINITY)),
        ("-1.0Inf", Numeral::Float(f64::NEG_INFINITY)),
        ("1.5NaN", nan(0x7FF8_0000_0000_0000)),
        ("-1.5NaN", nan(0xFFF8_0000_0000_0000)),
        ("1.0000000000000002NaN", nan(0x7FF0_0000_0000_0001)),
        ("1.9999999999999998NaN", nan(0x7FFF_FFFF_FFFF_FFFF)),
    ];
    for (text, value) in cases {
        assert_eq!(value.to_string(), text);
        assert_eq!(numeral(text), Ok(value), "{text}");
    }
}

#[test]
fn reading_is_kinder_than_writing() {
    let cases: Vec<(&str, Parameter)> = vec![
        ("RoomC1", "RoomC1".into()),
        ("_", "_".into()),
        ("_x", "_x".into()),
        ("größe2", "größe2".into()),
        ("日本", "日本".into()),
        ("\"a \"\"b\"\" 'c'\"", "a \"b\" 'c'".into()),
        ("'it''s \"x\"'", "it's \"x\"".into()),
        (r#"'\a\b\f\v\n\t\r\'\"\\\`'"#, "\x07\x08\x0C\x0B\n\t\r'\"\\`".into()),
        (r"'\0\\101\\x41\\x0000041\\u0041\U0001F600'", "\0AAAA😀".into()),
        (r"'\u00411'", "A1".into()),
        ("'a\\\nb\\\r\nc'", "abc".into()),
        ("'a\nb'", "a\nb".into()),
        ("+1", 1.into()),
        ("-0", 0.into()),
        ("007", 7.into()),
        ("1e5", 1e5.into()),
        ("1.5E-3", 1.5e-3.into()),
        ("+1.0e+2", 100.0.into()),
        ("1e-400", 0.0.into()),
        ("2.5Inf", f64::INFINITY.into()),
        ("+1.25NaN", f64::from_bits(0x7FF4_0000_0000_0000).into()),
        ("1.", 1.into()),
        ("a .", "a".into()),
        (" [ 1 ,\n\t2\u{A0}] ", vec![1.into(), 2.into()].into()),
        ("f\n( 1 )", Function::new("f", [1.into()]).into()),
        ("\"f\"(1)", Function::new("f", [1.into()]).into()),
    ];
    for (text, parameter) in cases {
        assert_eq!(text.parse(), Ok(parameter), "{text}");
    }
}

#[test]
fn errors_say_where_and_what() {
    let parameter = "a parameter";
    let escape = "an escape such as `\\n`, `\\'` or `\\x41\\`";
    let character = "the number of a Unicode character";
    let float = "a float of at most 1.7976931348623157e308, or `1.0Inf`";
    let nan = "a number between 1.0 and 2.0 before `NaN`";
    let cases = [
        ("", 1, 1, "end of text", parameter),
        (")", 1, 1, "`)`", parameter),
        ("[1,\n 2,)", 2, 4, "`)`", parameter),
        ("[,1]", 1, 2, "`,`", parameter),
        ("[1,]", 1, 4, "`]`", parameter),
        ("[1 2]", 1, 4, "`2`", "`,` or `]`"),
        ("[1", 1, 3, "end of text", "`,` or `]`"),
        ("[H|T]", 1, 3, "`|`", "`,` or `]`"),
        ("pos(1,1", 1, 8, "end of text", "`,` or `)`"),
        ("pos(1]", 1, 6, "`]`", "`,` or `)`"),
        ("'größe'(1] ", 1, 10, "`]`", "`,` or `)`"),
        ("a 7", 1, 3, "`7`", "end of text"),
        ("a..", 1, 3, "`.`", "end of text"),
        ("f(1).f(2)", 1, 6, "`f`", "end of text"),
        ("f(1.)", 1, 4, "`.`", "`,` or `)`"),
        ("% comment", 1, 1, "`%`", parameter),
        ("\u{202E}", 1, 1, "`\\x202E\\`", parameter),
        ("'abc", 1, 5, "end of text", "closing quote `'`"),
        ("\"abc'", 1, 6, "end of text", "closing quote `\"`"),
        (r"'\", 1, 3, "end of text", escape),
        (r"'\z'", 1, 3, "`z`", escape),
        (r"'\x41'", 1, 6, "`'`", "a digit or `\\`"),
        (r"'\18'", 1, 4, "`8`", "a digit or `\\`"),
        (r"'\x\'", 1, 4, "`\\`", "a hexadecimal digit"),
        (r"'\u12G4'", 1, 6, "`G`", "a hexadecimal digit"),
        (r"'\U0001F60", 1, 11, "end of text", "a hexadecimal digit"),
        (r"'\xD800\'", 1, 4, "`D800\\`", character),
        (r"'\U00110000'", 1, 4, "`00110000`", character),
        (r"'\777777777777\'", 1, 3, "`777777777777\\`", character),
        ("-", 1, 2, "end of text", "a digit"),
        ("- 1", 1, 2, "` `", "a digit"),
        ("1e+", 1, 4, "end of text", "a digit"),
        ("1Inf", 1, 2, "`I`", "end of text"),
        ("[9223372036854775808]", 1, 2, "`9223372036854775808`", INTEGER),
        ("-9223372036854775809", 1, 1, "`-9223372036854775809`", INTEGER),
        ("1e309", 1, 1, "`1e309`", float),
        ("1.0NaN", 1, 1, "`1.0NaN`", nan),
        ("2.0NaN", 1, 1, "`2.0NaN`", nan),
    ];
    for (text, line, column, found, expected) in cases {
        let (found, expected) = (found.to_owned(), expected.to_owned());
        let error = SyntaxError { line, column, found, expected };
        assert_eq!(text.parse::<Parameter>(), Err(error), "{text}");
    }
}

#[test]
fn containers_begin_with_a_name() {
    for text in ["", "7", "[]", "(1)"] {
        let error = text.parse::<Action>().unwrap_err();
        assert_eq!((error.column, error.expected.as_str()), (1, "a name"), "{text}");
    }
}

#[test]
fn messages_are_short() {
    let error = "1".repeat(1000).parse::<Parameter>().unwrap_err();
    assert_eq!(error.found, format!("`{}...`", "1".repeat(60)));
}

#[test]
fn long_terms_are_not_printed_to_their_end() {
    let endless = fmt::from_fn(|f| {
        loop {
            f.write_char('a')?;
        }
    });
    assert_eq!(excerpt(&"two\nlines"), "two\\nlines");
    assert_eq!(excerpt(&endless), "a".repeat(EXCERPT) + "...");

    let list = Parameter::from(vec!["roomC1".into(); 1_000_000]);
    let beginning = excerpt(&list);
    assert!(beginning.starts_with("[roomC1,") && beginning.len() == EXCERPT + "...".len());

    for whole in ["", "skip", "é".repeat(EXCERPT / 2).as_str()] {
        assert_eq!(excerpt(&whole), whole);
    }
    let cut_inside_a_character = format!("a{}", "é".repeat(EXCERPT / 2));
    assert_eq!(excerpt(&cut_inside_a_character), format!("a{}...", "é".repeat(EXCERPT / 2 - 1)));
}

#[test]
fn nesting_is_bounded() {
    let lists = |depth| "[".repeat(depth) + &"]".repeat(depth);
    let functions = |depth| "f(".repeat(depth) + &")".repeat(depth);
    for nested in [lists, functions] {
        let deepest = nested(MAX_DEPTH);
        assert_eq!(deepest.parse::<Parameter>().unwrap().to_string(), deepest);
        let percept = format!("p({deepest})");
        assert_eq!(percept.parse::<Percept>().unwrap().to_string(), percept);

        let error = nested(MAX_DEPTH + 1).parse::<Parameter>().unwrap_err();
        assert_eq!(error.expected, "at most 48 levels of lists and functions, 52 in a percept");
    }
    assert!(functions(MAX_DEPTH).parse::<Function>().is_ok());
    assert!(functions(MAX_DEPTH + 1).parse::<Function>().is_err());

    let error = lists(MAX_DEPTH + 1).parse::<Parameter>().unwrap_err();
    assert_eq!((error.line, error.column, error.found.as_str()), (1, 49, "`[`"));
    let error = functions(MAX_DEPTH + 1).parse::<Parameter>().unwrap_err();
    assert_eq!((error.line, error.column, error.found.as_str()), (1, 98, "`(`"));
}
