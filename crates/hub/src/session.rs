//! Sessions: clients of gateways, with their rights and what belongs to them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::{Mutex, MutexGuard};
use situated::iil::EcoString;
use situated::interface::Moment;
use situated_wire::Rights;
use situated_wire::methods::{Answer, Stepped, TurnTaken};

use crate::budget::{Charge, Share};
use crate::data::HubData;
use crate::error::{Error, TooLarge};
use crate::limits::SessionLimits;
use crate::notifications::Notification;

/// A number that a gateway chooses for a request. It comes back with the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReplyToken(pub u64);

/// The receiving end of a session, implemented by a gateway. Its methods are called from any thread and must not
/// block.
pub trait Receiver: Send + Sync {
    /// Takes the answer to the request that was submitted with this token. If it is larger than the client can get, the
    /// client gets an error instead, and the reason is returned.
    fn answer(&self, token: ReplyToken, answer: Result<Answer, Error>) -> Option<TooLarge>;

    /// Takes the answer to a [`Step`](crate::Step) that was submitted with this token. Each turn is made when it is
    /// taken from the iterator, so a gateway that writes turns one by one keeps only one in memory.
    fn answer_step(
        &self,
        token: ReplyToken,
        moment: Moment,
        turns: &mut dyn Iterator<Item = TurnTaken>,
    ) -> Option<TooLarge> {
        self.answer(token, Ok(Stepped { moment, agents: turns.collect() }.into()))
    }

    /// Takes a notification. If it is larger than the client can get, drops it and returns the reason.
    fn notify(&self, notification: Notification<'_>) -> Option<TooLarge>;

    /// Whether there is room for notifications. After it has returned `false`, the gateway calls
    /// [`Session::continue_notifications`] as soon as there is room.
    fn has_room(&self) -> bool;

    /// Called when the session has ended. No notifications follow, only answers.
    fn close(&self, reason: Error);
}

/// A client of a gateway. It remains for a while after its connection is lost. Its agents, subscriptions and hosted
/// environments end with it.
pub struct Session {
    number: u64,
    rights: Rights,
    limits: SessionLimits,
    /// The memory that the server uses for the session.
    share: Arc<Share>,
    receiver: Arc<dyn Receiver>,
    belongings: Mutex<Belongings>,
    /// Whether the presence of the belongings is an absence: what others may ask without their lock.
    is_absent: AtomicBool,
    is_attended: AtomicBool,
    /// Whether somebody waits for an entity of its agents.
    is_wanted: AtomicBool,
    /// Sources of notifications that wait for room.
    held_back: Mutex<Vec<Weak<dyn NotificationSource>>>,
    /// The data in which the session is stored, so that it continues in another process.
    data: OnceLock<Arc<HubData>>,
}

/// A source of notifications. It makes a notification only when there is room.
pub(crate) trait NotificationSource: Send + Sync {
    /// Called when there is room again for notifications to this session.
    fn proceed(self: Arc<Self>, session: u64);
}

/// The environments in which each agent of a session is registered; `None` for an agent with an open mailbox.
pub(crate) type Registrations = BTreeMap<EcoString, BTreeSet<Option<EcoString>>>;

/// Approximate memory of an agent in an environment, with its mailbox, and of a subscription, in bytes. Names are added.
const AGENT_BYTES: usize = 1024;
const SUBSCRIPTION_BYTES: usize = 1024;

/// The agents, subscriptions and hosted environments of a session.
pub(crate) struct Belongings {
    share: Arc<Share>,
    agents: Registrations,
    /// The memory of the agents.
    charge: Charge,
    pub(crate) subscriptions: BTreeMap<u64, OwnSubscription>,
    next_subscription: u64,
    /// The environments that it hosts.
    hosted: BTreeSet<EcoString>,
    presence: Presence,
}

/// A subscription of a session.
pub(crate) struct OwnSubscription {
    /// Its environment; `None` if it is about the server.
    environment: Option<EcoString>,
    /// Its memory.
    _charge: Charge,
}

/// Whether the client of a session is connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Presence {
    #[default]
    Present,
    /// Disconnected. The number distinguishes this absence from others.
    Absent(u64),
    /// The session has ended.
    Ended,
}

/// The agents, subscriptions and hosted environments of a session that has ended.
pub(crate) struct Estate {
    pub(crate) agents: Registrations,
    pub(crate) hosted: BTreeSet<EcoString>,
}

impl Session {
    pub(crate) fn new(
        number: u64,
        rights: Rights,
        limits: SessionLimits,
        share: Arc<Share>,
        receiver: Arc<dyn Receiver>,
    ) -> Self {
        let belongings = Mutex::new(Belongings::new(share.clone()));
        Self {
            number,
            rights,
            limits,
            share,
            receiver,
            belongings,
            is_absent: AtomicBool::default(),
            is_attended: limits.is_attended.into(),
            is_wanted: AtomicBool::default(),
            held_back: Mutex::default(),
            data: OnceLock::new(),
        }
    }

    /// The number of the session. No other session of the hub ever has it.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The rights of the session.
    pub fn rights(&self) -> Rights {
        self.rights
    }

    /// The limits of the session.
    pub fn limits(&self) -> SessionLimits {
        SessionLimits { is_attended: self.is_attended.load(Ordering::Relaxed), ..self.limits }
    }

    /// The memory that the server uses for the session.
    pub(crate) fn share(&self) -> &Arc<Share> {
        &self.share
    }

    /// Sets whether the gateway detects that the client has disappeared. Returns whether this is a change.
    pub(crate) fn set_attended(&self, is_attended: bool) -> bool {
        let is_change = self.is_attended.swap(is_attended, Ordering::Relaxed) != is_attended;
        if is_change {
            self.store();
        }
        is_change
    }

    /// Notes whether somebody waits for an entity of its agents.
    pub(crate) fn set_wanted(&self, is_wanted: bool) {
        self.is_wanted.store(is_wanted, Ordering::Relaxed);
    }

    /// Returns whether somebody waits for an entity of its agents.
    pub(crate) fn is_wanted(&self) -> bool {
        self.is_wanted.load(Ordering::Relaxed)
    }

    /// Continues notifications that were delayed because there was no [room](Receiver::has_room).
    pub fn continue_notifications(&self) {
        let held_back = std::mem::take(&mut *self.held_back.lock());
        held_back.iter().filter_map(Weak::upgrade).for_each(|source| source.proceed(self.number));
    }

    /// Stores the session from now on.
    pub(crate) fn keep(&self, data: &Arc<HubData>) {
        // A session is stored only once.
        let _ = self.data.set(data.clone());
    }

    /// Stores the rights and limits of the session, if it is stored at all.
    pub(crate) fn store(&self) {
        if let Some(data) = self.data() {
            data.put_session(self.number, self.rights, self.limits());
        }
    }

    /// The data in which the session is stored, if it is.
    pub(crate) fn data(&self) -> Option<&HubData> {
        self.data.get().map(|data| &**data)
    }

    /// Forgets a subscription that has ended.
    pub(crate) fn forget_subscription(&self, number: u64) -> Option<Option<EcoString>> {
        if let Some(data) = self.data() {
            data.remove_subscription(self.number, number);
        }
        self.belongings().subscriptions.remove(&number).map(|one| one.environment)
    }

    pub(crate) fn receiver(&self) -> &dyn Receiver {
        &*self.receiver
    }

    pub(crate) fn belongings(&self) -> MutexGuard<'_, Belongings> {
        self.belongings.lock()
    }

    /// Notes whether the client is connected, if that is still due. Returns `None` if it is not, or if the session has
    /// ended.
    pub(crate) fn set_presence(
        &self,
        presence: Presence,
        is_due: impl FnOnce() -> bool,
    ) -> Option<MutexGuard<'_, Belongings>> {
        let mut belongings = self.belongings();
        if belongings.check_open().is_err() || !is_due() {
            return None;
        }
        belongings.presence = presence;
        self.is_absent.store(matches!(presence, Presence::Absent(_)), Ordering::Relaxed);
        Some(belongings)
    }

    /// Whether the client is disconnected, and may resume the session.
    pub(crate) fn is_absent(&self) -> bool {
        self.is_absent.load(Ordering::Relaxed)
    }

    /// Whether there is room for notifications. If not, calls the source again as soon as there is.
    pub(crate) fn has_room(&self, source: &Weak<dyn NotificationSource>) -> bool {
        if self.receiver.has_room() {
            return true;
        }
        let mut held_back = self.held_back.lock();
        if !held_back.iter().any(|one| one.ptr_eq(source)) {
            held_back.push(source.clone());
        }
        drop(held_back);
        // Check again: room may have appeared before the source was added to the list.
        self.receiver.has_room()
    }
}

impl Belongings {
    fn new(share: Arc<Share>) -> Self {
        let charge = share.charge();
        let (agents, subscriptions, next_subscription, hosted, presence) = Default::default();
        Self { share, agents, charge, subscriptions, next_subscription, hosted, presence }
    }

    /// Adds a subscription, whose topic has this size in bytes, and returns its number.
    pub(crate) fn subscribe(&mut self, to: Option<EcoString>, bytes: usize, limit: usize) -> Result<u64, Error> {
        self.check_open()?;
        if self.subscriptions.len() >= limit {
            let (what, remedy) = ("subscriptions of a session", "end one first");
            return Err(Error::Limit { what, limit, remedy });
        }
        let mut charge = self.share.charge();
        let resized = charge.resize(SUBSCRIPTION_BYTES + bytes);
        resized.map_err(|reason| Error::NoRoom { what: "the subscription".into(), reason })?;
        self.next_subscription += 1;
        self.subscriptions.insert(self.next_subscription, OwnSubscription { environment: to, _charge: charge });
        Ok(self.next_subscription)
    }

    /// Adds a subscription that the session had in another process.
    pub(crate) fn restore_subscription(&mut self, number: u64, to: Option<EcoString>) {
        self.next_subscription = self.next_subscription.max(number);
        let mut charge = self.share.charge();
        charge.set(SUBSCRIPTION_BYTES);
        self.subscriptions.insert(number, OwnSubscription { environment: to, _charge: charge });
    }

    /// Adds an agent that is about to be registered with an environment, or with the server only.
    pub(crate) fn add_agent(
        &mut self,
        agent: &EcoString,
        environment: Option<&EcoString>,
        limit: usize,
    ) -> Result<(), Error> {
        self.check_open()?;
        if !self.agents.contains_key(agent) && self.agents.len() >= limit {
            return Err(Error::TooManyAgents { limit });
        }
        let environment = environment.cloned();
        if !self.agents.get(agent).is_some_and(|environments| environments.contains(&environment)) {
            let resized = self.charge.resize(self.charge.bytes() + size_of_agent(agent));
            resized.map_err(|reason| Error::NoRoom { what: format!("agent `{agent}`"), reason })?;
        }
        self.agents.entry(agent.clone()).or_default().insert(environment);
        Ok(())
    }

    /// Removes a registration of an agent. Returns whether it was the last one.
    pub(crate) fn remove_agent(&mut self, agent: &str, environment: Option<&EcoString>) -> bool {
        let Some(environments) = self.agents.get_mut(agent) else { return false };
        if environments.remove(&environment.cloned()) {
            self.charge.set(self.charge.bytes().saturating_sub(size_of_agent(agent)));
        }
        if !environments.is_empty() {
            return false;
        }
        self.agents.remove(agent);
        true
    }

    /// Adds an environment that the session hosts.
    pub(crate) fn add_hosted(&mut self, environment: &EcoString) -> Result<(), Error> {
        self.check_open()?;
        self.hosted.insert(environment.clone());
        Ok(())
    }

    /// Whether the session hosts this environment, or has hosted it.
    pub(crate) fn has_hosted(&self, environment: &str) -> bool {
        self.hosted.contains(environment)
    }

    /// The environments in which the session has agents, with these.
    pub(crate) fn residences(&self) -> BTreeMap<EcoString, Vec<EcoString>> {
        let mut residences = BTreeMap::<EcoString, Vec<EcoString>>::new();
        for (agent, environments) in &self.agents {
            for environment in environments.iter().flatten() {
                residences.entry(environment.clone()).or_default().push(agent.clone());
            }
        }
        residences
    }

    /// The environments to which the session has subscribed or which it hosts.
    pub(crate) fn concerned(&self) -> BTreeSet<EcoString> {
        self.subscriptions.values().filter_map(|one| one.environment.as_ref()).chain(&self.hosted).cloned().collect()
    }

    /// Returns an error if the session has ended.
    pub(crate) fn check_open(&self) -> Result<(), Error> {
        if self.presence == Presence::Ended { Err(Error::SessionEnded) } else { Ok(()) }
    }

    /// Whether the session owns nothing that would be lost when it ends.
    pub(crate) fn is_empty(&self) -> bool {
        self.agents.is_empty() && self.subscriptions.is_empty() && self.hosted.is_empty()
    }

    pub(crate) fn presence(&self) -> Presence {
        self.presence
    }

    /// Ends the session: nothing can be added any more. The environments then remove its agents and subscriptions.
    pub(crate) fn end(&mut self) -> Estate {
        self.presence = Presence::Ended;
        Estate { agents: self.agents.clone(), hosted: self.hosted.clone() }
    }
}

/// The approximate memory of an agent in one environment.
fn size_of_agent(name: &str) -> usize {
    AGENT_BYTES + name.len()
}
