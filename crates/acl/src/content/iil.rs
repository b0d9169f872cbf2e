//! Content in the interface intermediate language, as text: messages about actions and percepts.
//!
//! ```
//! use situated::iil::{Action, Parameter};
//! use situated_acl::Message;
//! use situated_acl::content::iil;
//!
//! let action = Action::new("goTo", [Parameter::Identifier("roomC1".into())]);
//! let request = Message::request().from("A").to("B").content(&action).language(iil::LANGUAGE);
//! assert_eq!(request.content, Some("goTo(roomC1)".into()));
//! assert_eq!(iil::action(request.content.as_ref().unwrap()), Ok(action));
//! ```

use situated::iil::{Action, Percept, SyntaxError};

use crate::Content;

/// The name of this language in messages.
pub const LANGUAGE: &str = "iil";

/// The reason why a content is not an action or a percept.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NotIil {
    /// It is bytes, not text.
    #[error("the content is no text; write it in the interface intermediate language: goTo(roomC1)")]
    Bytes,
    /// The text is not in this language.
    #[error("the content is not in the interface intermediate language: {0}")]
    Syntax(#[from] SyntaxError),
}

/// Parses the content as an action.
///
/// # Errors
/// Returns an error if the content is something else.
pub fn action(content: &Content<'_>) -> Result<Action, NotIil> {
    Ok(content.as_text().ok_or(NotIil::Bytes)?.parse()?)
}

/// Parses the content as a percept.
///
/// # Errors
/// Returns an error if the content is something else.
pub fn percept(content: &Content<'_>) -> Result<Percept, NotIil> {
    Ok(content.as_text().ok_or(NotIil::Bytes)?.parse()?)
}

impl From<&Action> for Content<'_> {
    fn from(action: &Action) -> Self {
        action.to_string().into()
    }
}

impl From<&Percept> for Content<'_> {
    fn from(percept: &Percept) -> Self {
        percept.to_string().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_what_it_writes_and_rejects_other_content() {
        let percept: Percept = "at('Room A',[1,2.5])".parse().expect("a percept");
        assert_eq!(self::percept(&Content::from(&percept)), Ok(percept));
        assert!(matches!(action(&"<product/>".into()), Err(NotIil::Syntax(_))));
        assert_eq!(action(&Content::from(&[0xff][..])), Err(NotIil::Bytes));
    }
}
