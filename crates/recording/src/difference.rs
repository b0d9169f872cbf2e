//! The differences between two states: as JSON, path by path.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// Maximum number of listed differences; the others are counted.
const LISTED: usize = 10;

/// Maximum number of characters of a value that are shown.
const SHOWN: usize = 60;

/// The differences between two states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Differences {
    /// The first ten.
    pub listed: Vec<ValueDifference>,
    /// The number of further differences.
    pub more: usize,
}

/// A place at which two states differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValueDifference {
    /// The path: `world.maze.red`, `context.entities[2].name`.
    pub path: String,
    /// The recorded value as JSON, shortened; `None` if it is missing.
    pub recorded: Option<String>,
    /// The value in the replay, as JSON, shortened; `None` if it is missing.
    pub replayed: Option<String>,
}

impl Differences {
    /// Compares two states.
    pub(crate) fn between(recorded: &Value, replayed: &Value) -> Self {
        let mut differences = Self::default();
        differences.compare("", Some(recorded), Some(replayed));
        differences
    }

    fn compare(&mut self, path: &str, recorded: Option<&Value>, replayed: Option<&Value>) {
        match (recorded, replayed) {
            (recorded, replayed) if recorded == replayed => {}
            (Some(Value::Object(before)), Some(Value::Object(after))) => {
                let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
                for key in keys {
                    let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    self.compare(&path, before.get(key), after.get(key));
                }
            }
            (Some(Value::Array(before)), Some(Value::Array(after))) => {
                for index in 0..before.len().max(after.len()) {
                    self.compare(&format!("{path}[{index}]"), before.get(index), after.get(index));
                }
            }
            (recorded, replayed) => self.note(path, recorded, replayed),
        }
    }

    fn note(&mut self, path: &str, recorded: Option<&Value>, replayed: Option<&Value>) {
        if self.listed.len() == LISTED {
            self.more += 1;
            return;
        }
        let (recorded, replayed) = (recorded.map(shorten), replayed.map(shorten));
        self.listed.push(ValueDifference { path: path.into(), recorded, replayed });
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.listed.is_empty() {
            return f.write_str("\n  the difference is not visible in JSON");
        }
        for difference in &self.listed {
            write!(f, "\n  {difference}")?;
        }
        if self.more > 0 {
            write!(f, "\n  and {} more", self.more)?;
        }
        Ok(())
    }
}

impl fmt::Display for ValueDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_nothing = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".into());
        write!(f, "{}: {} recorded, {} replayed", self.path, or_nothing(&self.recorded), or_nothing(&self.replayed))
    }
}

fn shorten(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::*;

    #[test]
    fn differences_are_named_by_their_paths() {
        let recorded = json!({ "environment": { "maze": { "red": 17, "blue": 3 }, "goals": [1, 2] } });
        let replayed = json!({ "environment": { "maze": { "red": 18, "blue": 3 }, "goals": [1], "new": "x" } });
        let shown = Differences::between(&recorded, &replayed).to_string();
        assert_eq!(
            shown,
            "\n  environment.goals[1]: 2 recorded, nothing replayed\
             \n  environment.maze.red: 17 recorded, 18 replayed\
             \n  environment.new: nothing recorded, \"x\" replayed"
        );
    }

    #[test]
    fn lists_ten_differences_and_counts_the_others() {
        let differences = Differences::between(&json!(vec![0; 25]), &json!(vec![1; 25]));
        assert_eq!((differences.listed.len(), differences.more), (10, 15));
        assert!(differences.to_string().ends_with("\n  and 15 more"));
    }

    #[test]
    fn long_values_are_shortened_between_characters() {
        let long = "é".repeat(1000);
        let differences = Differences::between(&json!(long), &json!(1));
        assert_eq!(differences.listed[0].recorded.as_deref().map(|shown| shown.chars().count()), Some(63));
    }
}
