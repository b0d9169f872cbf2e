//! Opening, disconnecting, resuming and ending sessions.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use situated::iil::EcoString;
use situated_runtime::wall_clock;
use situated_wire::Rights;
use situated_wire::methods::{Bye, Hello, Ping, Subscribe, Subscribed, Topic, Unsubscribe};
use situated_wire::notifications::RemarkSeen;

use super::{AtHub, Hub};
use crate::data::KeptSubscription;
use crate::error::Error;
use crate::feed::check;
use crate::limits::SessionLimits;
use crate::notifications::MessageSeen;
use crate::reply::Reply;
use crate::session::{Estate, Presence, Receiver, Session};

/// Time before the next attempt to end a session, if that failed.
const AGAIN: Duration = Duration::from_secs(1);

impl Hub {
    /// Opens a session with these rights. The receiver takes its answers and notifications.
    ///
    /// # Errors
    /// Returns an error if the hub is closing.
    pub fn open_session(
        &self,
        rights: Rights,
        limits: SessionLimits,
        receiver: Arc<dyn Receiver>,
    ) -> Result<Arc<Session>, Error> {
        let number = self.next_session.fetch_add(1, Ordering::Relaxed);
        let session = Arc::new(Session::new(number, rights, limits, self.budget.share(), receiver));
        let mut sessions = self.sessions.lock();
        // Closing sets the flag first and looks at the sessions afterwards, so this session is not missed.
        if self.is_closing() {
            return Err(Error::ShuttingDown);
        }
        sessions.insert(number, session.clone());
        Ok(session)
    }

    /// Stores a session, if the hub has data. Another process continues it when its gateway
    /// [reopens](Self::reopen_session) it.
    pub fn keep_session(&self, session: &Session) {
        if let Some(data) = &self.settings.data {
            session.keep(data);
            session.store();
        }
    }

    /// Sets whether the gateway detects that the client of a session has disappeared. Otherwise, a step in lockstep waits for
    /// its agents for a limited time only.
    pub fn set_attended(&self, session: &Arc<Session>, is_attended: bool) {
        if !session.set_attended(is_attended) {
            return;
        }
        let residences = session.belongings().residences();
        for (environment, agents) in residences {
            if let Ok(environment) = self.find(&environment) {
                let session = session.clone();
                environment.submit(move |seat, _| seat.set_attended(&session, &agents));
            }
        }
    }

    /// Resumes a session whose client was disconnected, and sends all its subscriptions again. `is_attended` says
    /// whether the gateway detects that the new client has disappeared.
    ///
    /// # Errors
    /// Returns an error if the session has ended.
    pub fn resume_session(&self, session: &Arc<Session>, is_attended: bool) -> Result<(), Error> {
        let concerned = session.set_presence(Presence::Present, || true).ok_or(Error::SessionEnded)?.concerned();
        self.set_attended(session, is_attended);
        let number = session.number();
        for environment in concerned.iter().filter_map(|environment| self.find(environment).ok()) {
            environment.submit(move |seat, now| seat.resume(number, now));
        }
        self.watchers.resume(number);
        self.conversations.feed().resume(number);
        self.remarks.resume(number);
        self.post.resume(number);
        Ok(())
    }

    /// Holds back the mail of a session that a new connection resumes, until it is [resumed](Self::resume_session).
    pub fn suspend_session(&self, session: &Session) {
        self.post.suspend(session.number());
    }

    /// Notes that the client of a session is disconnected, unless `is_gone` denies it: another connection may have
    /// resumed the session. The session ends after the grace period, or at once if it owns nothing.
    pub fn disconnect_session(self: &Arc<Self>, session: &Arc<Session>, is_gone: impl FnOnce() -> bool) {
        let absence = Presence::Absent(self.next_absence.fetch_add(1, Ordering::Relaxed));
        let set = session.set_presence(absence, is_gone);
        let Some(is_empty) = set.map(|belongings| belongings.is_empty()) else { return };
        if is_empty || self.is_closing() {
            return self.end_session_if(session, |presence| presence == absence, Error::SessionEnded);
        }
        self.end_after_grace(session, absence);
    }

    /// Ends a session after the grace period, unless it is resumed before.
    pub(super) fn end_after_grace(self: &Arc<Self>, session: &Arc<Session>, absence: Presence) {
        let (hub, session, mut rest) = (Arc::downgrade(self), session.clone(), self.settings.grace);
        self.executor.spawn(async move {
            loop {
                tokio::time::sleep(rest).await;
                let Some(hub) = hub.upgrade() else { return };
                if hub.check_data().is_ok() {
                    return hub.end_session_if(&session, |presence| presence == absence, Error::SessionEnded);
                }
                // Its agents could not be unregistered.
                rest = AGAIN;
            }
        });
    }

    /// Ends a session: its agents are unregistered, and the environments that it hosts are removed.
    pub fn end_session(&self, session: &Session, reason: Error) {
        self.end_session_if(session, |presence| presence != Presence::Ended, reason);
    }

    fn end_session_if(&self, session: &Session, is_due: impl Fn(Presence) -> bool, reason: Error) {
        let (Estate { agents, hosted }, subscriptions) = {
            let mut belongings = session.belongings();
            if !is_due(belongings.presence()) {
                return;
            }
            (belongings.end(), belongings.subscriptions.keys().copied().collect::<Vec<_>>())
        };
        let number = session.number();
        if let Some(data) = session.data() {
            subscriptions.iter().for_each(|subscription| data.remove_subscription(number, *subscription));
            data.remove_session(number);
        }
        self.sessions.lock().remove(&number);
        hosted.iter().for_each(|environment| self.remove_hosted(environment, number));
        self.watchers.forget(number);
        self.conversations.feed().forget(number);
        self.remarks.forget(number);
        let with_mailbox = agents.iter().filter(|(_, environments)| environments.contains(&None));
        with_mailbox.for_each(|(agent, _)| self.post.release(session, agent, None));
        let environments: Vec<_> = self.environments.read().values().cloned().collect();
        for environment in environments {
            let name = environment.profile.name();
            let registered = agents.iter().filter(|(_, environments)| environments.contains(&Some(name.clone())));
            let agents: Vec<EcoString> = registered.map(|(agent, _)| agent.clone()).collect();
            environment.submit(move |seat, now| seat.forget(number, &agents, now));
        }
        session.receiver().close(reason);
        tracing::info!(session = number, agents = agents.len(), "ended");
    }
}

impl AtHub for Hello {
    fn handle(self, _: &Arc<Hub>, reply: Reply<Self>) {
        reply.refuse(Error::AlreadyGreeted);
    }
}

impl AtHub for Ping {
    fn handle(self, _: &Arc<Hub>, reply: Reply<Self>) {
        reply.send_time(Ok(()));
    }
}

impl AtHub for Bye {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        // The agents of the session could not be unregistered.
        if let Err(error) = hub.check_data() {
            return reply.refuse(error);
        }
        let session = reply.session().clone();
        reply.send_time(Ok(()));
        hub.end_session(&session, Error::SessionEnded);
    }
}

impl AtHub for Subscribe {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        let session = reply.session().clone();
        let begun = match &self.to {
            Topic::Environments {} => hub.subscribe(&session, &self.to),
            Topic::Mail { agent } => hub.post.subscribe(&session, agent),
            Topic::Conversations(filter) => {
                check::<MessageSeen>(filter).and_then(|()| hub.subscribe(&session, &self.to))
            }
            Topic::Remarks(filter) => check::<RemarkSeen>(filter).and_then(|()| hub.subscribe(&session, &self.to)),
            Topic::Happenings { .. } | Topic::Percepts { .. } | Topic::Scene { .. } | Topic::Activity { .. } => {
                hub.pass_on(self, reply);
                return;
            }
        };
        match begun {
            Err(error) => reply.refuse(error),
            Ok(subscription) => {
                reply.answer(Subscribed { subscription, time: wall_clock() });
                hub.begin_subscription(&session, subscription, self.to);
            }
        }
    }
}

impl Hub {
    /// Adds a subscription to a topic of the whole server. It [begins](Self::begin_subscription) after its answer.
    fn subscribe(&self, session: &Session, to: &Topic) -> Result<u64, Error> {
        let number = session.belongings().subscribe(None, 0, session.limits().subscriptions)?;
        if let Some(data) = session.data() {
            data.put_subscription(&KeptSubscription { session: session.number(), number, topic: to.clone() });
        }
        Ok(number)
    }

    /// Begins a subscription to a topic of the whole server.
    pub(super) fn begin_subscription(&self, session: &Arc<Session>, number: u64, to: Topic) {
        match to {
            Topic::Environments {} => self.watchers.add(session, number),
            Topic::Mail { .. } => self.post.begin(session, number),
            Topic::Conversations(filter) => self.conversations.feed().subscribe(session, number, filter),
            Topic::Remarks(filter) => self.remarks.subscribe(session, number, filter),
            // Environments begin these.
            Topic::Happenings { .. } | Topic::Percepts { .. } | Topic::Scene { .. } | Topic::Activity { .. } => {}
        }
    }
}

impl AtHub for Unsubscribe {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        let subscription = self.subscription;
        let session = reply.session().number();
        let removed = reply.session().forget_subscription(subscription);
        match removed {
            None => return reply.refuse(Error::NoSuchSubscription { subscription }),
            Some(None) => {
                hub.watchers.remove(session, subscription);
                hub.conversations.feed().unsubscribe(session, subscription);
                hub.remarks.unsubscribe(session, subscription);
                hub.post.unsubscribe(session, subscription);
            }
            // If the environment has been removed, its subscriptions have ended too.
            Some(Some(environment)) => {
                if let Ok(environment) = hub.find(&environment) {
                    environment.submit(move |seat, _| seat.unsubscribe(session, subscription));
                }
            }
        }
        reply.send_time(Ok(()));
    }
}
