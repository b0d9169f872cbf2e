//! The contents of messages. The library does not interpret them, but this module helps agents to do so.

#[cfg(feature = "iil")]
pub mod iil;
pub mod xml;

use std::borrow::Cow;

/// The content of a message, in the language that the message names: text, or bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Content<'a> {
    /// A text.
    Text(Cow<'a, str>),
    /// Bytes that are not necessarily text.
    Bytes(Cow<'a, [u8]>),
}

impl Content<'_> {
    /// The content as bytes; a text is encoded in UTF-8.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Content::Text(text) => text.as_bytes(),
            Content::Bytes(bytes) => bytes,
        }
    }

    /// The content as text; bytes are converted if they are UTF-8.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Content::Text(text) => Some(text),
            Content::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
        }
    }

    /// Returns the same content with its own copy of all borrowed data.
    pub fn into_owned(self) -> Content<'static> {
        match self {
            Content::Text(text) => Content::Text(Cow::Owned(text.into_owned())),
            Content::Bytes(bytes) => Content::Bytes(Cow::Owned(bytes.into_owned())),
        }
    }
}

impl<'a> From<&'a str> for Content<'a> {
    fn from(text: &'a str) -> Self {
        Content::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Content<'_> {
    fn from(text: String) -> Self {
        Content::Text(Cow::Owned(text))
    }
}

impl<'a> From<&'a [u8]> for Content<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Content::Bytes(Cow::Borrowed(bytes))
    }
}

impl From<Vec<u8>> for Content<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Content::Bytes(Cow::Owned(bytes))
    }
}
