//! What strangers have written, as it is shown to people.

use std::fmt::Display;
use std::io::{self, Write};

/// A text on one line, with blanks for the letters that would do something to the terminal.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// Tells something on the standard error. Whoever no longer reads it may still want what is written elsewhere.
pub(super) fn complain(what: impl Display) {
    let _ = writeln!(io::stderr(), "{}", printable(&what.to_string()));
}
