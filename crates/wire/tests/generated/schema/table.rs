//! Tables of the reference page: the fields of an object, and the values of a type that has a choice of them.

use std::fmt::{self, Formatter};

use serde_json::Value;

use super::words::{words, words_but_none};

/// A field of an object.
struct Field<'a> {
    name: &'a str,
    of: &'a Value,
    required: bool,
}

impl Field<'_> {
    /// Returns the description, with the default.
    fn meaning(&self) -> String {
        match &self.of["default"] {
            Value::Null => description(self.of),
            default => format!("{} Default: `{default}`.", description(self.of)),
        }
    }

    /// The row of a table, without its borders.
    fn row(&self) -> String {
        let Self { name, of, required } = self;
        match required {
            true => format!("`{name}` | {} | {}", words(of), self.meaning()),
            false => format!("`{name}` | {} | {} Optional.", words_but_none(of), self.meaning()),
        }
    }
}

/// Writes the parameters of a method, and whether each is required.
pub(super) fn write_parameters(f: &mut Formatter<'_>, of: &Value) -> fmt::Result {
    writeln!(f, "| parameter | type | required | meaning |\n| --- | --- | --- | --- |")?;
    for field in fields(of) {
        let required = if field.required { "yes" } else { "no" };
        writeln!(f, "| `{}` | {} | {required} | {} |", field.name, words(field.of), field.meaning())?;
    }
    writeln!(f)
}

/// Writes the fields of an object.
pub(super) fn write_fields(f: &mut Formatter<'_>, of: &Value) -> fmt::Result {
    writeln!(f, "| field | type | meaning |\n| --- | --- | --- |")?;
    for field in fields(of) {
        writeln!(f, "| {} |", field.row())?;
    }
    writeln!(f)
}

/// Writes the alternative values. Those with fields are described below.
pub(super) fn write_values(f: &mut Formatter<'_>, alternatives: &[Value]) -> fmt::Result {
    writeln!(f, "| value | meaning |\n| --- | --- |")?;
    for alternative in alternatives {
        writeln!(f, "| {} | {} |", value(alternative), description(alternative))?;
    }
    writeln!(f)?;
    let with_fields: Vec<_> = alternatives.iter().filter_map(tag).filter(|(_, content)| has_fields(content)).collect();
    if with_fields.is_empty() {
        return Ok(());
    }
    writeln!(f, "| value | field | type | meaning |\n| --- | --- | --- | --- |")?;
    for (tag, content) in with_fields {
        for field in fields(content) {
            writeln!(f, "| `{tag}` | {} |", field.row())?;
        }
    }
    writeln!(f)
}

/// Whether an object can have fields.
pub(super) fn has_fields(of: &Value) -> bool {
    !fields(of).is_empty()
}

fn description(of: &Value) -> String {
    one_line(of["description"].as_str().unwrap_or_default())
}

/// Returns text as it can be written in a table cell.
pub(super) fn one_line(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}

/// Returns the fields of an object: required ones in the order of declaration, then the rest by name.
fn fields(of: &Value) -> Vec<Field<'_>> {
    let Some(properties) = of["properties"].as_object() else { return Vec::new() };
    let required: Vec<&str> = of["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let optional = properties.keys().map(String::as_str).filter(|name| !required.contains(name));
    let all = required.iter().map(|name| (*name, true)).chain(optional.map(|name| (name, false)));
    all.map(|(name, required)| Field { name, of: &properties[name], required }).collect()
}

/// One of several values, as it is written.
fn value(alternative: &Value) -> String {
    match tag(alternative) {
        None => format!("`{}`", alternative["const"]),
        Some((name, content)) if content["type"] != "object" => format!("`{{\"{name}\": …}}`: {}", words(content)),
        Some((name, content)) => {
            let fields = fields(content).iter().map(|field| format!("\"{}\": …", field.name)).collect::<Vec<_>>();
            format!("`{{\"{name}\": {{{}}}}}`", fields.join(", "))
        }
    }
}

/// Returns the only key of an object that is one of several values, and its value.
fn tag(alternative: &Value) -> Option<(&str, &Value)> {
    let properties = alternative["properties"].as_object()?;
    properties.iter().next().map(|(name, content)| (name.as_str(), content))
}
