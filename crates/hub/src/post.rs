//! The agents of a server: their addresses, which are unique, and their mail.

mod agents;
mod delivery;
mod neighbours;
mod questions;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use situated::iil::EcoString;
use situated::interface::NAME_LENGTH;
use situated::names::check_clear;
use situated_acl::Message;
use situated_platform::directory::{Directory, DirectoryChange};
use situated_platform::mail::{Limits, Mail, MailRefused, Sent};
use situated_platform::names::{self, AMS, DF, OF_ENVIRONMENT};
use situated_runtime::wall_clock;
use tokio::sync::Notify;

use crate::budget::{Budget, Charge};
use crate::conversations::{Conversations, with_names};
use crate::data::HubData;
use crate::error::Error;
use crate::session::Session;
use agents::{Agents, View};
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
    agents: Agents,
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
    /// The subscriptions to mail, by address.
    subscribers: HashMap<EcoString, Subscriber>,
    /// The addresses of the agents whose mail a session has subscribed to, by session and number of the subscription.
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
            agents: Agents::default(),
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
    /// server only. Returns its address, which is the former one if it had one in another process.
    pub(crate) fn claim(
        &self,
        session: &Arc<Session>,
        agent: &EcoString,
        environment: Option<&EcoString>,
        former: Option<&EcoString>,
    ) -> Result<EcoString, Error> {
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
        let joined = self.state.lock().agents.join(session, agent, environment, former);
        let holder = match joined {
            Ok(address) => {
                if let (None, Some(data)) = (environment, session.data()) {
                    data.put_correspondent(session.number(), &address, agent);
                }
                return Ok(address);
            }
            Err(holder) => holder,
        };
        belongings.remove_agent(agent, environment);
        // Unlocks first: two sessions may claim each other's names, so never lock both.
        drop(belongings);
        let resumable = holder.upgrade().is_some_and(|holder| holder.is_absent());
        Err(Error::AgentTaken { agent: agent.clone(), environment: environment.cloned(), resumable })
    }

    /// Removes the registration of an agent with an environment, or with the server only. After the last one, its
    /// address is free and its mailbox is closed.
    pub(crate) fn release(self: &Arc<Self>, session: &Session, agent: &EcoString, environment: Option<&EcoString>) {
        let mut belongings = session.belongings();
        let is_last = belongings.remove_agent(agent, environment);
        let mut state = self.state.lock();
        let Some(address) = state.agents.leave(session, agent, environment, is_last) else { return };
        if let (None, Some(data)) = (environment, session.data()) {
            data.remove_correspondent(&address);
        }
        if !is_last {
            return;
        }
        state.end_subscription(session, &mut belongings, &address, &Error::not_registered(agent));
        let (mail, exists) = state.mail_and_names();
        mail.close(&address, exists, wall_clock());
        state.drop_questions(&account(session), &address);
        self.asked.notify_one();
        state.finish(self);
    }

    /// Returns an error if this session has no such agent.
    pub(crate) fn check_owner(&self, session: &Session, agent: &str) -> Result<(), Error> {
        self.state.lock().address(session, agent).map(drop)
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
        let address = state.address(session, agent)?;
        state.send(&address, number, account(session), message)?;
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
        let address = state.address(session, agent)?;
        state.mail.acknowledge(&address, number)?;
        state.finish(self);
        // There is room for further messages.
        state.deliver_to(self, &address);
        Ok(())
    }

    /// Returns a message as agents of this environment know those in it, if it is from or for one of them.
    pub(crate) fn within(
        &self,
        environment: &EcoString,
        message: &Arc<Message<'static>>,
    ) -> Option<Arc<Message<'static>>> {
        let agents = &self.state.lock().agents;
        let mut parties = message.sender.iter().chain(&message.receivers);
        let is_here = |address: &str| agents.at(address).is_some_and(|agent| agent.environments.contains(environment));
        let is_of_environment = parties.any(|party| is_here(&party.name));
        let view = View::from([environment.clone()]);
        is_of_environment.then(|| with_names(message.clone(), |address| agents.name_of(&view, address)))
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
    /// The address of an agent of this session.
    fn address(&self, session: &Session, agent: &str) -> Result<EcoString, Error> {
        match self.agents.address(session, agent) {
            Some(address) => Ok(address.clone()),
            None if self.agents.at(agent).is_some() => Err(Error::OthersAgent { agent: agent.into() }),
            None => Err(Error::not_registered(agent)),
        }
    }

    /// The mail, and a function that says whether there is an agent, or another platform, with a mailbox of this name.
    fn mail_and_names(&mut self) -> (&mut Mail, impl Fn(&str) -> bool + Copy) {
        let Self { agents, gates, mail, .. } = self;
        (mail, |name| agents.at(name).is_some() || gates.has(name))
    }

    /// Accepts a message, which counts for this account.
    fn send(
        &mut self,
        sender: &EcoString,
        number: Option<u64>,
        account: EcoString,
        mut message: Message<'static>,
    ) -> Result<(), MailRefused> {
        self.address_agents(sender, &mut message);
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
        match self.agents.at(self.gates.local(agent)).and_then(|agent| agent.session.upgrade()) {
            Some(session) => account(&session),
            None => self.route(agent).unwrap_or_else(|| agent.into()),
        }
    }
}

/// The account of all agents of a session.
fn account(session: &Session) -> EcoString {
    format!("session {}", session.number()).into()
}

/// Returns an error if a client cannot give an agent this name, since it looks like another name or an address.
pub(crate) fn check_name(agent: &str) -> Result<(), Error> {
    check_clear(agent).map_err(Error::UnclearAgent)?;
    if agent.contains(OF_ENVIRONMENT) { Err(Error::NameLikeAddress { agent: agent.into() }) } else { Ok(()) }
}
