//! The part of the data that the hub has not restored yet.

use std::collections::BTreeMap;

use situated::iil::EcoString;
use situated_acl::Message;
use situated_acl::json::InvalidMessage;
use situated_platform::mail::Letter;
use situated_store::{Contents, Journaled, LEFT_OUT, LeftOut, Store, Unreadable};

use super::documents::{
    AGENT, CORRESPONDENT, ENVIRONMENT, KeptAgent, KeptCorrespondent, KeptEnvironment, KeptLetter, KeptMailbox,
    KeptServices, KeptSession, KeptSubscription, KeptWatching, LAST_LETTER, LETTER, MAILBOX, SERVICES, SESSION, STREAM,
    SUBSCRIPTION, WATCHING,
};

/// The agents of an environment, by name.
pub(crate) type KeptAgents = BTreeMap<EcoString, KeptAgent>;

/// The part of the data that the hub has not restored yet.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) environments: BTreeMap<EcoString, (KeptEnvironment, Journaled)>,
    pub(crate) sessions: BTreeMap<u64, KeptSession>,
    /// By environment.
    pub(super) agents: BTreeMap<EcoString, KeptAgents>,
    /// The agents with open mailboxes, by address.
    pub(crate) correspondents: BTreeMap<EcoString, KeptCorrespondent>,
    /// The messages and mailboxes.
    pub(crate) mail: (Vec<Letter>, Vec<(EcoString, situated_platform::mail::KeptMailbox)>),
    /// The services of agents: their descriptions, and the ends of their leases.
    pub(crate) services: Vec<(EcoString, String, Option<u64>)>,
    /// The subscriptions to changes of services: their numbers, agents, the messages by which they began, and their ends.
    pub(crate) watching: Vec<(u64, EcoString, Message<'static>, Option<u64>)>,
    /// The number from which messages to other platforms are counted.
    pub(crate) stream: Option<u64>,
    /// The last number of a message that was written when a mailbox was closed.
    pub(crate) last_letter: u64,
    /// By environment; `None` for subscriptions about the server.
    pub(super) subscriptions: BTreeMap<Option<EcoString>, Vec<KeptSubscription>>,
}

impl Kept {
    /// Reads all documents. If damaged parts were left out of the store, removes those that depend on them.
    pub(super) fn read(store: &Store, contents: &mut Contents) -> Result<Self, Unreadable> {
        let mut kept = Self::default();
        let left_out: Option<LeftOut> = contents.take(LEFT_OUT)?.into_iter().map(|(_, left_out)| left_out).next();
        for (name, environment) in contents.take::<KeptEnvironment>(ENVIRONMENT)? {
            match contents.take_journal(&environment.journal) {
                Some(journaled) => drop(kept.environments.insert(name.into(), (environment, journaled))),
                None if left_out.is_some() => store.remove(ENVIRONMENT, &name),
                None => {
                    let reason = "its journal is missing".into();
                    return Err(Unreadable { what: ENVIRONMENT, key: name, reason });
                }
            }
        }
        for (number, session) in contents.take::<KeptSession>(SESSION)? {
            kept.sessions.extend(number.parse().ok().map(|number: u64| (number, session)));
        }
        for (_, agent) in contents.take::<KeptAgent>(AGENT)? {
            kept.agents.entry(agent.environment.clone()).or_default().insert(agent.agent.clone(), agent);
        }
        for (_, subscription) in contents.take::<KeptSubscription>(SUBSCRIPTION)? {
            let environment = subscription.topic.environment().map(EcoString::from);
            kept.subscriptions.entry(environment).or_default().push(subscription);
        }
        for (address, correspondent) in contents.take::<KeptCorrespondent>(CORRESPONDENT)? {
            kept.correspondents.insert(address.into(), correspondent);
        }
        for (agent, mailbox) in contents.take::<KeptMailbox>(MAILBOX)? {
            kept.mail.1.push((agent.into(), mailbox.into()));
        }
        for (agent, KeptServices { description, until }) in contents.take::<KeptServices>(SERVICES)? {
            kept.services.push((agent.into(), description, until));
        }
        for (key, KeptWatching { agent, message, until }) in contents.take::<KeptWatching>(WATCHING)? {
            let unreadable = |reason: String| Unreadable { what: WATCHING, key: key.clone(), reason };
            let number = key.parse().map_err(|_| unreadable("its key is not a number".into()))?;
            kept.watching.push((
                number,
                agent,
                message.try_into().map_err(|error: InvalidMessage| unreadable(error.to_string()))?,
                until,
            ));
        }
        kept.last_letter = contents.take(LAST_LETTER)?.into_iter().map(|(_, number)| number).max().unwrap_or(0);
        kept.stream = contents.take::<u64>(STREAM)?.into_iter().map(|(_, stream)| stream).next();
        for (key, letter) in contents.take::<KeptLetter>(LETTER)? {
            let unreadable = |reason: String| Unreadable { what: LETTER, key: key.clone(), reason };
            let number = key.parse().map_err(|_| unreadable("its key is not a number".into()))?;
            kept.mail.0.push(letter.read(number).map_err(|error| unreadable(error.to_string()))?);
        }
        if let Some(left_out) = left_out {
            kept.leave_out_dependents(store, left_out);
        }
        Ok(kept)
    }

    /// Takes the agents and the subscriptions of an environment, or those of the server.
    pub(crate) fn take_of(&mut self, environment: Option<&EcoString>) -> (KeptAgents, Vec<KeptSubscription>) {
        let agents = environment.and_then(|environment| self.agents.remove(environment)).unwrap_or_default();
        (agents, self.subscriptions.remove(&environment.cloned()).unwrap_or_default())
    }
}
