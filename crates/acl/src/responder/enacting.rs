//! Performing requested actions, which can be messages.

use super::Responder;
use super::abilities::{Abilities, Clause, Outcome, TaskId, Truth};
use super::commitment::Commitment;
use super::voice::{Report, Told, Voice};
use crate::content::xml;
use crate::{AgentIdentifier, Content, Expression, Message, Performative, Profile, string};

impl Responder {
    /// Performs an action. If it can be parsed as a message, sends the message.
    pub(super) fn enact(
        &mut self,
        commitment: &mut Commitment,
        action: &Content<'_>,
        voice: &mut Voice,
        abilities: &mut dyn Abilities,
    ) -> Report {
        if let Some(message) = self.message_in(action) {
            return self.enact_message(commitment, &message, voice, abilities);
        }
        self.tasks += 1;
        let task = TaskId(self.tasks);
        let outcome = abilities.perform(commitment.clause(action), task);
        if outcome == Outcome::Begun {
            commitment.tasks.push(task);
        }
        Report::of(outcome)
    }

    /// Parses an action as a message.
    fn message_in<'a>(&self, action: &'a Content<'_>) -> Option<Message<'a>> {
        match self.profile {
            Profile::Standard => string::decode(action.as_bytes()).ok(),
            Profile::Tutorial => Some(string::decode_leniently(action.as_bytes()).ok()?.message),
        }
    }

    /// Sends the message that another agent asked for. If it goes back to that agent, it is the response; a macro act
    /// becomes an `inform`.
    fn enact_message(
        &self,
        commitment: &Commitment,
        message: &Message<'_>,
        voice: &mut Voice,
        abilities: &mut dyn Abilities,
    ) -> Report {
        if message.sender.as_ref().is_some_and(|sender| !sender.is_same_agent(&self.me)) {
            return Report::Refuse(xml::reason("not-the-sender"));
        }
        let asker = commitment.opening.sender.as_ref();
        let told = match message.performative {
            Performative::Inform | Performative::InformIf | Performative::InformRef => {
                match evaluated(message, asker, abilities) {
                    Ok(told) => told,
                    Err(report) => return report,
                }
            }
            _ => None,
        };
        let for_asker = message.receivers.iter().all(|to| asker.is_some_and(|asker| asker.is_same_agent(to)));
        match told {
            Some(told) if for_asker => Report::Inform(Some(told)),
            _ if !abilities.may_say(message, asker) => Report::Refuse(xml::reason("not-allowed")),
            None => {
                voice.tell(message.clone().into_owned());
                Report::Inform(None)
            }
            Some(told) => {
                let inform = Message { performative: Performative::Inform, ..message.clone().into_owned() };
                voice.tell(Message { content: Some(told.content), ..inform });
                Report::Inform(None)
            }
        }
    }
}

/// Returns the response to a requested `inform`, `inform-if` or `inform-ref`.
fn evaluated(
    message: &Message<'_>,
    asker: Option<&AgentIdentifier<'static>>,
    abilities: &mut dyn Abilities,
) -> Result<Option<Told>, Report> {
    let Some(content) = &message.content else { return Err(Report::Refuse(xml::reason("content"))) };
    let (language, ontology) = (message.language.as_ref(), message.ontology.as_ref());
    let clause = Clause { content, language, ontology, said_by: asker };
    let content = match message.performative {
        Performative::InformIf => match abilities.holds(clause) {
            Truth::Unknown => None,
            truth => Some(abilities.statement(clause, truth == Truth::True)),
        },
        Performative::InformRef => abilities.refers_to(clause),
        // A description is replaced by what it refers to. A proposition is sent if it is true.
        _ => match abilities.refers_to(clause) {
            None if abilities.holds(clause) == Truth::True => Some(abilities.statement(clause, true)),
            value => value,
        },
    };
    let owned = |parameter: Option<&Expression<'_>>| parameter.map(|value| value.clone().into_owned());
    let content = content.ok_or_else(Report::unknown)?;
    Ok(Some(Told { content, language: owned(language), ontology: owned(ontology) }))
}
