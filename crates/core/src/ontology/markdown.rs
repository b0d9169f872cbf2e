//! An ontology as a reference page in Markdown.

use std::fmt::{self, Display, Formatter};

use super::{DeclaredProperty, EntityType, Field, NamedType, Ontology, Signature, Type};

impl Ontology {
    /// Returns a reference page: documentation, parameters, properties, actions and percepts of
    /// entities, types.
    pub fn to_markdown(&self) -> String {
        Page(self).to_string()
    }
}

struct Page<'a>(&'a Ontology);

impl Display for Page<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Page(ontology) = self;
        writeln!(f, "# {}\n\n{}\n", ontology.name, ontology.documentation)?;
        writeln!(f, "Version {}. {}{}\n", ontology.version, ontology.pace, relation(ontology))?;
        if !ontology.parameters.is_empty() {
            writeln!(f, "## Parameters\n")?;
            table(f, &ontology.parameters)?;
        }
        write_properties(f, "Properties", &ontology.properties)?;
        write_properties(f, "Properties of each entity", &ontology.entity_properties)?;
        for entity_type in &ontology.entity_types {
            write_entity_type(f, entity_type)?;
        }
        if !ontology.types.is_empty() {
            writeln!(f, "## Types\n")?;
            for (name, named) in &ontology.types {
                write_type(f, name, named)?;
            }
        }
        Ok(())
    }
}

fn write_properties(f: &mut Formatter<'_>, heading: &str, properties: &[DeclaredProperty]) -> fmt::Result {
    if properties.is_empty() {
        return Ok(());
    }
    writeln!(f, "## {heading}\n\n| property | meaning |\n| --- | --- |")?;
    for DeclaredProperty { name, documentation } in properties {
        writeln!(f, "| `{name}` | {} |", one_line(documentation))?;
    }
    writeln!(f)
}

fn write_entity_type(f: &mut Formatter<'_>, of: &EntityType) -> fmt::Result {
    writeln!(f, "## Entities of type `{}`\n\n{}\n", of.name, of.documentation)?;
    if !of.actions.is_empty() {
        writeln!(f, "### Actions\n")?;
        for action in &of.actions {
            write_signature(f, action, "")?;
        }
    }
    if !of.percepts.is_empty() {
        writeln!(f, "### Percepts\n")?;
        for percept in &of.percepts {
            write_signature(f, &percept.signature, &format!(" Sent {}.", percept.delivery))?;
        }
    }
    Ok(())
}

fn write_signature(f: &mut Formatter<'_>, signature: &Signature, announcement: &str) -> fmt::Result {
    writeln!(f, "#### `{signature}`\n\n{}{announcement}\n", signature.documentation)?;
    let documented = signature.parameters.iter().any(|field| !field.documentation.is_empty());
    if documented { table(f, &signature.parameters) } else { Ok(()) }
}

fn write_type(f: &mut Formatter<'_>, name: &str, named: &NamedType) -> fmt::Result {
    writeln!(f, "### `{name}`\n\n{}\n", named.documentation)?;
    match &named.of {
        Type::Choice(words) => {
            for word in words {
                writeln!(f, "- `{}` {}", word.name, one_line(&word.documentation))?;
            }
            writeln!(f)
        }
        Type::Function(signature) => {
            writeln!(f, "`{signature}`\n")?;
            table(f, &signature.parameters)
        }
        other => writeln!(f, "`{other}`\n"),
    }
}

fn table(f: &mut Formatter<'_>, fields: &[Field]) -> fmt::Result {
    writeln!(f, "| parameter | type | meaning |\n| --- | --- | --- |")?;
    for field in fields {
        let of = field.type_in_words().replace('|', "\\|");
        write!(f, "| `{}` | {of} | {}", field.name, one_line(&field.documentation))?;
        match (&field.default, field.optional) {
            (Some(default), _) => writeln!(f, " Default: `{}`. |", one_line(&default.to_string()))?,
            (None, true) => writeln!(f, " Optional. |")?,
            (None, false) => writeln!(f, " |")?,
        }
    }
    writeln!(f)
}

/// Returns documentation in a form that fits into a table cell or a list item.
fn one_line(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}

fn relation(ontology: &Ontology) -> &'static str {
    let restriction = ontology.relation;
    match (restriction.one_agent_per_entity, restriction.one_entity_per_agent) {
        (true, true) => " Each entity has at most one agent, and each agent at most one entity.",
        (true, false) => " Each entity has at most one agent.",
        (false, true) => " Each agent has at most one entity.",
        (false, false) => "",
    }
}
