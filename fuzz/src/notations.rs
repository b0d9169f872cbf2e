//! Properties of every text: reading it does not panic, and a term that was read prints and reads back equal.

use std::fmt::Debug;

use situated::iil::{Action, Function, Parameter, Percept, SyntaxError};

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
