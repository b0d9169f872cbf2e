//! Subscriptions to the entries of the directory.

use ecow::EcoString;
use situated_acl::{Expression, Message, Performative};

use super::answers;
use super::constraints::Constraints;
use super::matching::{SUBSCRIPTION_EFFORT, matches};
use super::reading::{agent, sequence, word, write};
use super::reason::Reason;
use super::{Directory, DirectoryChange, FOREIGN, FOREIGN_LEASE, Taken};
use crate::names::{DF, is_foreign};

/// Maximum size of the template of a subscription in bytes.
const TEMPLATE_BYTES: usize = 1 << 10;

/// Maximum number of subscriptions of an agent, and of all agents.
const SUBSCRIPTIONS: (usize, usize) = (16, 1000);

/// A subscription to the entries that match a template.
#[derive(Debug)]
pub(crate) struct Subscription {
    pub(super) agent: EcoString,
    pub(super) message: Message<'static>,
    /// The expression to whose value the agent has subscribed.
    iota: Expression<'static>,
    template: Expression<'static>,
    /// The time at which it ends by itself.
    pub(super) until: Option<u64>,
    taken: Taken,
}

impl Directory {
    /// Restores a subscription of an agent from the message by which it began. A message that is no subscription is
    /// ignored.
    pub fn restore_subscription(
        &mut self,
        number: u64,
        agent: EcoString,
        message: Message<'static>,
        until: Option<u64>,
    ) {
        if let Some((iota, template)) = answers::subscribed(&message, self.federation.platform()) {
            let message = Message { content: None, ..message };
            let taken = self.take(&agent, message.size() + iota.size() + template.size());
            self.subscriptions.insert(number, Subscription { agent, message, iota, template, until, taken });
        }
    }

    /// Begins a subscription. It replaces an earlier one of the agent in the same conversation. Returns the first
    /// notification, if something matches already.
    pub(crate) fn subscribe(
        &mut self,
        (sender, account): (&str, &str),
        message: &Message<'_>,
        iota: Expression<'static>,
        template: Expression<'static>,
        now: u64,
    ) -> Result<Option<Message<'static>>, Reason> {
        let is_replaced = |one: &Subscription| one.agent == sender && one.is_in_conversation_of(message);
        let others = || self.subscriptions.values().filter(|one| !is_replaced(one));
        let until = is_foreign(sender, self.federation.platform()).then(|| now + FOREIGN_LEASE);
        if others().filter(|one| one.agent == sender).count() >= SUBSCRIPTIONS.0
            || others().count() >= SUBSCRIPTIONS.1
            || until.is_some() && others().filter(|one| one.until.is_some()).count() >= FOREIGN.1
        {
            return Err(Reason::internal_error("there are too many subscriptions"));
        }
        if write(&template).len() > TEMPLATE_BYTES {
            return Err(Reason::internal_error("the template of a subscription can have at most 1 KiB"));
        }
        let found = self.search(DF, &template, &Constraints::all(0), &[])?;
        let kept = Message { content: None, ..message.clone().into_owned() };
        let bytes = kept.size() + iota.size() + template.size();
        self.check_room(account, bytes)?;
        self.unsubscribe(is_replaced);
        let number = self.subscriptions.last_key_value().map_or(0, |(last, _)| last + 1);
        self.changes.push(DirectoryChange::Subscribed(
            number,
            sender.into(),
            Box::new(message.clone().into_owned()),
            until,
        ));
        let taken = self.take(account, bytes);
        let subscription = Subscription { agent: sender.into(), message: kept, iota, template, until, taken };
        let first = (!found.is_empty()).then(|| subscription.inform(sequence(found)));
        self.subscriptions.insert(number, subscription);
        Ok(first)
    }

    /// Ends the subscription of an agent in the conversation of this message. Returns whether there was one.
    pub(crate) fn cancel(&mut self, sender: &str, message: &Message<'_>) -> bool {
        !self.unsubscribe(|one| one.agent == sender && one.is_in_conversation_of(message)).is_empty()
    }

    /// Ends subscriptions. Returns them.
    pub(super) fn unsubscribe(&mut self, is_ended: impl Fn(&Subscription) -> bool) -> Vec<Subscription> {
        let (numbers, ended): (Vec<u64>, Vec<Subscription>) =
            self.subscriptions.extract_if(.., |_, subscription| is_ended(subscription)).unzip();
        ended.iter().for_each(|subscription| self.give_back(&subscription.taken));
        self.changes.extend(numbers.into_iter().map(DirectoryChange::Unsubscribed));
        ended
    }

    /// Tells the agents that have subscribed that an entry has changed. An entry that no longer matches is described by
    /// its name alone.
    pub(super) fn notify(
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
            told.push(subscription.inform(sequence(vec![shown])));
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
