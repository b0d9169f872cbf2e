//! Saying things: answers are made here, and only those are said that the protocol lets be said.

use super::abilities::Outcome;
use super::commitment::Commitment;
use super::understanding::Objection;
use crate::content::xml;
use crate::{AgentIdentifier, Content, Expression, Message, Performative, Role};

/// The messages of the agent at one moment.
pub(super) struct Voice {
    me: AgentIdentifier<'static>,
    now: i64,
    said: Vec<Message<'static>>,
}

/// The language of the reasons that the library gives.
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

    /// Answers outside of any conversation, with a reason.
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

    /// Tells how it went.
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
            // Whoever has agreed already does not do so again.
            Report::Later => self.repeat(commitment, Performative::Agree),
        }
    }

    /// Answers with the content that was asked for.
    pub(super) fn repeat(&mut self, commitment: &mut Commitment, act: Performative) {
        let mut answer = self.reply(&commitment.opening, act);
        answer.content = commitment.opening.content.clone();
        self.say(commitment, answer);
    }

    /// Says something to somebody else.
    pub(super) fn tell(&mut self, message: Message<'static>) {
        self.said.push(Message { sender: Some(self.me.clone()), ..message });
    }

    /// Gives a reason by the first of these acts that is legal.
    fn give_reason(&mut self, commitment: &mut Commitment, acts: &[Performative], reason: Content<'static>) {
        for act in acts {
            let answer = self.reply(&commitment.opening, *act);
            if self.say(commitment, with_reason(answer, Some(reason.clone()))) {
                return;
            }
        }
    }

    /// Says it if the protocol lets it; whether it does.
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

/// What is to be told about what was asked for.
pub(super) enum Report {
    /// It is done; what was asked for is repeated, unless there is something else to be told.
    Inform(Option<Told>),
    Failure(Content<'static>),
    Refuse(Content<'static>),
    Later,
}

/// Something to be told, in the language of the question unless it has one of its own.
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
