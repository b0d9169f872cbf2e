//! The outgoing messages. Responses are created here, and sent only if the protocol allows them.

use super::abilities::Outcome;
use super::commitment::Commitment;
use super::understanding::Objection;
use crate::content::xml;
use crate::{AgentIdentifier, Content, Expression, Message, Performative, Role};

/// The messages that the agent sends at one moment.
pub(super) struct Voice {
    me: AgentIdentifier<'static>,
    now: i64,
    said: Vec<Message<'static>>,
}

/// The language of the reasons that this library gives.
const REASONS: &str = "xml";

impl Voice {
    pub(super) fn new(me: AgentIdentifier<'static>, now: i64) -> Self {
        Self { me, now, said: Vec::new() }
    }

    pub(super) fn now(&self) -> i64 {
        self.now
    }

    pub(super) fn said(self) -> Vec<Message<'static>> {
        self.said
    }

    pub(super) fn not_understood(&mut self, message: &Message<'_>, objection: Objection) {
        self.answer(message, Performative::NotUnderstood, Some(xml::reason(objection.name())));
    }

    /// Responds outside of any conversation, with a reason.
    pub(super) fn answer(&mut self, message: &Message<'_>, act: Performative, reason: Option<Content<'static>>) {
        let answer = self.reply(message, act);
        self.said.push(with_reason(answer, reason));
    }

    pub(super) fn answer_cancel(&mut self, commitment: &mut Commitment, cancel: &Message<'_>, stopped: bool) {
        let answer = match stopped {
            true => self.reply(cancel, Performative::Inform),
            false => with_reason(self.reply(cancel, Performative::Failure), Some(xml::reason("not-stoppable"))),
        };
        self.say(commitment, answer);
    }

    /// Reports the result of a task.
    pub(super) fn report(&mut self, commitment: &mut Commitment, report: Report) {
        match report {
            Report::Inform(None) => self.repeat(commitment, Performative::Inform),
            Report::Inform(Some(Told { content, language, ontology })) => {
                let mut inform = self.reply(&commitment.opening, Performative::Inform);
                inform.content = Some(content);
                inform.language = language.or(inform.language);
                inform.ontology = ontology.or(inform.ontology);
                self.say(commitment, inform);
            }
            Report::Failure(reason) => self.give_reason(commitment, &[Performative::Failure], reason),
            Report::Refuse(reason) => {
                self.give_reason(commitment, &[Performative::Refuse, Performative::Failure], reason);
            }
            // The agent has already agreed, and does not do so again.
            Report::Later => self.repeat(commitment, Performative::Agree),
        }
    }

    /// Responds with the content of the request.
    pub(super) fn repeat(&mut self, commitment: &mut Commitment, act: Performative) {
        let mut answer = self.reply(&commitment.opening, act);
        answer.content = commitment.opening.content.clone();
        self.say(commitment, answer);
    }

    /// Sends a message to another agent.
    pub(super) fn tell(&mut self, message: Message<'static>) {
        self.said.push(Message { sender: Some(self.me.clone()), ..message });
    }

    /// Gives a reason with the first of these acts that is legal.
    fn give_reason(&mut self, commitment: &mut Commitment, acts: &[Performative], reason: Content<'static>) {
        for act in acts {
            let answer = self.reply(&commitment.opening, *act);
            if self.say(commitment, with_reason(answer, Some(reason.clone()))) {
                return;
            }
        }
    }

    /// Sends a message if the protocol allows it. Returns whether it does.
    fn say(&mut self, commitment: &mut Commitment, message: Message<'static>) -> bool {
        let legal = commitment.take(&message, Role::Participant, self.now);
        if legal {
            self.said.push(message);
        }
        legal
    }

    fn reply(&self, message: &Message<'_>, act: Performative) -> Message<'static> {
        Message { sender: Some(self.me.clone()), ..message.reply(act).into_owned() }
    }
}

fn with_reason(mut message: Message<'static>, reason: Option<Content<'static>>) -> Message<'static> {
    message.content = reason;
    message.language = Some(REASONS.into());
    message.ontology = None;
    message
}

/// The report about a request.
pub(super) enum Report {
    /// It is done. Without a content, the report repeats the request.
    Inform(Option<Told>),
    Failure(Content<'static>),
    Refuse(Content<'static>),
    Later,
}

/// A content, in the language of the request unless it has its own.
pub(super) struct Told {
    pub content: Content<'static>,
    pub language: Option<Expression<'static>>,
    pub ontology: Option<Expression<'static>>,
}

impl Report {
    pub(super) fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done(result) => result.map_or(Report::Inform(None), Report::result),
            Outcome::Failed(reason) => Report::Failure(reason),
            Outcome::Refused(reason) => Report::Refuse(reason),
            Outcome::Begun => Report::Later,
        }
    }

    pub(super) fn result(content: Content<'static>) -> Self {
        Report::Inform(Some(Told { content, language: None, ontology: None }))
    }

    pub(super) fn unknown() -> Self {
        Report::Refuse(xml::reason("unknown"))
    }
}
