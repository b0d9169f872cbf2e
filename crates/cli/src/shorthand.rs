//! Parameters of environments as options of their own: `--robots 3` for `--param robots=3`, wherever an environment is named
//! that has such a parameter and the command has no such option.

use std::collections::BTreeSet;
use std::ffi::OsString;

use clap::Command;
use situated::ontology::{Field, Ontology, Type};

use crate::environments;

/// The words of the command line, with such options written out.
pub(crate) fn write_out(words: impl Iterator<Item = OsString>, command: &Command) -> Vec<OsString> {
    let words: Vec<OsString> = words.collect();
    let known = words.get(1).and_then(|name| command.find_subcommand(name)).map(options);
    let named = words.iter().filter_map(|word| environments::find(word.to_str()?)).map(|one| &one.ontology);
    let ontologies: Vec<&Ontology> = named.collect();
    let Some(known) = known.filter(|known| known.contains("param")) else { return words };
    let mut written = Vec::with_capacity(words.len());
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        let Some((field, value)) = word.to_str().and_then(|word| parameter(word, &known, &ontologies)) else {
            written.push(word);
            continue;
        };
        let follows = words.peek().and_then(|next| next.to_str()).is_some_and(|next| !next.starts_with("--"));
        let value = match value {
            Some(value) => value.to_owned(),
            None if !follows && field.of == Type::TruthValue => "true".to_owned(),
            None => words.next().and_then(|value| value.into_string().ok()).unwrap_or_default(),
        };
        written.extend(["--param".into(), format!("{}={value}", field.name).into()]);
    }
    written
}

/// The options of a command, without their hyphens.
fn options(command: &Command) -> BTreeSet<String> {
    command.get_arguments().filter_map(|argument| argument.get_long()).map(str::to_owned).collect()
}

/// The parameter that a word stands for, with its value if that is in the same word.
fn parameter<'a>(
    word: &'a str,
    known: &BTreeSet<String>,
    ontologies: &[&'a Ontology],
) -> Option<(&'a Field, Option<&'a str>)> {
    let option = word.strip_prefix("--")?;
    let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
    let mut fields = ontologies.iter().flat_map(|ontology| &ontology.parameters);
    let field = fields.find(|field| !known.contains(name) && kebab(&field.name) == name)?;
    Some((field, value))
}

/// `wait-at-doors` for `waitAtDoors`.
fn kebab(name: &str) -> String {
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

    fn written(text: &str) -> String {
        let option = |name: &'static str| Arg::new(name).long(name).action(ArgAction::Append);
        let run = Command::new("run").args([option("param"), option("seed")]);
        let command = Command::new("situated").subcommands([run, Command::new("list")]);
        let words = write_out(text.split(' ').map(OsString::from), &command);
        words.iter().map(|word| word.to_str().expect("a text")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn parameters_of_the_environment_that_is_named_are_written_out() {
        for (given, expected) in [
            ("situated run find-goals --view global", "situated run find-goals --param view=global"),
            ("situated run --view=global find-goals", "situated run --param view=global find-goals"),
            ("situated run find-goals --seed 3", "situated run find-goals --seed 3"),
            ("situated run find-goals --views global", "situated run find-goals --views global"),
            ("situated run --view global", "situated run --view global"),
            ("situated list find-goals --view global", "situated list find-goals --view global"),
            ("situated", "situated"),
        ] {
            assert_eq!(written(given), expected);
        }
    }

    #[test]
    fn names_are_in_kebab_case() {
        assert_eq!(kebab("waitAtDoors"), "wait-at-doors");
    }
}
