//! Scenario files in TOML: the same contents as in the original's format, in the style of this project's files.
//!
//! Missing keys have the defaults of the original. A `size`, `speed`, `grippers` or `battery` in the file has an
//! effect, unless it is a table that disables it: `size = { value = 5, enabled = false }`.

use std::ops::Range;

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};
use serde::{Deserialize, Serialize};
use situated::reading::Unreadable;

use super::check::{FileFormat, Flaw, TeamPart};
use super::{Setting, Team};
use crate::xml::{FileError, excerpt};

/// A setting in its written form.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "it must be a number, or a table such as { value = 2, enabled = false }")]
pub(super) enum Written<T> {
    /// It has an effect.
    Value(T),
    /// A table that says whether it has an effect.
    Table(Table<T>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table<T> {
    value: T,
    #[serde(default = "yes")]
    enabled: bool,
}

/// The file that the command runs. It is a file of another kind, and called a team, too.
#[derive(Deserialize)]
struct TeamFile {
    #[serde(rename = "environment")]
    _environment: String,
}

const OTHER_FILE: &str = "it is a team file, which `situated run FILE` takes, since it names an environment; a team of \
                          robots has [[bots]] and [[epartners]]";

impl Team {
    /// Reads a scenario file in TOML, and [checks](Team::check) it.
    ///
    /// ```
    /// let team = situated_bw4t::team::Team::from_toml(
    ///     r#"
    ///     [[bots]]
    ///     name = "Big"
    ///     amount = 2
    ///     size = 3                      # units, 1 to 5
    ///     speed = 80                    # percent of the greatest
    ///     grippers = 3                  # { value = 1, enabled = false } disables the gripper
    ///     battery = { capacity = 20 }   # and `use`, in units a step, if it is not to follow from size and speed
    ///     color-blind = true
    ///
    ///     [[bots]]
    ///     name = "Operator"
    ///     type = "human"
    ///
    ///     [[epartners]]
    ///     name = "Guide"
    ///     gps = true
    ///     forget-me-not = true
    ///     "#,
    /// )?;
    /// assert_eq!(team.bots[0].build().speed, 0.8);
    /// # Ok::<(), situated_bw4t::FileError>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the text is not TOML, contains an unknown key or a value of the wrong type, or if the team
    /// is invalid. Errors name a line and a key: `line 12, [[bots]] Big: size ...`.
    pub fn from_toml(text: &str) -> Result<Self, FileError> {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let team: Self = ::toml::from_str(text).map_err(|error| {
            if let Ok(TeamFile { .. }) = ::toml::from_str(text) {
                return FileError { line: None, part: "the document".to_owned(), problem: OTHER_FILE.to_owned() };
            }
            let Unreadable { line, problem, .. } = Unreadable::in_toml(text, error.message(), error.span());
            FileError {
                line: Some(line),
                part: excerpt(text.lines().nth(line - 1).unwrap_or_default().trim()),
                problem,
            }
        })?;
        team.find_flaw().map_err(|flaw| {
            let line = place_of(text, &flaw).map(|span| line_of(text, span.start));
            flaw.error(&team, FileFormat::Toml, line)
        })?;
        Ok(team)
    }

    /// Returns the team as a scenario file in TOML, without default values. [`Team::from_toml`] reads it as an equal
    /// team, if this one is [sound](Team::check).
    pub fn to_toml(&self) -> String {
        ::toml::to_string(self).expect("TOML can say all that a team says")
    }
}

impl<T> From<Written<T>> for Setting<T> {
    fn from(written: Written<T>) -> Self {
        match written {
            Written::Value(value) => Self { value, enabled: true },
            Written::Table(Table { value, enabled }) => Self { value, enabled },
        }
    }
}

impl<T> From<Setting<T>> for Written<T> {
    fn from(Setting { value, enabled }: Setting<T>) -> Self {
        if enabled { Written::Value(value) } else { Written::Table(Table { value, enabled }) }
    }
}

fn yes() -> bool {
    true
}

/// Returns the range of the faulty value in the text, or of the part that contains it.
fn place_of(text: &str, flaw: &Flaw) -> Option<Range<usize>> {
    let document = DeTable::parse(text).ok()?;
    let table = match flaw.place {
        TeamPart::Team => return place_in(document.get_ref(), flaw.field.key),
        TeamPart::Bots(index) => entry(document.get_ref(), "bots", index),
        TeamPart::Partners(index) => entry(document.get_ref(), "epartners", index),
    }?;
    let place = table.get_ref().as_table().and_then(|table| place_in(table, flaw.field.key));
    Some(place.unwrap_or_else(|| table.span()))
}

fn entry<'a, 'i>(document: &'a DeTable<'i>, array: &str, index: usize) -> Option<&'a Spanned<DeValue<'i>>> {
    document.get(array)?.get_ref().as_array()?.get(index)
}

/// Returns the range of a key's value, or of the innermost table around it.
fn place_in(table: &DeTable<'_>, key: &str) -> Option<Range<usize>> {
    let (first, rest) = key.split_once('.').unwrap_or((key, ""));
    let value = table.get(first)?;
    let within = value.get_ref().as_table().and_then(|table| place_in(table, rest));
    Some(within.unwrap_or_else(|| value.span()))
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}
