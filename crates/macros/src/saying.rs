//! Templates of sentences: `#[percept(say = "You are in {room}.")]`.

use syn::{Error, LitStr, Result};

use crate::fields::Field;

/// Checks that a template is a sentence whose braces name parameters that a percept always has.
pub(crate) fn check(template: &LitStr, fields: &[Field]) -> Result<()> {
    let refuse = |message: String| Err(Error::new(template.span(), message));
    let text = template.value();
    if text.trim().is_empty() || text.contains('\n') {
        return refuse("expected a sentence on one line".to_owned());
    }
    let mut rest = text.as_str();
    while let Some(place) = rest.find(['{', '}']) {
        let Some(opened) = rest[place..].strip_prefix('{') else {
            return refuse("`}` without `{`".to_owned());
        };
        let Some((name, after)) = opened.split_once('}') else {
            return refuse("`{` without `}`".to_owned());
        };
        rest = after;
        let names: Vec<String> = fields.iter().map(|field| field.name.value()).collect();
        match fields.iter().find(|field| field.name.value() == name) {
            Some(field) if field.optional => {
                return refuse(format!("`{name}` is optional, so it may be missing in the sentence"));
            }
            Some(_) => {}
            None if names.is_empty() => return refuse(format!("`{{{name}}}`: this percept has no parameters")),
            None => {
                return refuse(format!("there is no parameter `{name}`, expected one of: {}", names.join(", ")));
            }
        }
    }
    Ok(())
}
