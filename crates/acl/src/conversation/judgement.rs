//! The judgement of a message, which can be printed for people.

use std::fmt;

use crate::{Performative, Profile, Protocol, Role, State, Verdict};

/// The judgement of a message. Its text describes the problem and the legal messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict, with the next state if the message is legal.
    pub verdict: Verdict,
    /// Further remarks about the message.
    pub remarks: Remarks,
    /// The protocol that was applied.
    pub protocol: Protocol,
    /// The set of rules that was applied.
    pub profile: Profile,
    /// The role of the sender.
    pub by: Role,
    /// The act.
    pub act: Performative,
    /// The state of the session before the message.
    pub state: State,
    /// The index of the receiver to which the judgement applies. For a message to several receivers, it is the first
    /// one for which the message is illegal.
    pub receiver: usize,
}

impl Judgement {
    /// Whether the message breaks a rule.
    pub fn is_violation(&self) -> bool {
        self.verdict.is_violation()
    }

    /// Returns the legal acts of the sender's role.
    pub fn legal(&self) -> impl Iterator<Item = Performative> + use<> {
        let Judgement { protocol, profile, state, by, .. } = *self;
        protocol.legal(profile, state).filter(move |(role, _)| *role == by).map(|(_, act)| act)
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Judgement { verdict, remarks, protocol, by, act, state, .. } = self;
        write!(f, "{protocol}, {state}: `{act}` by the {by} ")?;
        match verdict {
            Verdict::Next(next) => write!(f, "leads to {next}")?,
            Verdict::Late { answer: None } => write!(f, "comes too late and changes nothing")?,
            Verdict::Late { answer: Some(answer) } => write!(f, "comes too late; answer `{answer}`")?,
            Verdict::NotMember => write!(f, "has a sender or receiver outside of this conversation")?,
            Verdict::OtherConversation => {
                write!(f, "does not belong to this conversation; name the conversation in `conversation-id`")?
            }
            Verdict::OutOfSequence => {
                write!(f, "is out of sequence; legal acts are ")?;
                let mut legal = self.legal().peekable();
                if legal.peek().is_none() {
                    write!(f, "nothing")?;
                }
                for (place, act) in legal.enumerate() {
                    write!(f, "{}`{act}`", if place == 0 { "" } else { ", " })?;
                }
            }
        }
        remarks.iter().try_for_each(|remark| write!(f, "; {remark}"))
    }
}

/// A remark about a message, whether it is legal or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Remark {
    /// It has no `in-reply-to`, although the message before asked for one.
    NoInReplyTo = 1,
    /// It has no `in-reply-to`, and could respond to several messages.
    Ambiguous = 2,
    /// Its `in-reply-to` matches no message that expects a response.
    AnswersNothing = 4,
    /// It has no `conversation-id`.
    NoConversationId = 8,
    /// It is a macro act, which can be requested but never sent.
    MacroAct = 16,
    /// It is the second one where only one is allowed.
    Second = 32,
}

impl Remark {
    const ALL: [Remark; 6] = [
        Remark::NoInReplyTo,
        Remark::Ambiguous,
        Remark::AnswersNothing,
        Remark::NoConversationId,
        Remark::MacroAct,
        Remark::Second,
    ];
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Remark::NoInReplyTo => "it should repeat `reply-with` as `in-reply-to`",
            Remark::Ambiguous => "it responds to one of several messages; name it in `in-reply-to`",
            Remark::AnswersNothing => "its `in-reply-to` is not the `reply-with` of a message that expects a response",
            Remark::NoConversationId => "it should have a `conversation-id`",
            Remark::MacroAct => "a macro act cannot be sent; send `inform` instead",
            Remark::Second => "another participant has already been accepted, and only one is allowed",
        })
    }
}

/// A few remarks, each at most once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Remarks(u8);

impl Remarks {
    /// Whether the set contains this remark.
    pub fn contains(self, remark: Remark) -> bool {
        self.0 & remark as u8 != 0
    }

    /// Returns whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Iterates over the remarks.
    pub fn iter(self) -> impl Iterator<Item = Remark> {
        Remark::ALL.into_iter().filter(move |remark| self.contains(*remark))
    }

    pub(crate) fn add(&mut self, remark: Remark) {
        self.0 |= remark as u8;
    }
}
