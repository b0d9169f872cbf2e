//! The commitments of an agent.

use super::abilities::{Clause, TaskId};
use crate::conversation::session::{Patience, Said, Session};
use crate::{Content, Message, Phase, Profile, Protocol, Role, Verdict};

/// An open request.
#[derive(Clone, Debug)]
pub(super) struct Commitment {
    /// The first message of its conversation.
    pub opening: Message<'static>,
    pub kind: Kind,
    /// The tasks in progress.
    pub tasks: Vec<TaskId>,
    profile: Profile,
    session: Session,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// To perform an action or to respond, once.
    Once,
    /// To perform an action when a condition becomes true: once, or each time.
    When {
        action: Content<'static>,
        condition: Content<'static>,
        /// Whether the condition was true at the last check.
        held: bool,
        again: bool,
    },
    /// To report what a description refers to; contains the last report.
    Subscription { told: Option<Content<'static>> },
}

impl Commitment {
    /// Begins the commitment of this message, if the protocol allows it.
    pub(super) fn new(opening: &Message<'_>, protocol: Protocol, profile: Profile, now: i64) -> Option<Self> {
        let mut commitment = Self {
            opening: opening.clone().into_owned(),
            kind: Kind::Once,
            tasks: Vec::new(),
            profile,
            session: Session::new(protocol, Phase::Start),
        };
        commitment.take(opening, Role::Initiator, now).then_some(commitment)
    }

    /// Returns the request as a clause.
    pub(super) fn clause<'a>(&'a self, content: &'a Content<'a>) -> Clause<'a> {
        let Message { language, ontology, sender, .. } = &self.opening;
        Clause { content, language: language.as_ref(), ontology: ontology.as_ref(), said_by: sender.as_ref() }
    }

    pub(super) fn is_over(&self) -> bool {
        self.session.state.is_over()
    }

    pub(super) fn expire(&mut self, now: i64) {
        self.session.expire(now);
    }

    /// Processes a message, if the protocol allows it. Returns whether it does.
    pub(super) fn take(&mut self, message: &Message<'_>, by: Role, now: i64) -> bool {
        let said = Said::new(message, by, now, 0);
        self.session.expire(now);
        match self.session.judge(self.profile, said) {
            (Verdict::Next(next), _) => {
                self.session.follow(said, next, now, Patience::default());
                true
            }
            _ => false,
        }
    }

    /// Whether a message of this agent belongs to it: it has the same conversation or, without one, is in reply to
    /// the same message.
    pub(super) fn is_meant_by(&self, message: &Message<'_>) -> bool {
        let by_same = match (&self.opening.sender, &message.sender) {
            (Some(one), Some(other)) => one.is_same_agent(other),
            (one, other) => one.is_none() && other.is_none(),
        };
        let names = match (&self.opening.conversation_id, &message.conversation_id) {
            (Some(one), Some(other)) => one.says_same(other),
            (None, None) => match (&self.opening.reply_with, &message.in_reply_to) {
                (Some(one), Some(other)) => one.says_same(other),
                (one, other) => one.is_none() && other.is_none(),
            },
            _ => false,
        };
        by_same && names
    }
}
