//! The agents of a server: their names, which are unique, and their mail.

mod delivery;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use situated::iil::EcoString;
use situated::interface::{self, NAME_LENGTH};
use situated_acl::Message;
use situated_mail::{AMS, Limits, Mail};
use situated_runtime::wall_clock;
use tokio::sync::Notify;

use crate::data::HubData;
use crate::error::Error;
use crate::notifications::Notification;
use crate::session::Session;
use delivery::Subscriber;

pub(crate) use delivery::Delivery;

/// Names that FIPA gives to the services of a platform. An agent with one of them could forge their messages.
const RESERVED: [&str; 2] = [AMS, "df"];

/// Minimum time between two searches for messages that are too old.
const LOOK: Duration = Duration::from_secs(1);

/// The agents of a server, across all environments and in none, with their mail.
///
/// Its lock may be taken while the belongings of a session are locked, never the other way round.
pub(crate) struct Post {
    state: Mutex<State>,
    /// Rings when the first message begins to wait.
    bell: Notify,
    is_closed: AtomicBool,
}

struct State {
    /// The session of each agent.
    owners: HashMap<EcoString, Weak<Session>>,
    mail: Mail,
    /// The data in which the mail is stored, if it is.
    data: Option<Arc<HubData>>,
    /// The subscriptions to mail, by agent.
    subscribers: HashMap<EcoString, Subscriber>,
    /// The agents whose mail a session has subscribed to, by session and number of the subscription.
    subscriptions: BTreeMap<(u64, u64), EcoString>,
    /// The agents whose mail waits for room in their sessions.
    behind: BTreeMap<u64, BTreeSet<EcoString>>,
}

impl Post {
    /// Creates the post, with the mail that another process stored, if there are data. Its agents are not registered yet.
    pub(crate) fn new(data: Option<Arc<HubData>>) -> Self {
        let mail = match &data {
            None => Mail::new(Limits::default()),
            Some(data) => {
                let (letters, mailboxes) = std::mem::take(&mut data.kept().mail);
                Mail::restore(Limits::default(), letters, mailboxes, wall_clock())
            }
        };
        let state = State {
            owners: HashMap::new(),
            mail,
            data,
            subscribers: HashMap::new(),
            subscriptions: BTreeMap::new(),
            behind: BTreeMap::new(),
        };
        Self { state: Mutex::new(state), bell: Notify::new(), is_closed: AtomicBool::new(false) }
    }

    /// Reserves a name for an agent of this session that is about to be registered with an environment, or with the
    /// server only.
    pub(crate) fn claim(
        &self,
        session: &Arc<Session>,
        agent: &EcoString,
        environment: Option<&EcoString>,
    ) -> Result<(), Error> {
        if RESERVED.contains(&agent.as_str()) {
            return Err(Error::ReservedName { agent: agent.clone() });
        }
        if environment.is_none() && !(1..=NAME_LENGTH).contains(&agent.len()) {
            return Err(Error::AgentName);
        }
        let mut belongings = session.belongings();
        belongings.add_agent(agent, environment, session.limits().agents)?;
        let owner = {
            let mut state = self.state.lock();
            state.owners.entry(agent.clone()).or_insert_with(|| Arc::downgrade(session)).clone()
        };
        if is(&owner, session) {
            if let (None, Some(data)) = (environment, session.data()) {
                data.put_correspondent(session.number(), agent);
            }
            return Ok(());
        }
        belongings.remove_agent(agent, environment);
        // Unlocks first: two sessions may claim each other's names, so never lock both.
        drop(belongings);
        let resumable = owner.upgrade().is_some_and(|owner| owner.is_absent());
        Err(Error::AgentTaken { agent: agent.clone(), resumable })
    }

    /// Removes the registration of an agent with an environment, or with the server only. After the last one, its name
    /// is free and its mailbox is closed.
    pub(crate) fn release(self: &Arc<Self>, session: &Session, agent: &EcoString, environment: Option<&EcoString>) {
        let mut belongings = session.belongings();
        let is_last = belongings.remove_agent(agent, environment);
        if let (None, Some(data)) = (environment, session.data()) {
            data.remove_correspondent(agent);
        }
        if !is_last {
            return;
        }
        let mut state = self.state.lock();
        if !state.owners.get(agent).is_some_and(|owner| is(owner, session)) {
            return;
        }
        state.owners.remove(agent);
        if let Some(subscriber) = state.subscribers.remove(agent) {
            let subscription = subscriber.number();
            state.subscriptions.remove(&(session.number(), subscription));
            belongings.subscriptions.remove(&subscription);
            if let Some(data) = session.data() {
                data.remove_subscription(session.number(), subscription);
            }
            let reason = &not_registered(agent);
            session.receiver().notify(Notification::Ended { subscription, reason });
        }
        let State { owners, mail, .. } = &mut *state;
        mail.close(agent, |name| owners.contains_key(name), wall_clock());
        let delivery = state.settle();
        state.deliver(self, delivery);
    }

    /// Returns an error if this session has no such agent.
    pub(crate) fn check_owner(&self, session: &Session, agent: &str) -> Result<(), Error> {
        self.state.lock().check_owner(session, agent)
    }

    /// Accepts a message from an agent of this session. The caller then [delivers](Self::deliver) it.
    pub(crate) fn send(
        &self,
        session: &Session,
        agent: &EcoString,
        number: Option<u64>,
        message: Message<'static>,
    ) -> Result<Delivery, Error> {
        let mut state = self.state.lock();
        state.check_owner(session, agent)?;
        let State { owners, mail, .. } = &mut *state;
        let is_first = mail.next_expiry().is_none();
        mail.send(agent, number, message, |name| owners.contains_key(name), wall_clock())?;
        if is_first {
            self.bell.notify_one();
        }
        Ok(state.settle())
    }

    /// Removes the messages of an agent of this session up to this number.
    pub(crate) fn acknowledge(
        self: &Arc<Self>,
        session: &Session,
        agent: &EcoString,
        number: u64,
    ) -> Result<(), Error> {
        let mut state = self.state.lock();
        state.check_owner(session, agent)?;
        state.mail.acknowledge(agent, number)?;
        let delivery = state.settle();
        state.deliver(self, delivery);
        // There is room for further messages.
        state.deliver_to(self, agent);
        Ok(())
    }

    /// Returns messages that have waited for too long to their senders, until the hub closes.
    pub(crate) async fn keep_expiring(self: Arc<Self>) {
        while !self.is_closed.load(Ordering::Acquire) {
            let due = self.state.lock().mail.next_expiry();
            let Some(due) = due else {
                self.bell.notified().await;
                continue;
            };
            let rest = Duration::from_millis(due.saturating_sub(wall_clock())).max(LOOK);
            tokio::select! {
                () = tokio::time::sleep(rest) => {}
                () = self.bell.notified() => continue,
            }
            let mut state = self.state.lock();
            let State { owners, mail, .. } = &mut *state;
            mail.expire(|name| owners.contains_key(name), wall_clock());
            let delivery = state.settle();
            state.deliver(&self, delivery);
        }
    }

    /// Closes the mailboxes of agents that are not registered: their sessions were not restored.
    pub(crate) fn close_abandoned(self: &Arc<Self>) {
        let mut state = self.state.lock();
        let State { owners, mail, .. } = &mut *state;
        let abandoned: Vec<EcoString> = mail.agents().filter(|agent| !owners.contains_key(*agent)).cloned().collect();
        abandoned.iter().for_each(|agent| mail.close(agent, |name| owners.contains_key(name), wall_clock()));
        let delivery = state.settle();
        state.deliver(self, delivery);
    }

    /// Ends the task that returns old messages.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.bell.notify_one();
    }
}

impl State {
    fn check_owner(&self, session: &Session, agent: &str) -> Result<(), Error> {
        match self.owners.get(agent) {
            Some(owner) if is(owner, session) => Ok(()),
            Some(_) => Err(Error::OthersAgent { agent: agent.into() }),
            None => Err(not_registered(agent)),
        }
    }

    /// Completes a change of the mail. Returns the messages to deliver.
    fn settle(&mut self) -> Delivery {
        if let Some(data) = &self.data {
            data.change_mail(self.mail.take_changes());
        }
        Delivery(self.mail.take_receivers())
    }
}

fn not_registered(agent: &str) -> Error {
    situated_runtime::Error::from(interface::Error::NotRegistered { agent: agent.into(), nearest: None }).into()
}

fn is(owner: &Weak<Session>, session: &Session) -> bool {
    std::ptr::eq(owner.as_ptr(), session)
}
