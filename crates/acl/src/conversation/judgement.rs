//! The judgement of a message, also as text for people.

use std::fmt;

use crate::{Performative, Profile, Protocol, Role, State, Verdict};

/// The judgement of a message. Its text says what is wrong and what would have been legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// Whether it is legal, and where it leads.
    pub verdict: Verdict,
    /// What else there is to say of it.
    pub remarks: Remarks,
    /// Which protocol says so.
    pub protocol: Protocol,
    /// By which rules.
    pub profile: Profile,
    /// The role of the sender.
    pub by: Role,
    /// The act.
    pub act: Performative,
    /// Where the session stood.
    pub state: State,
    /// To which of its receivers it applies, by its place among them. If a message to several is not legal for one of
    /// them, it is the first of those.
    pub receiver: usize,
}

impl Judgement {
    /// Whether somebody has broken a rule.
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
            Verdict::NotMember => write!(f, "is between agents of whom one has no part in this conversation")?,
            Verdict::OtherConversation => write!(f, "is not of this conversation; name it in `conversation-id`")?,
            Verdict::OutOfSequence => {
                write!(f, "is out of sequence; legal would be ")?;
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

/// Something that people may want to know of a message, be it legal or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Remark {
    /// It has no `in-reply-to`, although it was asked for.
    NoInReplyTo = 1,
    /// It has no `in-reply-to`, and could answer more than one message.
    Ambiguous = 2,
    /// Its `in-reply-to` does not belong to a message that expects a response.
    AnswersNothing = 4,
    /// It has no `conversation-id`.
    NoConversationId = 8,
    /// It is a macro act, which is asked for but never sent.
    MacroAct = 16,
    /// It is the second where there can be only one.
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
            Remark::Ambiguous => "it answers one of several messages; say which by `in-reply-to`",
            Remark::AnswersNothing => "its `in-reply-to` is not the `reply-with` of what is to be answered",
            Remark::NoConversationId => "it should have a `conversation-id`",
            Remark::MacroAct => "a macro act is not sent: whoever is asked for it sends `inform`",
            Remark::Second => "another participant has been accepted already, and there can be one only",
        })
    }
}

/// A few remarks, each at most once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Remarks(u8);

impl Remarks {
    /// Whether this is among them.
    pub fn contains(self, remark: Remark) -> bool {
        self.0 & remark as u8 != 0
    }

    /// Returns whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = Remark> {
        Remark::ALL.into_iter().filter(move |remark| self.contains(*remark))
    }

    pub(crate) fn add(&mut self, remark: Remark) {
        self.0 |= remark as u8;
    }
}
