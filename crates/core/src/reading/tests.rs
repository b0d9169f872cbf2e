use std::collections::BTreeMap;

use serde::Deserialize;

use super::*;
use crate::iil::Action;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum Command {
    Start,
    Init {
        #[serde(rename = "seed")]
        _seed: u64,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    #[serde(default, rename = "command")]
    _command: Option<Command>,
    #[serde(default, rename = "actions")]
    _actions: Vec<Action>,
    #[serde(default, rename = "flags")]
    _flags: BTreeMap<String, bool>,
}

fn mistake(text: &str) -> String {
    json::<Request>(text).expect_err(text).to_string()
}

#[test]
fn errors_of_json_say_place_and_problem() {
    let cases = [
        ("5", "line 1, column 1: found `5`, expected an object"),
        (
            r#"{"comand": "start"}"#,
            "line 1, column 9: unknown key `comand`, expected one of `command`, `actions`, \
                                   `flags`; did you mean `command`?",
        ),
        (r#"{"command": 5}"#, "line 1, column 13 (`command`): found `5`, expected `start` or `init`"),
        (r#"{"command": [1, 2]}"#, "line 1, column 13 (`command`): found `[1, 2]`, expected `start` or `init`"),
        (
            r#"{"command": {}}"#,
            "line 1, column 14 (`command`): found an object without a key, expected `start` or \
                                `init`",
        ),
        (
            r#"{"command": "strat"}"#,
            "line 1, column 19 (`command`): unknown value `strat`, expected `start` or \
                                     `init`; did you mean `start`?",
        ),
        (
            r#"{"command": "init"}"#,
            "line 1, column 18 (`command`): this name has contents; write an object with the \
                                    name as its key",
        ),
        (r#"{"command": {"start": {}}}"#, "line 1, column 22 (`command.start`): found an object, expected `null`"),
        (r#"{"command": {"init": {}}}"#, "line 1, column 23 (`command.init`): the key `seed` is missing"),
        (
            r#"{"command": {"init": {"seed": -1}}}"#,
            "line 1, column 32 (`command.init.seed`): found `-1`, expected a \
                                                    whole number from 0",
        ),
        (
            r#"{"command": {"init": {"seed": 1}, "start": null}}"#,
            "line 1, column 32 (`command.init`): expected an \
                                                                  object with exactly one key",
        ),
        (
            r#"{"actions": [{"name": "a"}, {"name": "b", "args": [1, [2, null]]}]}"#,
            "line 1, column 62 (`actions[1].args[1][1]`): found `null`, expected a parameter: a string, a number, a \
          truth value, a list or a function",
        ),
        (
            "{\n  \"flags\": {\"über all\": 1}\n}",
            "line 2, column 25 (`flags[\"über all\"]`): found `1`, expected true \
                                                  or false",
        ),
        (r#"{"flags": {"a": true"#, "line 1, column 21 (`flags.a`): the text ends inside an object"),
        (r#"{"flags": {"a": true,}}"#, "line 1, column 22 (`flags`): a comma is followed by no value; remove it"),
        (r#"{"flags": {'a': true}}"#, "line 1, column 12 (`flags`): expected a key: a string in double quotes"),
        (
            r#"{"flags": {"\x": true}}"#,
            "line 1, column 14 (`flags`): a backslash in a string begins an escape such as \
                                        \\n; write \\\\ for a backslash",
        ),
        ("{} {}", "line 1, column 4: there is more text after the end of the value; remove it"),
        ("", "line 1, column 1: the text ends where a value is expected"),
        ("GET / HTTP/1.1", "line 1, column 1: expected a value"),
    ];
    let wrong = cases.iter().filter(|(text, expected)| mistake(text) != *expected);
    let wrong: Vec<String> = wrong.map(|(text, _)| format!("{text}: {}", mistake(text))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn places_in_a_part_are_those_in_the_whole() {
    let whole = r#"[1, {"params": {"flags": {"a": 1}}}]"#;
    let part = &whole[15..whole.len() - 2];
    let unreadable = json_in::<Request>(whole, part).expect_err("1 is no truth value");
    let expected = "line 1, column 32 (`[1].params.flags.a`): found `1`, expected true or false";
    assert_eq!((unreadable.to_string().as_str(), unreadable.is_well_formed), (expected, true));
    let elsewhere = json_in::<Request>("", part).expect_err("1 is no truth value").to_string();
    assert!(elsewhere.starts_with("line 1, column 17 (`flags.a`): "), "{elsewhere}");
}

#[test]
fn only_texts_that_are_not_json_are_not_well_formed() {
    for (text, is_well_formed) in [(r#"{"command": 5}"#, true), ("5", true), ("{", false), (r#"{"command": x}"#, false)]
    {
        assert_eq!(json::<Request>(text).expect_err(text).is_well_formed, is_well_formed, "{text}");
    }
}

#[test]
fn errors_repeat_little() {
    let long = "x".repeat(10_000);
    for text in [
        format!(r#"{{"{long}": 1}}"#),
        format!(r#"{{"flags": {{"{long}": 1}}}}"#),
        format!(r#"{{"command": "{long}"}}"#),
        format!(r#"{{"flags": {{"a": "{long}"}}}}"#),
        "[".repeat(10_000),
    ] {
        let mistake = mistake(&text);
        assert!(mistake.len() < 400, "{mistake}");
    }
}

#[test]
fn mistakes_of_toml_are_reworded() {
    let problem = |message: &str| Unreadable::in_toml("a = 1\nb = 2\n", message, Some(6..7)).to_string();
    for (message, expected) in [
        ("too few unicode value digits, expected unicode hexadecimal value", "in single quotes, such as 'C:\\maps'"),
        ("missing escaped value, expected `b`, `e`, `f`", "a backslash in double quotes begins an escape"),
        ("invalid value, expected unicode hexadecimal value", "a backslash in double quotes begins an escape"),
        ("invalid type: integer `5`, expected a string", "line 2, column 1: found `5`, expected a string"),
        ("invalid type: map, expected a sequence", "found a table or a date, expected an array"),
        ("duplicate key", "this key occurs twice"),
        ("missing field `name`", "line 2, column 1: the key `name` is missing"),
    ] {
        let problem = problem(message);
        assert!(problem.contains(expected), "{problem}");
    }
    let first = Unreadable::in_toml("", "missing field `environment`", Some(0..0)).to_string();
    assert_eq!(first, "line 1, column 1: the key `environment` is missing; add it above all tables");
}
