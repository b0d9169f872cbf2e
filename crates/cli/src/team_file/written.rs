//! The form of a team file as TOML.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use serde::Deserialize;
use situated::iil::{EcoString, Parameter};
use situated::reading::Unreadable;
use toml::Spanned;

use super::mistake::Mistake;
use super::model::ModelProgram;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct Written {
    pub(super) environment: Spanned<String>,
    pub(super) seed: Option<u64>,
    pub(super) steps: Option<u64>,
    pub(super) pace: Option<Spanned<WrittenPace>>,
    pub(super) speed: Option<Spanned<WrittenSpeed>>,
    pub(super) patience: Option<Spanned<f64>>,
    pub(super) violations: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) parameters: BTreeMap<String, Parameter>,
    #[serde(default)]
    pub(super) agents: Vec<Spanned<WrittenRule>>,
    #[serde(default)]
    pub(super) conditions: Vec<WrittenCondition>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct WrittenCondition {
    pub(super) name: Spanned<String>,
    #[serde(default)]
    pub(super) parameters: BTreeMap<String, Parameter>,
    #[serde(default)]
    pub(super) agents: Vec<Spanned<WrittenRule>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected `reactive`, `lockstep`, `real-time` or a table such as { real-time = 50 }")]
pub(super) enum WrittenPace {
    Name(String),
    RealTime(RealTime),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RealTime {
    /// Steps per second.
    pub(super) real_time: f64,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected `max` or a number of steps per second")]
pub(super) enum WrittenSpeed {
    Number(f64),
    Word(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct WrittenRule {
    pub(super) entity: Option<EcoString>,
    #[serde(rename = "type")]
    pub(super) entity_type: Option<Spanned<EcoString>>,
    pub(super) count: Option<NonZeroUsize>,
    pub(super) program: Option<Spanned<EcoString>>,
    pub(super) options: Option<Spanned<BTreeMap<String, Parameter>>>,
    pub(super) command: Option<Spanned<Vec<String>>>,
    pub(super) file: Option<Spanned<String>>,
    pub(super) name: Option<Spanned<EcoString>>,
    pub(super) model: Option<Spanned<ModelProgram>>,
}

/// Reads the form without checking its meaning.
pub(super) fn read(text: &str) -> Result<Written, Mistake> {
    toml::from_str(text).map_err(|error| {
        let Unreadable { problem, .. } = Unreadable::in_toml(text, error.message(), error.span());
        Mistake::at(text, error.span().unwrap_or_default(), &problem)
    })
}

#[cfg(test)]
mod tests {
    use situated::iil::Function;

    use super::*;

    const ENVIRONMENT: &str = "environment = 'find-goals'\n";

    fn parameters(text: &str) -> BTreeMap<String, Parameter> {
        let text = format!("{ENVIRONMENT}[parameters]\n{text}");
        read(&text).unwrap_or_else(|mistake| panic!("{mistake}")).parameters
    }

    fn mistake(text: &str) -> String {
        read(text).err().expect("something is wrong").to_string()
    }

    #[test]
    fn values_of_toml_are_parameters() {
        for (text, expected) in [
            ("a = 'Room C1'", Parameter::from("Room C1")),
            ("a = 'true'", "true".into()),
            ("a = true", true.into()),
            ("a = 2", 2.into()),
            ("a = 2.0", 2.0.into()),
            ("a = -9223372036854775808", i64::MIN.into()),
            ("a = inf", f64::INFINITY.into()),
            ("a = [1, [2.0, 'b']]", Parameter::from(vec![1.into(), Parameter::from(vec![2.0.into(), "b".into()])])),
            ("a = []", Parameter::from(Vec::new())),
        ] {
            assert_eq!(parameters(text)["a"], expected, "{text}");
        }
    }

    #[test]
    fn functions_are_tables() {
        let inner = Parameter::from(Function::new("speed", [10.0.into()]));
        let expected = Parameter::from(Function::new("go", [1.into(), inner]));
        for text in [
            "a = { name = 'go', args = [1, { name = 'speed', args = [10.0] }] }",
            "[parameters.a]\nname = 'go'\nargs = [1, { args = [10.0], name = 'speed' }]",
        ] {
            assert_eq!(parameters(text)["a"], expected, "{text}");
        }
        assert_eq!(parameters("a = { name = 'f' }")["a"], Parameter::from(Function::new("f", [])));
    }

    #[test]
    fn values_that_are_not_parameters_are_errors() {
        let deep = format!("a = {}{}", "[".repeat(60), "]".repeat(60));
        for (text, place, expected) in [
            ("a = 9223372036854775808", "3, column 5", "expected an integer from -9223372036854775808 to"),
            ("a = 18446744073709551616", "3, column 5", "does not fit into 64 bits"),
            ("a = 1000000000000000000000000000000000000000000", "3, column 5", "does not fit into 64 bits"),
            ("a = 1e999", "3, column 5", "too large for a float"),
            ("a = [1, 1979-05-27]", "3, column 9", "a date or a time is not a parameter; write it as a string"),
            ("a = 07:32:00", "3, column 5", "a date or a time is not a parameter; write it as a string"),
            ("a = { nam = 'f' }", "3, column 5", "key `nam`, expected `name` or `args`"),
            ("a = { args = [1] }", "3, column 5", "an object without `name`"),
            (&deep, "3, column 53", "expected at most 48 levels"),
        ] {
            let mistake = mistake(&format!("{ENVIRONMENT}[parameters]\n{text}"));
            assert!(mistake.starts_with(&format!("line {place}: ")), "{mistake}");
            assert!(mistake.contains(expected), "{mistake}");
        }
    }

    #[test]
    fn mistyped_keys_and_values_get_a_suggestion() {
        for (text, expected) in [
            ("enviroment = 'a'", "line 1, column 1: unknown key `enviroment`, expected one of `environment`, `seed`,"),
            ("enviroment = 'a'", "; did you mean `environment`?"),
            ("environment = 'a'\nagent = []", "; did you mean `agents`?"),
            ("environment = 'a'\n[[agents]]\nentty = 'red'", "line 3, column 1: unknown key `entty`"),
            ("environment = 'a'\n[[agents]]\nentty = 'red'", "; did you mean `entity`?"),
        ] {
            let mistake = mistake(text);
            assert!(mistake.contains(expected), "{mistake}");
        }
    }

    #[test]
    fn errors_name_values_of_the_wrong_kind_in_terms_of_toml() {
        for (line, expected) in [
            ("seed = -1", "line 2, column 8: found `-1`, expected a whole number from 0"),
            ("seed = 1.5", "found `1.5`, expected a whole number from 0"),
            ("seed = 18446744073709551616", "does not fit into 64 bits"),
            ("steps = 'many'", "found \"many\", expected a whole number from 0"),
            ("patience = 'long'", "found \"long\", expected a number"),
            ("speed = true", "expected `max` or a number of steps per second"),
            ("pace = 50", "expected `reactive`, `lockstep`, `real-time` or a table such as { real-time = 50 }"),
            ("pace = { realtime = 50 }", "expected `reactive`, `lockstep`, `real-time` or a table"),
            ("parameters = 3", "found `3`, expected a table"),
            ("agents = {}", "found a table or a date, expected an array"),
            ("agents = [1]", "found `1`, expected a table"),
            ("[[agents]]\ncount = 0", "found `0`, expected a whole number from 1"),
            ("[[agents]]\ncommand = 'a b'", "found \"a b\", expected an array"),
            ("[[agents]]\ncommand = ['a', 3]", "line 3, column 17: found `3`, expected a string"),
        ] {
            let mistake = mistake(&format!("{ENVIRONMENT}{line}"));
            assert!(mistake.contains(expected), "{mistake}");
        }
    }

    #[test]
    fn texts_that_are_not_toml_are_errors() {
        for (text, expected) in [
            ("", "line 1, column 1: the key `environment` is missing; add it above all tables"),
            ("environment = find-goals", "line 1, column 15: write a string in quotes"),
            ("environment = other", "line 1, column 15: write a string in quotes"),
            ("environment = 'a'\nenvironment = 'b'", "line 2, column 1: this key occurs twice"),
            ("environment = 'a'\n[agents\n", "line 2, column 8: expected `]`"),
            ("environment = 'a'\n[[conditions]]\nparameters = {}", "line 2, column 1: the key `name` is missing"),
            ("environment = \"C:\\users\"", "line 1, column 20: a backslash in double quotes begins an escape"),
        ] {
            let mistake = mistake(text);
            assert!(mistake.starts_with(expected), "{mistake}");
        }
    }

    #[test]
    fn errors_repeat_little() {
        let long = "x".repeat(10_000);
        for text in [format!("seed = '{long}'"), format!("{long} = 1"), format!("[[agents]]\ncount = '{long}'")] {
            let mistake = mistake(&format!("{ENVIRONMENT}{text}"));
            assert!(mistake.len() < 600, "{mistake}");
        }
    }

    #[test]
    fn the_greatest_seed_can_be_written() {
        let written = read(&format!("{ENVIRONMENT}seed = 18446744073709551615")).unwrap_or_else(|it| panic!("{it}"));
        assert_eq!(written.seed, Some(u64::MAX));
    }
}
