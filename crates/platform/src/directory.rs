//! The directory of agents and their services (FIPA SC00023): the white pages of the agent management system (AMS), and
//! the services that agents have registered with the directory facilitator (DF). Agents ask both by ordinary requests
//! in SL0, and can subscribe to changes as agents of JADE do. A search can go on in the directories of other platforms.
//! The directory does no I/O and reads no clock: its caller passes the messages to [`AMS`] and [`DF`](crate::names::DF)
//! on, and delivers their answers. Programs need no SL0: [`asking`] writes questions and reads answers.
//!
//! ```
//! use situated_acl::Message;
//! use situated_platform::directory::{Answer, Directory};
//! use situated_platform::names::DF;
//!
//! let mut directory = Directory::new();
//! let from_ada = || Message::request().from("ada").to(DF).language("fipa-sl0");
//! let register = from_ada().content(
//!     "((action (agent-identifier :name df) (register (df-agent-description :name (agent-identifier :name ada)
//!      :services (set (service-description :name plums :type trade))))))",
//! );
//! directory.hear(DF, &register, "ada", &[], 0);
//! let search = from_ada().content(
//!     "((action (agent-identifier :name df) (search (df-agent-description
//!      :services (set (service-description :type trade))) (search-constraints :max-results 10))))",
//! );
//! let Answer::Given(answer) = directory.hear(DF, &search, "ada", &[], 0).answer else { panic!("no answer") };
//! assert!(answer.content.unwrap().as_text().unwrap().contains("plums"));
//! ```

mod answers;
pub mod asking;
mod constraints;
mod description;
mod federation;
#[cfg(feature = "json")]
mod json;
mod matching;
mod reading;
mod reason;
mod subscriptions;

pub use answers::{Agent, LifeCycle};
pub use asking::Declined;
pub use description::{Description, Service};

use std::collections::{BTreeMap, BTreeSet};

use ecow::EcoString;
use situated_acl::{Expression, Message, Time};

use self::answers::describe;
use self::constraints::{Constraints, RESULT_BYTES};
use self::federation::Federation;
use self::matching::{EFFORT, ENTRY_EFFORT, matches};
use self::reading::{agent_name, arguments, read, renamed, slot, slot_mut, word, write};
use self::reason::Reason;
use self::subscriptions::Subscription;
use crate::names::{AMS, is_foreign};
use crate::shares::{Amount, Shares};

/// The ontology of questions and answers.
const ONTOLOGY: &str = "FIPA-Agent-Management";

/// Maximum size of a description in bytes.
const DESCRIPTION_BYTES: usize = 16 << 10;

/// Maximum number of entries, and of subscriptions, of agents of other platforms.
const FOREIGN: (usize, usize) = (1000, 500);

/// Maximum time for which these last, in milliseconds: nobody says here when such an agent has left.
const FOREIGN_LEASE: u64 = 24 * 60 * 60 * 1000;

/// The services of agents, and the subscriptions to them. Times are in milliseconds.
///
/// Entries, subscriptions and searches in other directories share one limit of bytes. An account can use at most as
/// much as it leaves free.
#[derive(Debug)]
pub struct Directory {
    services: BTreeMap<EcoString, Entry>,
    /// By number, in the order in which they began.
    subscriptions: BTreeMap<u64, Subscription>,
    changes: Vec<DirectoryChange>,
    federation: Federation,
    /// Maximum memory in bytes.
    limit: usize,
    shares: Shares,
    /// The room of the searches that go on in other directories, by number.
    searching: BTreeMap<u64, Taken>,
}

/// What the directory says when it hears a message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heard {
    /// The answer to its sender.
    pub answer: Answer,
    /// Messages to other agents.
    pub told: Vec<Message<'static>>,
}

/// The answer to a message.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Answer {
    /// There is none: the message reports something.
    #[default]
    None,
    /// The answer.
    Given(Box<Message<'static>>),
    /// The search with this number goes on in other directories. [`Directory::take_found`] returns its answer later.
    Later(u64),
}

/// A change of the services that must be written, so that they survive the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirectoryChange {
    /// An agent has registered this description, or modified it. It applies until this time.
    Registered(EcoString, String, Option<u64>),
    /// The services of an agent are no longer in the directory.
    Removed(EcoString),
    /// An agent has subscribed by this message, until this time. The number identifies the subscription.
    Subscribed(u64, EcoString, Box<Message<'static>>, Option<u64>),
    /// The subscription with this number has ended.
    Unsubscribed(u64),
}

/// The room that something takes in the directory, and the account for which it counts.
#[derive(Debug)]
struct Taken {
    account: EcoString,
    bytes: usize,
}

/// The entry of an agent.
#[derive(Debug)]
struct Entry {
    description: Expression<'static>,
    /// The size of its text in bytes.
    bytes: usize,
    /// The end of its lease.
    until: Option<u64>,
    taken: Taken,
}

impl Default for Directory {
    fn default() -> Self {
        Self::new()
    }
}

impl Directory {
    /// Creates a directory without services, and without a limit of bytes.
    pub fn new() -> Self {
        // Sums of a few sizes do not overflow.
        Self::with_room(usize::MAX / 4)
    }

    /// Creates a directory without services that uses at most this number of bytes.
    pub fn with_room(bytes: usize) -> Self {
        let (services, subscriptions, changes, federation, shares) = Default::default();
        Self { services, subscriptions, changes, federation, limit: bytes, shares, searching: BTreeMap::new() }
    }

    /// Continues searches that have a depth in the directories of these platforms. The first name is that of this
    /// platform. The agents of another one can register services here only if its value says so.
    pub fn federate(&mut self, platform: EcoString, others: impl IntoIterator<Item = (EcoString, bool)>) {
        self.federation = Federation::new(platform, others);
    }

    /// Restores the description that an agent has registered. A text that is no description is ignored. What is
    /// restored counts for an account of its agent.
    pub fn restore(&mut self, agent: EcoString, description: &str, until: Option<u64>) {
        if let Some(value) = read(description) {
            let taken = self.take(&agent, value.size());
            self.services.insert(agent, Entry { description: value, bytes: description.len(), until, taken });
        }
    }

    /// Takes the changes since they were last taken.
    pub fn take_changes(&mut self) -> Vec<DirectoryChange> {
        std::mem::take(&mut self.changes)
    }

    /// Answers a message to the [`AMS`] or the [`DF`](crate::names::DF). What the directory keeps for it counts for
    /// this account, which all agents of one owner have. `agents` are those that are registered with the server; only
    /// the AMS needs them. Services whose leases have ended are removed first.
    pub fn hear(
        &mut self,
        to: &'static str,
        message: &Message<'_>,
        account: &str,
        agents: &[Agent],
        now: u64,
    ) -> Heard {
        // The leases ended before the message came.
        let mut told = self.expire(now);
        let mut heard = answers::hear(self, to, message, account, agents, now);
        told.append(&mut heard.told);
        Heard { told, ..heard }
    }

    /// Takes the answers of the searches that have ended in other directories, with their numbers.
    pub fn take_found(&mut self) -> Vec<(u64, Message<'static>)> {
        let ended = self.federation.take_ended();
        for (number, _) in &ended {
            self.searching.remove(number).iter().for_each(|taken| self.give_back(taken));
        }
        ended
    }

    /// The approximate memory of entries, subscriptions, and searches in other directories, in bytes.
    pub fn bytes(&self) -> usize {
        self.shares.all.bytes
    }

    pub(crate) fn federation(&mut self) -> &mut Federation {
        &mut self.federation
    }

    /// The agents that have registered services, or have subscribed to changes.
    pub fn agents(&self) -> BTreeSet<EcoString> {
        let subscribers = self.subscriptions.values().map(|subscription| &subscription.agent);
        self.services.keys().chain(subscribers).cloned().collect()
    }

    /// Removes the services and subscriptions of an agent that is no longer registered with the server. Returns
    /// messages to those that have subscribed to its services.
    pub fn remove(&mut self, name: &str) -> Vec<Message<'static>> {
        self.unsubscribe(|subscription| subscription.agent == name);
        self.deregister(name).unwrap_or_default()
    }

    /// Removes services and subscriptions whose time is over, and ends searches that other directories have not
    /// answered in time. Returns messages to those that have subscribed.
    pub fn expire(&mut self, now: u64) -> Vec<Message<'static>> {
        self.federation.expire(now);
        let is_over = |until: Option<u64>| until.is_some_and(|until| until <= now);
        let subscriptions = self.unsubscribe(|subscription| is_over(subscription.until));
        let mut told: Vec<_> = subscriptions.iter().map(|one| answers::ended(&one.agent, &one.message)).collect();
        let services = self.services.iter().filter(|(_, entry)| is_over(entry.until));
        let services: Vec<EcoString> = services.map(|(name, _)| name.clone()).collect();
        told.extend(services.iter().flat_map(|name| self.deregister(name).unwrap_or_default()));
        told
    }

    /// The time at which the next lease, subscription or search ends.
    pub fn next_expiry(&self) -> Option<u64> {
        let subscriptions = self.subscriptions.values().filter_map(|subscription| subscription.until);
        let services = self.services.values().filter_map(|entry| entry.until);
        services.chain(subscriptions).chain(self.federation.next_expiry()).min()
    }

    /// The description with the lease that its agent gets, if that is shorter than asked for.
    pub(crate) fn shorten_lease(
        &self,
        sender: &str,
        description: &Expression<'static>,
        now: u64,
    ) -> Option<Expression<'static>> {
        let Expression::List(mut values) = description.clone() else { return None };
        let granted = Time::after(FOREIGN_LEASE);
        match slot_mut(&mut values, "lease-time") {
            _ if !is_foreign(sender, self.federation.platform()) => return None,
            Some(Expression::Time(asked)) if lease(asked, now) > now + FOREIGN_LEASE => *asked = granted,
            Some(_) => return None,
            None => values.extend([word(":lease-time"), granted.into()]),
        }
        Some(values.into())
    }

    /// Adds an entry, or replaces it if `replaces`.
    pub(crate) fn register(
        &mut self,
        (sender, account): (&str, &str),
        description: &Expression<'static>,
        replaces: bool,
        now: u64,
    ) -> Result<Vec<Message<'static>>, Reason> {
        let own = own_description(sender, description)?;
        match self.services.contains_key(sender) {
            true if !replaces => return Err(Reason::already_registered()),
            false if replaces => return Err(Reason::not_registered()),
            false if is_foreign(sender, self.federation.platform()) => {
                let foreign = self.services.keys().filter(|name| is_foreign(name, self.federation.platform()));
                if foreign.count() >= FOREIGN.0 {
                    return Err(Reason::internal_error("too many agents of other platforms have registered"));
                }
            }
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
        let (bytes, former) = (description.size(), self.services.remove(sender));
        former.iter().for_each(|entry| self.give_back(&entry.taken));
        if let Err(reason) = self.check_room(account, bytes) {
            if let Some(former) = former {
                self.shares.add(&former.taken.account, former.taken.bytes);
                self.services.insert(sender.into(), former);
            }
            return Err(reason);
        }
        let taken = self.take(account, bytes);
        let entry = Entry { description: description.clone(), bytes: text.len(), until, taken };
        self.services.insert(sender.into(), entry);
        self.changes.push(DirectoryChange::Registered(sender.into(), text, until));
        Ok(self.notify(sender, former.as_ref().map(|entry| &entry.description), Some(description)))
    }

    /// Removes an entry.
    pub(crate) fn deregister(&mut self, name: &str) -> Result<Vec<Message<'static>>, Reason> {
        let (name, entry) = self.services.remove_entry(name).ok_or_else(Reason::not_registered)?;
        self.give_back(&entry.taken);
        self.changes.push(DirectoryChange::Removed(name.clone()));
        Ok(self.notify(&name, Some(&entry.description), None))
    }

    /// The entries that match a template.
    pub(crate) fn search(
        &self,
        to: &str,
        template: &Expression<'static>,
        constraints: &Constraints,
        agents: &[Agent],
    ) -> Result<Vec<Expression<'static>>, Reason> {
        let mut effort = EFFORT;
        let mut room = RESULT_BYTES;
        let mut fits = |bytes: usize| {
            room = room.saturating_sub(bytes);
            room > 0
        };
        let found = if to == AMS {
            let described = agents.iter().map(|agent| (agent, describe(agent)));
            let matching = described.filter(|(_, description)| matches(template, description, &mut effort));
            let matching = matching.take(constraints.results);
            let fitting = matching.take_while(|(agent, _)| fits(agent.name.len() + 100));
            fitting.map(|(_, description)| description).collect()
        } else {
            let is_match = |entry: &&Entry| {
                let mut left = effort.min(ENTRY_EFFORT);
                let before = left;
                let is_match = matches(template, &entry.description, &mut left);
                effort -= before - left;
                is_match
            };
            let matching = self.services.values().filter(is_match);
            let fitting = matching.take(constraints.results).take_while(|entry| fits(entry.bytes));
            fitting.map(|entry| entry.description.clone()).collect()
        };
        if effort == 0 {
            return Err(Reason::internal_error("the template needs too many comparisons"));
        }
        Ok(found)
    }

    /// Returns an error unless an account may use this number of bytes more.
    pub(crate) fn check_room(&self, account: &str, bytes: usize) -> Result<(), Reason> {
        let (more, limit) = (Amount { things: 1, bytes }, Amount { things: usize::MAX, bytes: self.limit });
        if self.shares.allow(account, more, limit) { Ok(()) } else { Err(Reason::no_room()) }
    }

    /// Takes room for an account, whether or not that is allowed.
    fn take(&mut self, account: &str, bytes: usize) -> Taken {
        let account = EcoString::from(account);
        self.shares.add(&account, bytes);
        Taken { account, bytes }
    }

    fn give_back(&mut self, Taken { account, bytes }: &Taken) {
        self.shares.remove(account, *bytes);
    }

    /// Counts the bytes of a search that continues in other directories.
    pub(crate) fn keep_search(&mut self, number: u64, account: &str, bytes: usize) {
        let taken = self.take(account, bytes);
        self.searching.insert(number, taken);
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

/// Gives the agents in the content of a message to or from the directory other names. A content that cannot be read
/// remains as it is.
pub fn rename(message: &mut Message<'static>, rename: &dyn Fn(&str) -> String) {
    let text = message.content.as_ref().and_then(|content| content.as_text());
    let Some(content) = text.and_then(read) else { return };
    let with_others = renamed(&content, rename);
    if with_others != content {
        message.content = Some(write(&with_others).into());
    }
}

/// The end of a lease.
fn lease(time: &Time, now: u64) -> u64 {
    u64::try_from(time.moment(i64::try_from(now).unwrap_or(i64::MAX), 0)).unwrap_or(0)
}
