//! Sessions come, lose their connection, come back, and end.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use situated::iil::EcoString;
use situated_runtime::wall_clock;
use situated_wire::methods::{Greeting, Hello, Right, Role};
use situated_wire::{Code, Error, PROTOCOL};

use super::{Hub, shutting_down};
use crate::instance::{Instance, Job};
use crate::session::{Ended, Session};

impl Hub {
    /// Begins a session, or goes on with one, and attaches the connection while the session cannot end.
    pub(crate) fn greet(
        &self,
        hello: Hello,
        connection: u64,
        attach: impl FnOnce(&Session, &Greeting),
    ) -> Result<Arc<Session>, Error> {
        let Hello { protocol, role, token, resume, client } = hello;
        if protocol != PROTOCOL {
            let message = format!("this server speaks version {PROTOCOL} of the protocol, not {protocol}");
            return Err(Error::new(Code::Version, message).with_details(PROTOCOL));
        }
        let rights = self.settings.access.rights(role, token.as_deref())?;
        let resumed = resume.is_some();
        let mut sessions = self.sessions.lock();
        // Whoever closes the server looks here afterwards.
        if self.is_closing() {
            return Err(shutting_down());
        }
        let session = match resume {
            Some(resume) => find(&sessions, &resume, role, &rights)?,
            None => {
                let number = self.next_session.fetch_add(1, Ordering::Relaxed);
                let (limits, metrics) = (self.settings.limits, self.metrics.clone());
                let session = Arc::new(Session::new(number, secret()?, role, rights, limits, metrics));
                sessions.insert(session.resume.clone(), session.clone());
                self.metrics.sessions.inc();
                session
            }
        };
        tracing::info!(session = session.number, connection, ?role, client, resumed, "greeted");
        let greeting = Greeting {
            protocol: PROTOCOL,
            server: concat!("situated ", env!("CARGO_PKG_VERSION")).into(),
            rights: session.rights.clone(),
            resume: session.resume.clone(),
            resumed,
            grace_ms: u64::try_from(self.settings.grace.as_millis()).unwrap_or(u64::MAX),
            limits: session.limits,
            time: wall_clock(),
        };
        attach(&session, &greeting);
        drop(sessions);
        if resumed {
            self.resume(&session);
        }
        Ok(session)
    }

    /// A session goes on: what it has subscribed to is told anew.
    fn resume(&self, session: &Session) {
        let concerned: BTreeSet<EcoString> = {
            let belongings = session.belongings();
            belongings.subscriptions.values().flatten().chain(&belongings.hosted).cloned().collect()
        };
        for instance in concerned.iter().filter_map(|environment| self.find(environment).ok()) {
            instance.submit(Job::Resumed { session: session.number });
        }
        self.listing.resume(session.number);
    }

    /// A connection is lost: its session has so long to come back.
    pub(crate) fn lose(self: &Arc<Self>, session: Arc<Session>, connection: u64) {
        if !session.outbox().detach(connection) {
            return;
        }
        let has_nothing = session.belongings().is_empty();
        if has_nothing || self.is_closing() {
            return self.end_session_if(&session, || session.outbox().is_forsaken_by(connection));
        }
        let (hub, grace) = (self.clone(), self.settings.grace);
        tracing::info!(session = session.number, connection, "lost its connection");
        tokio::spawn(async move {
            tokio::time::sleep(grace).await;
            hub.end_session_if(&session, || session.outbox().is_forsaken_by(connection));
        });
    }

    /// A session ends: its agents are unregistered.
    pub(crate) fn end_session(&self, session: &Session) {
        self.end_session_if(session, || true);
    }

    fn end_session_if(&self, session: &Session, is_over: impl FnOnce() -> bool) {
        let ended = {
            let mut sessions = self.sessions.lock();
            if !is_over() || sessions.remove(&session.resume).is_none() {
                return;
            }
            session.belongings().end()
        };
        self.metrics.sessions.dec();
        let Ended { agents, hosted } = ended;
        hosted.iter().for_each(|environment| self.remove_hosted(environment, session.number));
        self.listing.forget(session.number);
        let instances: Vec<Arc<Instance>> = self.instances.read().values().cloned().collect();
        for instance in instances {
            let name = &instance.identity().name;
            let lives_here = |(agent, environments): (&EcoString, &BTreeSet<EcoString>)| {
                environments.contains(name).then(|| agent.clone())
            };
            let agents = agents.iter().filter_map(lives_here).collect();
            instance.submit(Job::Gone { session: session.number, agents });
        }
        tracing::info!(session = session.number, agents = agents.len(), "ended");
    }
}

/// The session with this resume token, if whoever comes is the one who began it.
fn find(
    sessions: &HashMap<String, Arc<Session>>,
    resume: &str,
    role: Role,
    rights: &[Right],
) -> Result<Arc<Session>, Error> {
    let ended = || {
        let message = "there is no session with this resume token; it has ended, begin a new one";
        Error::new(Code::SessionEnded, message)
    };
    let session = sessions.get(resume).cloned().ok_or_else(ended)?;
    if session.role != role || session.rights != rights {
        let message = "the session was begun in another role, or with another token";
        return Err(Error::new(Code::Forbidden, message));
    }
    Ok(session)
}

/// A token that nobody guesses: 128 random bits.
fn secret() -> Result<String, Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::new(Code::Internal, format!("the system has no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
