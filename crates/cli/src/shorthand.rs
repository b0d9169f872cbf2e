//! Short forms of parameters: `--robots 3` for `--param robots=3`, if the environment on the command line has the
//! parameter `robots` and the command has no such option.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use clap::error::ErrorKind;
use clap::{Command, Error};
use situated::names::nearest;
use situated::ontology::{Ontology, Type};

use crate::environments::registry;
use crate::python::PythonFile;

/// Replaces the short forms in the words of the command line.
///
/// # Errors
/// Returns an error if an option is unknown and similar to a parameter, since clap would not suggest parameters.
pub(crate) fn write_out(words: impl Iterator<Item = OsString>, command: &Command) -> Result<Vec<OsString>, Error> {
    let words: Vec<OsString> = words.collect();
    let known = words
        .get(1)
        .and_then(|name| command.find_subcommand(name))
        .map(|command| options(words.get(2).and_then(|name| command.find_subcommand(name)).unwrap_or(command)));
    // A name in other letters gets an error of its own, which its options must not hide.
    let is_meant = |name: &str| words.iter().any(|word| word.eq_ignore_ascii_case(name));
    let named = registry().environments().map(|one| &one.ontology).filter(|ontology| is_meant(&ontology.name));
    let ontologies: Vec<&Ontology> = named.collect();
    let is_team =
        ontologies.is_empty() && words.iter().any(|word| Path::new(word).extension().is_some_and(|of| of == "toml"));
    let is_python =
        ontologies.is_empty() && words.iter().any(|word| word.to_str().and_then(PythonFile::named).is_some());
    let Some(known) = known.filter(|known| known.contains("param")) else { return Ok(words) };
    let mut written = Vec::with_capacity(words.len());
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        let declared = word.to_str().and_then(|word| parameter(word, &known, &ontologies));
        let undeclared = || word.to_str().filter(|_| is_python).and_then(|word| undeclared(word, &known));
        let Some((name, value, is_flag)) = declared.or_else(undeclared) else {
            let mistaken = |word| {
                if is_team { without_ontology(word, &known) } else { mistyped(word, &known, &ontologies) }
            };
            if let Some(error) = word.to_str().and_then(mistaken) {
                return Err(error);
            }
            written.push(word);
            continue;
        };
        let follows = words.peek().and_then(|next| next.to_str()).is_some_and(|next| !next.starts_with("--"));
        let value = match value {
            Some(value) => value.to_owned(),
            None if !follows && is_flag => "true".to_owned(),
            None => words.next().and_then(|value| value.into_string().ok()).unwrap_or_default(),
        };
        written.extend(["--param".into(), format!("{name}={value}").into()]);
    }
    Ok(written)
}

/// Returns the error for an unknown option that is more similar to a parameter than to any option.
fn mistyped(word: &str, known: &BTreeSet<String>, ontologies: &[&Ontology]) -> Option<Error> {
    let name = unknown(word, known)?;
    let parameters = ontologies.iter().flat_map(|ontology| &ontology.parameters);
    let parameters: Vec<String> = parameters.map(|field| short_form(&field.name)).collect();
    let all = parameters.iter().chain(known).map(String::as_str);
    let meant = nearest(name, all).filter(|meant| !known.contains(*meant))?;
    let message = format!("unexpected argument `--{name}`; did you mean `--{meant}`?\n");
    Some(Error::raw(ErrorKind::UnknownArgument, message))
}

/// Returns the error for an unknown option beside a team file, whose environment is not known yet.
fn without_ontology(word: &str, known: &BTreeSet<String>) -> Option<Error> {
    let name = unknown(word, known).filter(|name| nearest(name, known.iter().map(String::as_str)).is_none())?;
    let message = format!("unexpected argument `--{name}`; with a team file, use `--param {name}=VALUE`\n");
    Some(Error::raw(ErrorKind::UnknownArgument, message))
}

/// Returns the name of an option that the command does not have.
fn unknown<'a>(word: &'a str, known: &BTreeSet<String>) -> Option<&'a str> {
    let option = word.strip_prefix("--")?;
    let name = option.split_once('=').map_or(option, |(name, _)| name);
    (!known.contains(name) && !["", "help"].contains(&name)).then_some(name)
}

/// Returns the options of a command, without hyphens.
fn options(command: &Command) -> BTreeSet<String> {
    command.get_arguments().filter_map(|argument| argument.get_long()).map(str::to_owned).collect()
}

/// The name of a parameter, its value if the word contains it, and whether it may be a truth value.
type Named<'a> = (&'a str, Option<&'a str>, bool);

/// Returns the parameter that a word names.
fn parameter<'a>(word: &'a str, known: &BTreeSet<String>, ontologies: &[&'a Ontology]) -> Option<Named<'a>> {
    let option = word.strip_prefix("--")?;
    let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
    let mut fields = ontologies.iter().flat_map(|ontology| &ontology.parameters);
    let field = fields.find(|field| !known.contains(name) && short_form(&field.name) == name)?;
    Some((&field.name, value, field.of == Type::TruthValue))
}

/// Returns the parameter that a word names beside a Python file, which is not loaded yet: one that is not similar to an
/// option.
fn undeclared<'a>(word: &'a str, known: &BTreeSet<String>) -> Option<Named<'a>> {
    let name = unknown(word, known).filter(|name| nearest(name, known.iter().map(String::as_str)).is_none())?;
    Some((name, word.split_once('=').map(|(_, value)| value), true))
}

/// Returns the name of the short form of a parameter: `wait-at-doors` for `waitAtDoors`.
pub(crate) fn short_form(name: &str) -> String {
    let mut kebab = String::with_capacity(name.len() + 4);
    for character in name.chars() {
        if character.is_uppercase() {
            kebab.push('-');
        }
        kebab.extend(character.to_lowercase());
    }
    kebab
}

#[cfg(test)]
mod tests {
    use clap::{Arg, ArgAction};

    use super::*;

    fn written(text: &str) -> Result<String, String> {
        let option = |name: &'static str| Arg::new(name).long(name).action(ArgAction::Append);
        let run = Command::new("run").args([option("param"), option("seed")]);
        let command = Command::new("situated").subcommands([run, Command::new("list")]);
        let words = write_out(text.split(' ').map(OsString::from), &command).map_err(|error| error.to_string())?;
        Ok(words.iter().map(|word| word.to_str().expect("a text")).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn short_forms_of_the_named_environments_parameters_are_expanded() {
        for (given, expected) in [
            ("situated run find-goals --view global", "situated run find-goals --param view=global"),
            ("situated run --view=global find-goals", "situated run --param view=global find-goals"),
            ("situated run find-goals --seed 3", "situated run find-goals --seed 3"),
            ("situated run find-goals --colour red", "situated run find-goals --colour red"),
            ("situated run find-goals --sed 3", "situated run find-goals --sed 3"),
            ("situated run --view global", "situated run --view global"),
            ("situated list find-goals --view global", "situated list find-goals --view global"),
            ("situated run shop.py --length 3", "situated run shop.py --param length=3"),
            ("situated run a/shop.py:Shop --big --sed 3", "situated run a/shop.py:Shop --param big=true --sed 3"),
            ("situated", "situated"),
        ] {
            assert_eq!(written(given).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn a_mistyped_parameter_is_suggested() {
        for given in ["situated run find-goals --veiw global", "situated run --views=global find-goals"] {
            let error = written(given).expect_err("there is no such option");
            assert!(error.contains("did you mean `--view`?"), "{error}");
        }
    }

    #[test]
    fn the_long_form_is_named_beside_a_team_file() {
        for given in ["situated run team.toml --view local", "situated run --view=local teams/team.toml"] {
            let error = written(given).expect_err("the environment is not known");
            assert!(error.contains("with a team file, use `--param view=VALUE`"), "{error}");
        }
        // The parser suggests options.
        assert!(written("situated run team.toml --sed 3").is_ok());
    }

    #[test]
    fn names_are_in_kebab_case() {
        assert_eq!(short_form("waitAtDoors"), "wait-at-doors");
    }
}
