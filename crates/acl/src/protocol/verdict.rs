//! What is said of a message.

use super::State;
use crate::Performative;

/// What is said of a message in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is legal, and leads here.
    Next(State),
    /// It is too late, or has crossed another, which is nobody's fault. Nothing changes.
    Late {
        /// What is to be answered, so that the sender knows.
        answer: Option<Performative>,
    },
    /// It is not legal here. Nothing changes.
    OutOfSequence,
    /// Its sender, or its receiver, is not a part of the conversation.
    NotMember,
    /// It is of another conversation, or does not say of which.
    OtherConversation,
}

impl Verdict {
    /// Whether somebody has broken a rule.
    pub const fn is_violation(self) -> bool {
        !matches!(self, Verdict::Next(_) | Verdict::Late { .. })
    }
}

/// What a message answers while a cancel is to be answered, by its `in-reply-to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answering {
    /// The cancel.
    Cancel,
    /// Something else: it has crossed the cancel.
    Other,
    /// It does not say: it is taken for a result if one is legal, and otherwise for the answer to the cancel.
    Unsaid,
}
