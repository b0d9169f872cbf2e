//! Content in the interface intermediate language, as text: what agents say about what they do and perceive.
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

/// How messages name the language of such content.
pub const LANGUAGE: &str = "iil";

/// Content that is not what was expected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NotIil {
    /// It is no text.
    #[error("the content is no text; write it in the interface intermediate language: goTo(roomC1)")]
    Bytes,
    /// It is a text in another language.
    #[error("the content is not in the interface intermediate language: {0}")]
    Syntax(#[from] SyntaxError),
}

/// The action that a content is.
///
/// # Errors
/// Returns an error if it is not.
pub fn action(content: &Content<'_>) -> Result<Action, NotIil> {
    Ok(content.as_text().ok_or(NotIil::Bytes)?.parse()?)
}

/// The percept that a content is.
///
/// # Errors
/// Returns an error if it is not.
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
    fn what_is_written_is_read_back_and_nothing_else_is() {
        let percept: Percept = "at('Room A',[1,2.5])".parse().expect("a percept");
        assert_eq!(self::percept(&Content::from(&percept)), Ok(percept));
        assert!(matches!(action(&"<product/>".into()), Err(NotIil::Syntax(_))));
        assert_eq!(action(&Content::from(&[0xff][..])), Err(NotIil::Bytes));
    }
}
