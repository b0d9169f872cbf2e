//! SL0 contents. Their text is that of the values of parameters: words, texts, numbers, times, and lists of these.

use situated_acl::{Expression, Word, string};

use crate::names::local;

/// Reads a text that is exactly one value.
pub(crate) fn read(text: &str) -> Option<Expression<'static>> {
    string::read_expression(text.as_bytes()).map(Expression::into_owned)
}

/// Writes a value.
pub(crate) fn write(value: &Expression<'_>) -> String {
    let mut out = Vec::new();
    // Values that were read can be written.
    let _ = string::write_expression(value, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// A functional term or an action: its name and its arguments.
pub(crate) fn term<'e>(value: &'e Expression<'static>) -> Option<(&'e str, &'e [Expression<'static>])> {
    match value {
        Expression::List(values) => match values.as_slice() {
            [Expression::Word(name), arguments @ ..] => Some((name.as_str(), arguments)),
            _ => None,
        },
        _ => None,
    }
}

/// The arguments of a functional term with this name.
pub(crate) fn arguments<'e>(value: &'e Expression<'static>, name: &str) -> Option<&'e [Expression<'static>]> {
    term(value).filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, arguments)| arguments)
}

/// The names and values of parameters such as `:name ada`. Returns `None` if the arguments have another form.
pub(crate) fn slots<'e>(
    arguments: &'e [Expression<'static>],
) -> Option<impl Iterator<Item = (&'e str, &'e Expression<'static>)>> {
    let is_name = |value: &Expression<'_>| matches!(value, Expression::Word(word) if word.as_str().starts_with(':'));
    let are_pairs = arguments.len().is_multiple_of(2) && arguments.iter().step_by(2).all(is_name);
    are_pairs.then(|| {
        arguments.chunks_exact(2).map(|pair| (pair[0].as_text().unwrap_or_default().trim_start_matches(':'), &pair[1]))
    })
}

/// The value of the parameter with this name.
pub(crate) fn slot<'e>(arguments: &'e [Expression<'static>], name: &str) -> Option<&'e Expression<'static>> {
    slots(arguments)?.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// The value of the parameter with this name in a functional term, to change it.
pub(crate) fn slot_mut<'e>(term: &'e mut [Expression<'static>], name: &str) -> Option<&'e mut Expression<'static>> {
    let is_name = |one: &Expression<'_>| {
        one.as_text().and_then(|text| text.strip_prefix(':')).is_some_and(|found| found.eq_ignore_ascii_case(name))
    };
    term.get_mut(1..)?.chunks_exact_mut(2).find(|pair| is_name(&pair[0])).map(|pair| &mut pair[1])
}

/// The name in an agent identifier.
pub(crate) fn agent_name(value: &Expression<'static>) -> Option<String> {
    slot(arguments(value, "agent-identifier")?, "name")?.as_text().map(str::to_owned)
}

/// A value that calls the agents of this platform by the names that they have on it.
pub(crate) fn localized(value: &Expression<'static>, platform: &str) -> Expression<'static> {
    renamed(value, &|name| local(name, platform).to_owned())
}

/// A value that calls agents by other names.
pub(crate) fn renamed(value: &Expression<'static>, rename: &dyn Fn(&str) -> String) -> Expression<'static> {
    let Expression::List(values) = value else { return value.clone() };
    let mut values: Vec<_> = values.iter().map(|one| renamed(one, rename)).collect();
    if arguments(value, "agent-identifier").is_some()
        && let Some(name) = slot_mut(&mut values, "name")
        && let Some(text) = name.as_text()
    {
        *name = rename(text).into();
    }
    values.into()
}

/// A word that is known to be one.
pub(crate) fn word(text: &'static str) -> Expression<'static> {
    match Word::new(text) {
        Ok(word) => Expression::Word(word),
        Err(_) => Expression::String(text.into()),
    }
}

/// An agent identifier with only a name.
pub(crate) fn agent(name: &str) -> Expression<'static> {
    vec![word("agent-identifier"), word(":name"), name.to_owned().into()].into()
}

/// A sequence.
pub(crate) fn sequence(values: Vec<Expression<'static>>) -> Expression<'static> {
    std::iter::once(word("sequence")).chain(values).collect::<Vec<_>>().into()
}

/// A set.
pub(crate) fn set(values: Vec<Expression<'static>>) -> Expression<'static> {
    std::iter::once(word("set")).chain(values).collect::<Vec<_>>().into()
}

/// The texts in a set; a value that is no set counts as a set with one element.
pub(crate) fn texts(value: &Expression<'static>) -> Vec<String> {
    let values = arguments(value, "set").unwrap_or(std::slice::from_ref(value));
    values.iter().filter_map(|one| one.as_text().map(str::to_owned)).collect()
}

/// A property of a service.
pub(crate) fn property(name: &str, value: Expression<'static>) -> Expression<'static> {
    vec![word("property"), word(":name"), name.to_owned().into(), word(":value"), value].into()
}

/// The name and the value of a property.
pub(crate) fn read_property(property: &Expression<'static>) -> Option<(String, Expression<'static>)> {
    let parameters = arguments(property, "property")?;
    Some((slot(parameters, "name")?.as_text()?.to_owned(), slot(parameters, "value")?.clone()))
}
