//! The agents of a server: their names, which are unique, and their mail.

mod delivery;
mod neighbours;
mod questions;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use situated::iil::EcoString;
use situated::interface::NAME_LENGTH;
use situated_acl::Message;
use situated_platform::directory::{Directory, DirectoryChange};
use situated_platform::mail::{Limits, Mail, MailRefused, Sent};
use situated_platform::names::{self, AMS, DF};
use situated_runtime::wall_clock;
use tokio::sync::Notify;

use crate::budget::{Budget, Charge};
use crate::conversations::Conversations;
use crate::data::HubData;
use crate::error::Error;
use crate::session::Session;
use delivery::Subscriber;

pub(crate) use delivery::Delivery;
use neighbours::Gates;
pub use neighbours::{Neighbours, Outgoing};
use questions::Questions;

/// Names that FIPA gives to the services of a platform. An agent with one of them could forge their messages, or seem to be
/// the service with one in other letters, such as `AMS`.
const RESERVED: [&str; 2] = [AMS, DF];

/// The part of the budget that the mail may use: an eighth.
const MAIL_PART: usize = 8;

/// The part of the budget that the directory may use: a 64th.
const DIRECTORY_PART: usize = 64;

/// Maximum memory of the directory in bytes, however large the budget is.
const DIRECTORY_BYTES: usize = 16 << 20;

/// Minimum time between two searches for messages that are too old.
const LOOK: Duration = Duration::from_secs(1);

/// The agents of a server, across all environments and in none, with their mail.
///
/// The lock of its state may be taken while the directory or the belongings of a session are locked, never the other way
/// round.
pub struct Post {
    state: Mutex<State>,
    /// Locked by the thread that answers questions, for as long as it searches.
    directory: Mutex<Directory>,
    gates: Arc<Gates>,
    /// Rings when the first message begins to wait.
    bell: Notify,
    /// Rings when there is work for the directory.
    asked: Notify,
    is_closed: AtomicBool,
    conversations: Arc<Conversations>,
}

struct State {
    /// The session of each agent.
    owners: HashMap<EcoString, Weak<Session>>,
    gates: Arc<Gates>,
    mail: Mail,
    /// Whether the task that returns old messages knows when it is due next.
    is_expiry_known: bool,
    mail_charge: Charge,
    directory_charge: Charge,
    questions: Questions,
    /// The answers to questions since they were last shown. They go past the mail.
    answered: Vec<Sent>,
    /// The number from which messages to other platforms are counted, in all processes with the same data.
    stream: u64,
    /// The data in which the mail is stored, if it is.
    data: Option<Arc<HubData>>,
    /// The subscriptions to mail, by agent.
    subscribers: HashMap<EcoString, Subscriber>,
    /// The agents whose mail a session has subscribed to, by session and number of the subscription.
    subscriptions: BTreeMap<(u64, u64), EcoString>,
    /// The agents whose mail waits for room in their sessions.
    behind: BTreeMap<u64, BTreeSet<EcoString>>,
    /// The agents whose mail waits until the store can be written again: their messages may not be kept.
    unwritten: BTreeSet<EcoString>,
}

impl Post {
    /// Creates the post, with the mail that another process stored, if there are data. Its agents are not registered yet.
    pub(crate) fn new(
        budget: &Arc<Budget>,
        data: Option<Arc<HubData>>,
        neighbours: Neighbours,
        conversations: Arc<Conversations>,
    ) -> Self {
        let limits = Limits::default();
        let limits = Limits { bytes: limits.bytes.min(budget.limit() / MAIL_PART), ..limits };
        let mut directory = Directory::with_room(DIRECTORY_BYTES.min(budget.limit() / DIRECTORY_PART));
        directory.federate(neighbours.platform.clone(), neighbours.others.clone());
        let begun = neighbours::stream();
        let stream = data.as_ref().map_or(begun, |data| data.stream(begun));
        let mail = match &data {
            None => Mail::new(limits),
            Some(data) => {
                let mut kept = data.kept();
                for (agent, description, until) in std::mem::take(&mut kept.services) {
                    directory.restore(agent, &description, until);
                }
                for (number, agent, message, until) in std::mem::take(&mut kept.watching) {
                    directory.restore_subscription(number, agent, message, until);
                }
                let (letters, mailboxes) = std::mem::take(&mut kept.mail);
                Mail::restore(limits, kept.last_letter, letters, mailboxes, wall_clock())
            }
        };
        let gates = Arc::new(Gates::new(neighbours));
        let state = State {
            owners: HashMap::new(),
            gates: gates.clone(),
            mail,
            is_expiry_known: false,
            mail_charge: budget.charge(),
            directory_charge: budget.charge(),
            questions: Questions::default(),
            answered: Vec::new(),
            stream,
            data,
            subscribers: HashMap::new(),
            subscriptions: BTreeMap::new(),
            behind: BTreeMap::new(),
            unwritten: BTreeSet::new(),
        };
        let (state, directory) = (Mutex::new(state), Mutex::new(directory));
        let (bell, asked, is_closed) = (Notify::new(), Notify::new(), AtomicBool::new(false));
        Self { state, directory, gates, bell, asked, is_closed, conversations }
    }

    /// Reserves a name for an agent of this session that is about to be registered with an environment, or with the
    /// server only.
    pub(crate) fn claim(
        &self,
        session: &Arc<Session>,
        agent: &EcoString,
        environment: Option<&EcoString>,
    ) -> Result<(), Error> {
        let upper = agent.to_uppercase();
        if RESERVED.iter().any(|name| name.to_uppercase() == upper) {
            return Err(Error::ReservedName { agent: agent.clone() });
        }
        if names::is_foreign(agent, self.gates.platform()) {
            return Err(Error::ForeignName { agent: agent.clone() });
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
        state.end_subscription(session, &mut belongings, agent, &Error::not_registered(agent));
        let (mail, exists) = state.mail_and_names();
        mail.close(agent, exists, wall_clock());
        state.drop_questions(&account(session), agent);
        self.asked.notify_one();
        state.finish(self);
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
        mut message: Message<'static>,
    ) -> Result<Delivery, Error> {
        self.gates.localize(&mut message);
        let mut state = self.state.lock();
        state.check_owner(session, agent)?;
        state.send(agent, number, account(session), message)?;
        Ok(state.settle(self, Vec::new()))
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
        state.finish(self);
        // There is room for further messages.
        state.deliver_to(self, agent);
        Ok(())
    }

    /// Returns messages that have waited for too long to their senders, and delivers those that waited until the store
    /// could be written, until the hub closes.
    pub(crate) async fn keep_expiring(self: Arc<Self>) {
        let mut looked = Instant::now();
        while !self.is_closed() {
            let (due, is_unwritten) = {
                let mut state = self.state.lock();
                let due = state.mail.next_expiry();
                state.is_expiry_known = due.is_some();
                (due, !state.unwritten.is_empty())
            };
            let Some(due) = due else {
                self.bell.notified().await;
                continue;
            };
            let rest = Duration::from_millis(if is_unwritten { 0 } else { due.saturating_sub(wall_clock()) });
            let rest = rest.max(LOOK.saturating_sub(looked.elapsed()));
            tokio::select! {
                // The bell may ring without a pause.
                biased;
                () = tokio::time::sleep(rest) => looked = Instant::now(),
                () = self.bell.notified() => continue,
            }
            let mut state = self.state.lock();
            let (mail, exists) = state.mail_and_names();
            mail.expire(exists, wall_clock());
            state.finish(&self);
            state.deliver_unwritten(&self);
        }
    }

    /// Closes the mailboxes of agents that are not registered: their sessions were not restored.
    pub(crate) fn close_abandoned(self: &Arc<Self>) {
        let mut directory = self.directory.lock();
        let mut state = self.state.lock();
        let (mail, exists) = state.mail_and_names();
        let is_gone = |agent: &&EcoString| !exists(agent) && !RESERVED.contains(&agent.as_str());
        let abandoned: Vec<EcoString> = mail.agents().filter(is_gone).cloned().collect();
        abandoned.iter().for_each(|agent| mail.close(agent, exists, wall_clock()));
        for agent in directory.agents() {
            // Agents of other platforms remain.
            if state.route(&agent).is_none() {
                let told = directory.remove(&agent);
                state.submit(told);
            }
        }
        state.note_questions();
        self.asked.notify_one();
        state.finish_with(self, directory.take_changes());
    }

    /// Ends the tasks that return old messages and answer questions, and the wait for messages to other platforms.
    pub(crate) fn close(&self) {
        {
            // Locked, so that no thread begins to wait for messages meanwhile.
            let _state = self.state.lock();
            self.is_closed.store(true, Ordering::Release);
        }
        self.gates.ring_all();
        self.ring();
        self.asked.notify_one();
    }

    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// Shows messages to observers, in the order in which they were accepted.
    fn show(&self, sent: Vec<Sent>) {
        self.conversations.observe(sent, |name| Some(self.gates.local(name).to_owned()).filter(|local| local != name));
    }

    /// Wakes the task that returns old messages.
    fn ring(&self) {
        self.bell.notify_one();
    }
}

impl State {
    fn check_owner(&self, session: &Session, agent: &str) -> Result<(), Error> {
        match self.owners.get(agent) {
            Some(owner) if is(owner, session) => Ok(()),
            Some(_) => Err(Error::OthersAgent { agent: agent.into() }),
            None => Err(Error::not_registered(agent)),
        }
    }

    /// The mail, and a function that says whether there is an agent, or another platform, with a mailbox of this name.
    fn mail_and_names(&mut self) -> (&mut Mail, impl Fn(&str) -> bool + Copy) {
        let Self { owners, gates, mail, .. } = self;
        (mail, |name| owners.contains_key(name) || gates.has(name))
    }

    /// Accepts a message, which counts for this account.
    fn send(
        &mut self,
        sender: &EcoString,
        number: Option<u64>,
        account: EcoString,
        message: Message<'static>,
    ) -> Result<(), MailRefused> {
        let routed = self.routed(sender, account, &message);
        self.mail.dispatch(sender, number, message, routed, wall_clock())
    }

    /// Completes a change of the mail, and delivers the messages.
    fn finish(&mut self, post: &Arc<Post>) {
        self.finish_with(post, Vec::new());
    }

    /// Completes changes of the mail and of the directory, which are stored together, and delivers the messages.
    fn finish_with(&mut self, post: &Arc<Post>, directory: Vec<DirectoryChange>) {
        let delivery = self.settle(post, directory);
        self.deliver(post, delivery);
    }

    /// Completes changes of the mail and of the directory. Returns the messages to deliver.
    fn settle(&mut self, post: &Post, directory: Vec<DirectoryChange>) -> Delivery {
        if let Some(data) = &self.data {
            data.change_mail(self.mail.take_changes(), directory);
        }
        self.mail_charge.set(self.mail.bytes());
        if !self.is_expiry_known && self.mail.next_expiry().is_some() {
            self.is_expiry_known = true;
            post.ring();
        }
        let mut sent = self.mail.take_sent();
        sent.append(&mut self.answered);
        post.show(sent);
        let receivers = self.mail.take_receivers();
        if receivers.iter().any(|receiver| RESERVED.contains(&receiver.as_str())) {
            self.note_questions();
        }
        Delivery(receivers)
    }

    /// The account in whose share the messages of an agent count.
    fn account_of(&self, agent: &str) -> EcoString {
        match self.owners.get(self.gates.local(agent)).and_then(Weak::upgrade) {
            Some(session) => account(&session),
            None => self.route(agent).unwrap_or_else(|| agent.into()),
        }
    }
}

/// The account of all agents of a session.
fn account(session: &Session) -> EcoString {
    format!("session {}", session.number()).into()
}

fn is(owner: &Weak<Session>, session: &Session) -> bool {
    std::ptr::eq(owner.as_ptr(), session)
}
