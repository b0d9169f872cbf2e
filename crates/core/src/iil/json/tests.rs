//! Tests that are specific to this notation; `tests/notations.rs` has the properties of all of them.

use super::*;

/// The examples of the EIS paper, section 3.2.
#[test]
fn paper() {
    let cases = [
        ("moveTo(2,3)", r#"{"name":"moveTo","args":[2,3]}"#),
        (
            "followPath([pos(1,1),pos(2,1)],speed(10.0))",
            concat!(
                r#"{"name":"followPath","args":[[{"name":"pos","args":[1,1]},"#,
                r#"{"name":"pos","args":[2,1]}],{"name":"speed","args":[10.0]}]}"#
            ),
        ),
    ];
    for (text, json) in cases {
        let action: Action = text.parse().unwrap();
        assert_eq!(action.to_json(), json);
        assert_eq!(Action::from_json(json), Ok(action));
    }
}

#[test]
fn parameters_print_and_read_back() {
    let cases: Vec<(&str, Parameter)> = vec![
        ("2", 2.into()),
        ("9223372036854775807", i64::MAX.into()),
        ("-9223372036854775808", i64::MIN.into()),
        ("10.0", 10.0.into()),
        ("-0.0", (-0.0).into()),
        ("1e+21", 1e21.into()),
        ("5e-324", f64::from_bits(1).into()),
        ("1.7976931348623157e+308", f64::MAX.into()),
        (r#"{"numeral":"-1.0Inf"}"#, f64::NEG_INFINITY.into()),
        (r#"{"numeral":"1.5NaN"}"#, f64::from_bits(0x7FF8_0000_0000_0000).into()),
        ("true", true.into()),
        (r#""true""#, "true".into()),
        (r#""""#, "".into()),
        (r#""\u0000\n\"\\é😀""#, "\0\n\"\\é😀".into()),
        ("[]", vec![].into()),
        (r#"[1,["a"]]"#, vec![1.into(), vec!["a".into()].into()].into()),
        (r#"{"name":"","args":[]}"#, Function::new("", []).into()),
        (r#"{"name":"f","args":[false]}"#, Function::new("f", [false.into()]).into()),
    ];
    for (json, parameter) in cases {
        assert_eq!(parameter.to_json(), json);
        assert_eq!(Parameter::from_json(json), Ok(parameter));
    }
}

#[test]
fn reading_is_kinder_than_writing() {
    let cases: Vec<(&str, Parameter)> = vec![
        (r#" { "args" : [ 1 ] , "name" : "f" } "#, Function::new("f", [1.into()]).into()),
        (r#"{"name": "f"}"#, Function::new("f", []).into()),
        (r#"{"numeral": "7"}"#, 7.into()),
        ("-0", (-0.0).into()),
        ("1E2", 100.0.into()),
        ("10000000000000000000.0", 1e19.into()),
        (r#"["10000000000000000000", "\"", 1]"#, vec!["10000000000000000000".into(), "\"".into(), 1.into()].into()),
    ];
    for (json, parameter) in cases {
        assert_eq!(Parameter::from_json(json), Ok(parameter), "{json}");
    }
    assert_eq!(Percept::from_json(r#"{"name": "p"}"#), Ok(Percept::new("p", [])));
}

#[test]
fn errors_say_where_and_what() {
    let json = "well-formed JSON";
    let parameter = "a parameter: a string, a number, a truth value, a list or a function";
    let keys = "`name` or `args`";
    let cases = [
        ("", 1, 1, "end of text", "the rest of a value"),
        ("[1,\n", 2, 1, "end of text", "the rest of a value"),
        ("[é", 1, 2, "`é`", "value"),
        ("[1 2]", 1, 4, "`2`", "`,` or `]`"),
        ("[1,]", 1, 4, "trailing comma", json),
        ("1 2", 1, 3, "trailing characters", json),
        ("null", 1, 4, "null", parameter),
        ("[\n \"é\", null]", 2, 10, "null", parameter),
        (r#"{"nme": "f"}"#, 1, 6, "key `nme`", keys),
        (r#"{"args": []}"#, 1, 12, "an object without `name`", "`name` and `args`"),
        ("{}", 1, 2, "an object without `name`", "`name` and `args`"),
        (r#"{"name": "f", "name": "g"}"#, 1, 20, "a second `name`", "each key once"),
        (r#"{"name": "f", "args": [], "args": []}"#, 1, 32, "a second `args`", "each key once"),
        (r#"{"name": "f", "args": {}}"#, 1, 22, "map", "a list of parameters"),
        (r#"{"name": 1}"#, 1, 10, "integer `1`", "a string"),
        (r#"{"numeral": "one"}"#, 1, 18, "`o`", "a digit"),
        (r#"{"numeral": "1", "name": "f"}"#, 1, 23, "key `name`", "no key beside `numeral`"),
        (r#"{"name": "f", "numeral": "1"}"#, 1, 23, "key `numeral`", keys),
        ("9223372036854775808", 1, 19, "`9223372036854775808`", text::INTEGER),
        ("[1,\n 18446744073709551616]", 2, 2, "`18446744073709551616`", text::INTEGER),
        ("[-9223372036854775809]", 1, 2, "`-9223372036854775809`", text::INTEGER),
        ("1e999", 1, 5, "number out of range", json),
    ];
    for (json, line, column, found, expected) in cases {
        let (found, expected) = (found.to_owned(), expected.to_owned());
        let error = SyntaxError { line, column, found, expected };
        assert_eq!(Parameter::from_json(json), Err(error), "{json}");
    }
    for json in ["7", "[\"f\", []]", "\"skip\""] {
        let error = Action::from_json(json).unwrap_err();
        assert_eq!(error.expected, "an object with `name` and `args`", "{json}");
    }
}

#[test]
fn values_and_other_documents_can_contain_them() {
    let action = Action::new("a", [f64::NAN.into(), vec![1.into(), 1.0.into()].into()]);
    let value = serde_json::to_value(&action).unwrap();
    assert_eq!(serde_json::from_value::<Action>(value).unwrap(), action);
}

#[test]
fn the_binary_form_is_text() {
    let percept = Percept::new("at", ["here".into(), (-1).into()]);
    let bytes = postcard::to_allocvec(&percept).unwrap();
    assert_eq!(bytes, b"\x0bat(here,-1)");
    assert_eq!(postcard::from_bytes::<Percept>(&bytes).unwrap(), percept);
}
