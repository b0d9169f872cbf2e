//! Properties of every text: reading it does not panic, and a term that was read prints and reads back equal.

use std::fmt::Debug;

use serde_json::Value;
use situated::iil::{Action, Function, Parameter, Percept, SyntaxError};
use situated::interface::Command;
use situated::ontology::Ontology;
use situated::reading::{self, Unreadable};

/// Reads the data as Prolog-like text.
pub fn text(data: &[u8]) {
    let text = &String::from_utf8_lossy(data);
    assert_stable(text, str::parse, Parameter::to_string);
    assert_stable(text, str::parse, Function::to_string);
    assert_stable(text, str::parse, Action::to_string);
    assert_stable(text, str::parse, Percept::to_string);
}

/// Reads the data as XML.
pub fn xml(data: &[u8]) {
    let text = &String::from_utf8_lossy(data);
    assert_stable(text, Parameter::from_xml, Parameter::to_xml);
    assert_stable(text, Action::from_xml, Action::to_xml);
    assert_stable(text, Percept::from_xml, Percept::to_xml);
}

/// Reads the data as JSON.
pub fn json(data: &[u8]) {
    let text = &String::from_utf8_lossy(data);
    assert_stable(text, Parameter::from_json, Parameter::to_json);
    assert_stable(text, Function::from_json, Function::to_json);
    assert_stable(text, Action::from_json, Action::to_json);
    assert_stable(text, Percept::from_json, Percept::to_json);
    assert_placed(text, reading::json::<Value>(text));
    assert_placed(text, reading::json::<Ontology>(text));
    assert_placed(text, reading::json::<Command>(text));
}

/// The place of a mistake is in the text or at its end, and its description is short.
fn assert_placed<T>(text: &str, read: Result<T, Unreadable>) {
    let Err(unreadable) = read else { return };
    let line = text.split('\n').nth(unreadable.line - 1).expect("there is such a line");
    assert!((1..=line.chars().count() + 1).contains(&unreadable.column), "{unreadable}: {text}");
    assert!(!unreadable.problem.is_empty() && unreadable.to_string().len() < 4000, "{unreadable}");
}

fn assert_stable<T: Debug + PartialEq>(
    text: &str,
    read: impl Fn(&str) -> Result<T, SyntaxError>,
    print: impl Fn(&T) -> String,
) {
    match read(text) {
        Ok(value) => assert_eq!(read(&print(&value)), Ok(value), "{text}"),
        Err(error) => assert!(error.line >= 1 && error.column >= 1, "{error}"),
    }
}
