//! The registered environments: how arguments name them, and `situated list`.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::sync::OnceLock;

use anyhow::anyhow;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use situated::names::{did_you_mean, nearest};
use situated_registry::{Registered, Registry};
use situated_server::Kinds;

use crate::table;
use crate::usage::wrong_usage;

/// The environments of this process. A static, because clap makes argument parsers before a registry could be passed
/// to them.
static REGISTRY: OnceLock<Registry> = OnceLock::new();

/// Makes this the registry of the command, unless it has one already.
pub(crate) fn register(registry: impl FnOnce() -> Registry) {
    REGISTRY.get_or_init(registry);
}

/// Returns the registry.
pub(crate) fn registry() -> &'static Registry {
    #[cfg(test)]
    register(situated_registry::shipped);
    REGISTRY.get_or_init(Registry::new)
}

/// Finds the environment with this name.
pub(crate) fn find(name: &str) -> Option<&'static Registered> {
    registry().find(name)
}

/// Returns a parser for the name of an environment.
pub(crate) fn parser() -> impl TypedValueParser<Value = &'static Registered> {
    names().try_map(|name| find(&name).ok_or("there is no such environment"))
}

/// Returns a parser for the name of an environment that keeps it as text.
pub(crate) fn names() -> PossibleValuesParser {
    let possible = |registered: &'static Registered| {
        PossibleValue::new(&registered.ontology.name).help(registered.ontology.summary())
    };
    PossibleValuesParser::new(registry().environments().map(possible))
}

/// Returns the kinds of environments that managers can create: those of the registry.
pub(crate) fn kinds() -> Kinds {
    registry().environments().fold(Kinds::new(), with_kind)
}

/// Adds the kind of an environment.
pub(crate) fn with_kind(kinds: Kinds, one: &Registered) -> Kinds {
    let make = one.interface.clone();
    kinds.with(one.ontology.clone(), move || make()).with_agents(one.agents.clone())
}

/// Asks the user for an environment if the command line does not name one.
///
/// # Errors
/// Returns an error that lists the environments if the input or output is not a terminal.
pub(crate) fn choose() -> anyhow::Result<&'static Registered> {
    let all: Vec<&'static Registered> = registry().environments().collect();
    if all.is_empty() || !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        let names: String = all.iter().map(|one| format!("\n  {}", one.ontology.name)).collect();
        return Err(wrong_usage(&anyhow!("the name of an environment is missing; name one of these:{names}")).into());
    }
    let rows = all.iter().zip(1..).map(|(one, number)| {
        let summary = one.ontology.summary().replace('\n', " ");
        [number.to_string(), one.ontology.name.clone(), summary]
    });
    let rows: Vec<_> = rows.collect();
    eprint!("{}", table::render(&rows, 2, table::window().0));
    loop {
        eprint!("Which environment? [1] ");
        let mut answer = String::new();
        if io::stdin().read_line(&mut answer)? == 0 {
            return Err(wrong_usage(&anyhow!("the name of an environment is missing")).into());
        }
        let answer = answer.trim();
        let number = if answer.is_empty() { Some(1) } else { answer.parse::<usize>().ok() };
        let numbered = number.and_then(|number| all.get(number.checked_sub(1)?)).copied();
        match numbered.or_else(|| find(answer)) {
            Some(environment) => return Ok(environment),
            None => {
                let meant = did_you_mean(nearest(answer, all.iter().map(|one| one.ontology.name.as_str())));
                eprintln!("There is no environment `{answer}`{meant}");
            }
        }
    }
}

/// Prints a table of the environments, group by group.
pub(crate) fn list() -> anyhow::Result<()> {
    let groups: BTreeSet<&str> = registry().environments().map(|one| one.group).collect();
    let line = |title: &str| [title.to_owned(), String::new(), String::new()];
    let rows = groups.into_iter().flat_map(|group| {
        let title = (!group.is_empty()).then(|| [line(""), line(group)]).into_iter().flatten();
        title.chain(registry().environments().filter(move |one| one.group == group).map(row))
    });
    Ok(table::print(["NAME", "ENTITIES", "SUMMARY"], rows)?)
}

fn row(registered: &Registered) -> [String; 3] {
    let ontology = &registered.ontology;
    let entity_types: Vec<&str> = ontology.entity_types.iter().map(|of| of.name.as_str()).collect();
    [ontology.name.clone(), entity_types.join(", "), ontology.summary().replace('\n', " ")]
}
