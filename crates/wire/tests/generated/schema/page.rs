//! The reference page of the protocol, in Markdown: an introduction written by hand, then the documentation of the
//! types.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use schemars::Schema;
use serde_json::Value;

use super::table::{has_fields, one_line, write_fields, write_parameters, write_values};
use super::words::{OF_THE_LANGUAGE, words};
use super::{Protocol, definition_name, references};
use situated_wire::methods::MethodDescription;
use situated_wire::{Code, Needs, Right};

const INTRODUCTION: &str = include_str!("introduction.md");

/// The text before the calls to hosts.
const CALLS_TO_HOSTS: &str = "\
The server calls the host of an environment in the order in which the host must do its tasks; each response repeats the `id` of its \
call. Besides the parameters listed here, each call has the name of the `environment`. The result `{}` means that the task is done. An \
error means that it is not done: the agent or manager that requested it gets the message. Code -32601 (no such method) means that the \
entity does not support the task; any other code means that it was tried and failed. Agents perceive what the host has reported, so a host reports changes \
with each response, or with [`update`](#update) at any time. The changes in a response after the deadline count, but no agent gets that response.\n";

/// The page.
pub(super) struct Page<'a>(pub(super) &'a Protocol);

impl Display for Page<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{INTRODUCTION}")?;
        self.write_overview(f)?;
        self.write_methods(f)?;
        self.write_notifications(f)?;
        self.write_calls_to_hosts(f)?;
        self.write_types(f)?;
        write_errors(f)
    }
}

impl Page<'_> {
    fn write_overview(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "## Methods\n\n| method | description |\n| --- | --- |")?;
        for method in &self.0.methods {
            let (name, anchor) = (method.name, method.name.to_ascii_lowercase());
            writeln!(f, "| [`{name}`](#{anchor}) | {} |", summary(&method.documentation))?;
        }
        writeln!(f)
    }

    fn write_methods(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for method in &self.0.methods {
            writeln!(f, "### `{}`\n\n{}\n", method.name, method.documentation)?;
            if let Some(rights) = rights(method) {
                writeln!(f, "{rights}\n")?;
            }
            let parameters = self.resolve(&method.parameters);
            if has_fields(parameters) {
                write_parameters(f, parameters)?;
            } else {
                writeln!(f, "It has no parameters.\n")?;
            }
            writeln!(f, "Answer:\n")?;
            write_fields(f, self.resolve(&method.answer))?;
        }
        Ok(())
    }

    fn write_notifications(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "## Notifications\n")?;
        for notification in &self.0.notifications {
            writeln!(f, "### Notification `{}`\n\n{}\n", notification.name, notification.documentation)?;
            write_fields(f, self.resolve(&notification.parameters))?;
        }
        Ok(())
    }

    fn write_calls_to_hosts(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "## Calls to hosts\n\n{CALLS_TO_HOSTS}")?;
        let call = self.resolve(&self.0.call_to_host);
        for kind in call["oneOf"].as_array().into_iter().flatten() {
            let documentation = kind["description"].as_str().unwrap_or_default();
            let fields = kind["properties"].as_object().and_then(|properties| properties.iter().next());
            let name = fields.map_or_else(|| kind["const"].as_str().unwrap_or_default(), |(name, _)| name);
            writeln!(f, "### Call `{name}`\n\n{documentation}\n")?;
            if let Some((_, fields)) = fields {
                write_parameters(f, fields)?;
            }
        }
        writeln!(f, "### Answer of a host\n")?;
        write_parameters(f, self.resolve(&self.0.answer_of_host))
    }

    fn write_types(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut names: BTreeSet<&str> = self.0.definitions.values().flat_map(references).collect();
        names.extend(references(self.0.error.as_value()));
        names.retain(|name| !OF_THE_LANGUAGE.contains(name));

        writeln!(f, "## Types\n")?;
        for name in names {
            let of = &self.0.definitions[name];
            writeln!(f, "### Type `{name}`\n\n{}\n", of["description"].as_str().unwrap_or_default())?;
            match of["oneOf"].as_array() {
                Some(alternatives) => write_values(f, alternatives)?,
                None if has_fields(of) => write_fields(f, of)?,
                None => writeln!(f, "It is written as {}.\n", words(of))?,
            }
        }
        Ok(())
    }

    /// Returns the definition that a reference names.
    fn resolve<'a>(&'a self, schema: &'a Schema) -> &'a Value {
        let name = schema.get("$ref").and_then(Value::as_str).and_then(definition_name);
        name.map_or(schema.as_value(), |name| &self.0.definitions[name])
    }
}

fn write_errors(f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "## Codes of errors\n\n| code | kind | meaning |\n| --- | --- | --- |")?;
    for code in Code::ALL {
        writeln!(f, "| {} | `{}` | {} |", *code as i32, code.kind(), one_line(code.documentation().trim()))?;
    }
    Ok(())
}

/// The first sentence.
fn summary(documentation: &str) -> String {
    let end = documentation.find(". ").map_or(documentation.len(), |at| at + 1);
    one_line(&documentation[..end])
}

/// The rights that a method needs; `None` for those that only concern the session.
fn rights(method: &MethodDescription) -> Option<String> {
    if matches!(method.name, "hello" | "bye" | "ping") {
        return None;
    }
    let name = |needs: &Needs| match needs {
        Needs::Nothing => "none".to_owned(),
        Needs::Right(right) => format!("`{right}`"),
        Needs::Either(Right::Act, other) | Needs::Either(other, Right::Act) => {
            format!("`act` for own agents and their entities, or `{other}`")
        }
        Needs::Either(right, other) => format!("`{right}` or `{other}`"),
    };
    match method.needs {
        [needs] => Some(format!("Right: {}.", name(needs))),
        several => {
            let names: Vec<String> = several.iter().map(name).collect();
            Some(format!("Right, depending on the parameters: {}.", names.join("; ")))
        }
    }
}
