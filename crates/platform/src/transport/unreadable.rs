//! The reasons why a request contains no message.

use situated_acl::Encoding;

/// Maximum number of stamps of platforms that have passed a message on.
pub(super) const STAMPS: usize = 16;

/// The reason why a request contains no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The type of the body has no boundary.
    #[error("the type of the body is not multipart/mixed with a boundary")]
    NoBoundary,
    /// The body does not have two parts, or those of a bundle.
    #[error("the body does not have two parts with their boundaries: the envelope, and the message")]
    Parts,
    /// The envelope is invalid.
    #[error("the envelope is invalid: {0}")]
    Envelope(String),
    /// The message is invalid.
    #[error("the message is invalid: {0}")]
    Message(String),
    /// The message is in an unknown encoding.
    #[error("the envelope names the encoding `{0}`; this platform reads {known}", known = Encoding::ALL.map(Encoding::name).join(", "))]
    Encoding(String),
    /// The envelope is from a platform that may not send messages.
    #[error(
        "this request does not come from platform `{0}`, by its secret or address; the server lists those that may send, with --peer"
    )]
    Stranger(String),
    /// The envelope names no receiver.
    #[error("the envelope names no receiver")]
    NoReceiver,
    /// Too many platforms have passed the message on.
    #[error("more than {STAMPS} platforms have passed the message on")]
    Loop,
}
