//! What a lenient reader makes of text that is not quite a message.

use crate::Message;

/// A message that was read leniently, with everything that had to be taken for something else.
pub type Repaired<'a> = crate::Repaired<Message<'a>, RepairKind>;

/// A place where the text leaves the grammar.
pub type Repair = crate::Repair<RepairKind>;

/// How a text that leaves the grammar was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum RepairKind {
    /// `:sender A`: an agent of which nothing but the name is known.
    #[error("a name alone was read as an agent of that name")]
    BareName,
    /// `:receiver (agent-identifier :name A)`: a set with one agent.
    #[error("an agent alone was read as a set with that agent")]
    NoSet,
    /// `A:receiver B`: a name, and the parameter that follows it.
    #[error("a name was taken to end where a parameter begins")]
    NameEndsAtParameter,
    /// `:content <p>x</p>`: everything up to the next parameter, or the end of the message.
    #[error("content without quotes was read up to the next parameter")]
    UnquotedContent,
    /// `:content (inform :sender B)`: parameters in parentheses belong to the content.
    #[error("parameters in parentheses were left to the content without quotes")]
    NestedParameters,
    /// `:conversation-id 2000-06-10-384`: a text, as if it stood in quotes.
    #[error("what is neither word, number nor time was read as a text")]
    UnquotedText,
    /// U+00A0, which is a letter to the standard. Only its first place is told.
    #[error("no-break spaces were read as blanks")]
    NoBreakSpaces,
    /// `:envelope x`: kept among the user's parameters, under its own name.
    #[error("a parameter that the standard does not know was kept as one of the user's")]
    UnknownParameter,
}
