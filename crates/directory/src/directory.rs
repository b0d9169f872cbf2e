//! The services of agents, and the subscriptions to them.

use std::collections::{BTreeMap, BTreeSet};

use ecow::EcoString;
use situated_acl::{Expression, Message, Performative, Time};

use crate::answers::{self, describe_agent};
use crate::matching::{EFFORT, SUBSCRIPTION_EFFORT, matches};
use crate::reading::{agent, agent_name, arguments, read, slot, word, write};
use crate::reason::Reason;
use crate::{AMS, DF};

/// Maximum size of a description in bytes.
const DESCRIPTION_BYTES: usize = 16 << 10;

/// Maximum size of the template of a subscription in bytes.
const TEMPLATE_BYTES: usize = 1 << 10;

/// Maximum number of subscriptions of an agent, and of all agents.
const SUBSCRIPTIONS: (usize, usize) = (16, 1000);

/// Maximum number and size of the results of a search.
const RESULTS: (usize, usize) = (1000, 64 << 10);

/// The services of agents, and the subscriptions to them. Times are in milliseconds.
#[derive(Debug, Default)]
pub struct Directory {
    services: BTreeMap<EcoString, Entry>,
    /// By number, in the order in which they began.
    subscriptions: BTreeMap<u64, Subscription>,
    changes: Vec<Change>,
}

/// A change of the services that must be written, so that they survive the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// An agent has registered this description, or modified it. It applies until this time.
    Registered(EcoString, String, Option<u64>),
    /// The services of an agent are no longer in the directory.
    Removed(EcoString),
    /// An agent has subscribed by this message. The number identifies the subscription.
    Subscribed(u64, EcoString, Box<Message<'static>>),
    /// The subscription with this number has ended.
    Unsubscribed(u64),
}

/// The entry of an agent.
#[derive(Debug)]
struct Entry {
    description: Expression<'static>,
    bytes: usize,
    /// The end of its lease.
    until: Option<u64>,
}

/// A subscription to the entries that match a template.
#[derive(Debug)]
struct Subscription {
    agent: EcoString,
    message: Message<'static>,
    /// The expression to whose value the agent has subscribed.
    iota: Expression<'static>,
    template: Expression<'static>,
}

impl Directory {
    /// Creates a directory without services.
    pub fn new() -> Self {
        Self::default()
    }

    /// Restores the description that an agent has registered. A text that is no description is ignored.
    pub fn restore(&mut self, agent: EcoString, description: &str, until: Option<u64>) {
        if let Some(value) = read(description) {
            self.services.insert(agent, Entry { description: value, bytes: description.len(), until });
        }
    }

    /// Restores a subscription of an agent from the message by which it began. A message that is no subscription is ignored.
    pub fn restore_subscription(&mut self, number: u64, agent: EcoString, message: Message<'static>) {
        if let Some((iota, template)) = answers::subscribed(&message) {
            let message = Message { content: None, ..message };
            self.subscriptions.insert(number, Subscription { agent, message, iota, template });
        }
    }

    /// Takes the changes since they were last taken.
    pub fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    /// Answers a message to the [`AMS`] or the [`DF`], from one of the agents that are registered with the server. The
    /// first answer is for its sender, the others are for agents that have subscribed. Services whose leases have ended are
    /// removed first.
    pub fn hear(
        &mut self,
        to: &'static str,
        message: &Message<'_>,
        agents: &[EcoString],
        now: u64,
    ) -> Vec<Message<'static>> {
        let ended = self.expire(now);
        let mut answers = answers::hear(self, to, message, agents, now);
        // The leases ended before the message came.
        let after_first = answers.len().min(1);
        answers.splice(after_first..after_first, ended);
        answers
    }

    /// The agents that have registered services, or have subscribed to changes.
    pub fn agents(&self) -> BTreeSet<EcoString> {
        let subscribers = self.subscriptions.values().map(|subscription| &subscription.agent);
        self.services.keys().chain(subscribers).cloned().collect()
    }

    /// Removes the services and subscriptions of an agent that is no longer registered with the server. Returns messages
    /// to those that have subscribed to its services.
    pub fn remove(&mut self, name: &str) -> Vec<Message<'static>> {
        self.unsubscribe(|subscription| subscription.agent == name);
        self.deregister(name).unwrap_or_default()
    }

    /// Removes services whose leases have ended. Returns messages to those that have subscribed to them.
    pub fn expire(&mut self, now: u64) -> Vec<Message<'static>> {
        let ended = self.services.iter().filter(|(_, entry)| entry.until.is_some_and(|until| until <= now));
        let ended: Vec<EcoString> = ended.map(|(name, _)| name.clone()).collect();
        ended.iter().flat_map(|name| self.deregister(name).unwrap_or_default()).collect()
    }

    /// The time at which the next lease ends.
    pub fn next_expiry(&self) -> Option<u64> {
        self.services.values().filter_map(|entry| entry.until).min()
    }

    /// Adds an entry, or replaces it if `replaces`.
    pub(crate) fn register(
        &mut self,
        sender: &str,
        description: &Expression<'static>,
        replaces: bool,
        now: u64,
    ) -> Result<Vec<Message<'static>>, Reason> {
        let own = own_description(sender, description)?;
        match self.services.contains_key(sender) {
            true if !replaces => return Err(Reason::already_registered()),
            false if replaces => return Err(Reason::not_registered()),
            _ => {}
        }
        let until = match slot(own, "lease-time") {
            None => None,
            Some(Expression::Time(time)) => Some(lease(time, now)),
            Some(_) => return Err(Reason::unrecognised_parameter_value("df-agent-description", "lease-time")),
        };
        let text = write(description);
        if text.len() > DESCRIPTION_BYTES {
            return Err(Reason::internal_error("a description can have at most 16 KiB"));
        }
        let entry = Entry { description: description.clone(), bytes: text.len(), until };
        let former = self.services.insert(sender.into(), entry);
        self.changes.push(Change::Registered(sender.into(), text, until));
        Ok(self.notify(sender, former.as_ref().map(|entry| &entry.description), Some(description)))
    }

    /// Removes an entry.
    pub(crate) fn deregister(&mut self, name: &str) -> Result<Vec<Message<'static>>, Reason> {
        let (name, entry) = self.services.remove_entry(name).ok_or_else(Reason::not_registered)?;
        self.changes.push(Change::Removed(name.clone()));
        Ok(self.notify(&name, Some(&entry.description), None))
    }

    /// The entries that match a template.
    pub(crate) fn search(
        &self,
        to: &str,
        template: &Expression<'static>,
        constraints: Option<&Expression<'static>>,
        agents: &[EcoString],
    ) -> Result<Expression<'static>, Reason> {
        let most = match constraints.map(|one| arguments(one, "search-constraints")) {
            None => 1,
            Some(constraints) => match slot(constraints.unwrap_or_default(), "max-results").map(Expression::as_text) {
                None => 1,
                Some(Some(text)) => text
                    .parse::<i64>()
                    .map_err(|_| Reason::unrecognised_parameter_value("search-constraints", "max-results"))?,
                Some(None) => return Err(Reason::unrecognised_parameter_value("search-constraints", "max-results")),
            },
        };
        let most = usize::try_from(most).unwrap_or(RESULTS.0).min(RESULTS.0);
        let mut effort = EFFORT;
        let mut found = vec![word("sequence")];
        let mut room = RESULTS.1;
        if to == AMS {
            let described = agents.iter().map(|name| (name, describe_agent(name)));
            let matching = described.filter(|(_, description)| matches(template, description, &mut effort)).take(most);
            let fits = |name: &EcoString| {
                room = room.saturating_sub(name.len() + 100);
                room > 0
            };
            let mut fits = fits;
            found.extend(matching.take_while(|(name, _)| fits(name)).map(|(_, description)| description));
        } else {
            let matching = self.services.values().filter(|entry| matches(template, &entry.description, &mut effort));
            let mut fits = |entry: &&Entry| {
                room = room.saturating_sub(entry.bytes);
                room > 0
            };
            found.extend(matching.take(most).take_while(|entry| fits(entry)).map(|entry| entry.description.clone()));
        }
        if effort == 0 {
            return Err(Reason::internal_error("the template needs too many comparisons"));
        }
        Ok(found.into())
    }

    /// Begins a subscription. It replaces an earlier one of the agent in the same conversation. Returns the first
    /// notification, if something matches already.
    pub(crate) fn subscribe(
        &mut self,
        sender: &str,
        message: &Message<'_>,
        iota: Expression<'static>,
        template: Expression<'static>,
    ) -> Result<Option<Message<'static>>, Reason> {
        let is_replaced = |one: &Subscription| one.agent == sender && one.is_in_conversation_of(message);
        let others = || self.subscriptions.values().filter(|one| !is_replaced(one));
        if others().filter(|one| one.agent == sender).count() >= SUBSCRIPTIONS.0 || others().count() >= SUBSCRIPTIONS.1
        {
            return Err(Reason::internal_error("there are too many subscriptions"));
        }
        if write(&template).len() > TEMPLATE_BYTES {
            return Err(Reason::internal_error("the template of a subscription can have at most 1 KiB"));
        }
        let constraints = vec![word("search-constraints"), word(":max-results"), (-1).into()].into();
        let found = self.search(DF, &template, Some(&constraints), &[])?;
        self.unsubscribe(is_replaced);
        let number = self.subscriptions.last_key_value().map_or(0, |(last, _)| last + 1);
        let message = message.clone().into_owned();
        self.changes.push(Change::Subscribed(number, sender.into(), Box::new(message.clone())));
        let message = Message { content: None, ..message };
        let subscription = Subscription { agent: sender.into(), message, iota, template };
        let first = matches!(&found, Expression::List(found) if found.len() > 1).then(|| subscription.inform(found));
        self.subscriptions.insert(number, subscription);
        Ok(first)
    }

    /// Ends the subscription of an agent in the conversation of this message. Returns whether there was one.
    pub(crate) fn cancel(&mut self, sender: &str, message: &Message<'_>) -> bool {
        self.unsubscribe(|one| one.agent == sender && one.is_in_conversation_of(message))
    }

    /// Ends subscriptions. Returns whether there were any.
    fn unsubscribe(&mut self, is_ended: impl Fn(&Subscription) -> bool) -> bool {
        let ended = self.subscriptions.extract_if(.., |_, subscription| is_ended(subscription));
        let ended: Vec<Change> = ended.map(|(number, _)| Change::Unsubscribed(number)).collect();
        let some = !ended.is_empty();
        self.changes.extend(ended);
        some
    }

    /// Tells the agents that have subscribed that an entry has changed. An entry that no longer matches is described by
    /// its name alone.
    fn notify(
        &self,
        name: &str,
        former: Option<&Expression<'static>>,
        current: Option<&Expression<'static>>,
    ) -> Vec<Message<'static>> {
        let mut told = Vec::new();
        for subscription in self.subscriptions.values() {
            let is_match =
                |one: &Expression<'static>| matches(&subscription.template, one, &mut SUBSCRIPTION_EFFORT.clone());
            let shown = match (current.filter(|one| is_match(one)), former.filter(|one| is_match(one))) {
                (Some(current), _) => current.clone(),
                (None, Some(_)) => vec![word("df-agent-description"), word(":name"), agent(name)].into(),
                (None, None) => continue,
            };
            told.push(subscription.inform(vec![word("sequence"), shown].into()));
        }
        told
    }
}

impl Subscription {
    fn is_in_conversation_of(&self, message: &Message<'_>) -> bool {
        match (&self.message.conversation_id, &message.conversation_id) {
            (Some(one), Some(other)) => one.says_same(other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    /// A notification about the value of the expression.
    fn inform(&self, value: Expression<'static>) -> Message<'static> {
        let equal = vec![vec![word("="), self.iota.clone(), value].into()].into();
        self.message.reply(Performative::Inform).from(DF).content(write(&equal))
    }
}

/// The parameters of a description that an agent may register: its own.
pub(crate) fn own_description<'e>(
    sender: &str,
    description: &'e Expression<'static>,
) -> Result<&'e [Expression<'static>], Reason> {
    let parameters = arguments(description, "df-agent-description")
        .ok_or_else(|| Reason::missing_argument("df-agent-description"))?;
    let name = slot(parameters, "name").ok_or_else(|| Reason::missing_parameter("df-agent-description", "name"))?;
    match agent_name(name) {
        None => Err(Reason::unrecognised_parameter_value("df-agent-description", "name")),
        Some(name) if name != sender => Err(Reason::unauthorised()),
        Some(_) => Ok(parameters),
    }
}

/// The end of a lease.
fn lease(time: &Time, now: u64) -> u64 {
    u64::try_from(time.moment(i64::try_from(now).unwrap_or(i64::MAX), 0)).unwrap_or(0)
}
