//! Restoring environments and sessions that another process stored.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use situated::iil::EcoString;
use situated::interface::Command;
use situated_runtime::{Checkpoint, Clock, HostTerms, Owner, Record, Tempo};
use situated_store::Journaled;
use situated_wire::methods::Topic;

use super::Hub;
use super::installing::{Keeping, Naming, Restored, WithoutRoom};
use crate::data::{HubData, KeptCorrespondent, KeptEnvironment, KeptSubscription};
use crate::environment::{Destination, RunningEnvironment};
use crate::error::Error;
use crate::session::{Presence, Receiver, Session};

/// Time between two checks whether the data can be written.
const LOOK: Duration = Duration::from_millis(500);

impl Hub {
    /// Restores a session that was stored under this number, if there is one. Its client can then resume it.
    pub fn reopen_session(&self, number: u64, receiver: Arc<dyn Receiver>) -> Option<Arc<Session>> {
        let data = self.settings.data.as_ref()?;
        let kept = data.kept().sessions.remove(&number)?;
        let session = Arc::new(Session::new(number, kept.rights(), kept.limits(), self.budget.share(), receiver));
        session.keep(data);
        let absence = Presence::Absent(self.next_absence.fetch_add(1, Ordering::Relaxed));
        drop(session.set_presence(absence, || true)?);
        self.sessions.lock().insert(number, session.clone());
        Some(session)
    }

    /// Restores everything that was stored and does not run yet. From now on, the time runs within which clients must
    /// resume their sessions. Call this after the gateways have reopened their sessions and after environments with
    /// programs were [added](Self::add).
    ///
    /// # Errors
    /// Returns an error if an environment cannot be restored.
    pub fn restore(self: &Arc<Self>) -> Result<(), Error> {
        let Some(data) = &self.settings.data else { return Ok(()) };
        let names: Vec<EcoString> = data.kept().environments.keys().cloned().collect();
        for name in names {
            let Some(kept) = data.kept().environments.remove(&name) else { continue };
            let host = kept.0.host.as_ref().map(|host| host.session);
            if host.is_some_and(|host| !self.sessions.lock().contains_key(&host)) {
                data.remove_environment(&name, &kept.0.journal);
                let (agents, subscriptions) = data.kept().take_of(Some(&name));
                agents.keys().for_each(|agent| data.remove_agent(&name, agent));
                for KeptSubscription { session, number, .. } in subscriptions {
                    data.remove_subscription(session, number);
                }
                continue;
            }
            self.restore_environment(name, kept, None)?;
        }
        let correspondents = std::mem::take(&mut data.kept().correspondents);
        for (address, KeptCorrespondent { session, agent }) in correspondents {
            let agent = agent.as_ref().unwrap_or(&address);
            let claimed = self.session(session).map(|session| self.post.claim(&session, agent, None, Some(&address)));
            if !matches!(claimed, Some(Ok(_))) {
                data.remove_correspondent(&address);
            }
        }
        let (_, subscriptions) = data.kept().take_of(None);
        for KeptSubscription { session, number, topic, .. } in subscriptions {
            let Some(session) = self.session(session) else {
                data.remove_subscription(session, number);
                continue;
            };
            if let Topic::Mail { agent } = &topic {
                self.post.restore_subscription(&session, number, agent);
            } else {
                session.belongings().restore_subscription(number, None);
                self.begin_subscription(&session, number, topic);
            }
        }
        self.post.close_abandoned();
        self.executor.spawn(self.post.clone().keep_expiring());
        self.executor.spawn(self.post.clone().keep_answering());
        // Sessions that no gateway has reopened.
        let forgotten = std::mem::take(&mut data.kept().sessions);
        forgotten.keys().for_each(|number| data.remove_session(*number));
        let sessions: Vec<Arc<Session>> = self.sessions.lock().values().cloned().collect();
        for session in sessions {
            let presence = session.belongings().presence();
            if let Presence::Absent(_) = presence {
                self.end_after_grace(&session, presence);
            }
        }
        Ok(())
    }

    /// Logs when the data can no longer be written, and when they can be written again.
    pub(super) async fn watch_data(hub: Weak<Self>) {
        let mut known = None;
        while let Some(hub) = hub.upgrade() {
            let failure = hub.data_failure();
            if failure != known {
                match &failure {
                    Some(reason) => tracing::error!(%reason, "changes are rejected: they cannot be stored"),
                    None => tracing::info!("changes can be stored again"),
                }
                known = failure;
                let environments: Vec<_> = hub.environments.read().values().cloned().collect();
                for environment in &environments {
                    environment.submit(|seat, _| seat.follow_status());
                }
            }
            drop(hub);
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Takes the stored environment of this name and kind, if it has no host.
    pub(super) fn take_kept(&self, name: &EcoString, kind: &str) -> Option<(KeptEnvironment, Journaled)> {
        let mut kept = self.settings.data.as_ref()?.kept();
        let matches = kept.environments.get(name).is_some_and(|(one, _)| one.kind == kind && one.host.is_none());
        if matches { kept.environments.remove(name) } else { None }
    }

    /// Restores a stored environment, with this owner if one is given.
    pub(super) fn restore_environment(
        &self,
        name: EcoString,
        (kept, journaled): (KeptEnvironment, Journaled),
        owner: Option<Owner<Destination>>,
    ) -> Result<Arc<RunningEnvironment>, Error> {
        let version = kept.version.clone();
        let failed = |reason: String| Error::NotRestored { name: name.clone(), version: version.clone(), reason };
        let checkpoint: Checkpoint = journaled.checkpoint(&kept.journal).map_err(|error| failed(error.to_string()))?;
        let records: Vec<Record<'static>> =
            journaled.records(&kept.journal).map_err(|error| failed(error.to_string()))?;
        let mut owner = match (owner, checkpoint.ontology()) {
            (Some(owner), _) => owner,
            (None, Some(ontology)) => {
                let owner = Owner::hosted(ontology.clone(), Tempo::of(ontology), HostTerms::default());
                owner.map_err(|error| failed(error.to_string()))?
            }
            (None, None) => {
                let kind = self.kinds.find(&kept.kind).map_err(|error| failed(error.to_string()))?;
                let team = kind.team(&kept.agents).map_err(|error| failed(error.to_string()))?;
                Owner::new((kind.interface)(), Tempo::of(&kind.ontology)).with_team(team)
            }
        };
        let (clock, count) = (Clock::new(), records.len());
        owner
            .resume(checkpoint, journaled.state(), records, Destination::NOBODY, clock.now())
            .map_err(|error| failed(error.to_string()))?;
        tracing::info!(environment = name.as_str(), records = count, "restored");
        let host = kept.host.as_ref().and_then(|host| self.session(host.session));
        let environment =
            self.install(&Naming::Exactly(name), owner, clock, host.clone(), Keeping::Again(kept), WithoutRoom::Count)?;
        if let Some(host) = host {
            host.belongings().add_hosted(environment.profile.name())?;
        }
        Ok(environment)
    }

    /// Returns the agents and subscriptions of those sessions that were reopened. Removes the others from the data.
    pub(super) fn restored(&self, data: &HubData, name: &EcoString, beginning: Option<(Command, bool)>) -> Restored {
        let (kept_agents, kept_subscriptions) = data.kept().take_of(Some(name));
        let (mut agents, mut subscriptions) = (BTreeMap::new(), Vec::new());
        for (agent, kept) in kept_agents {
            match self.session(kept.session) {
                Some(session) => drop(agents.insert(agent, (session, kept.address().clone()))),
                None => data.remove_agent(name, &agent),
            }
        }
        for kept in kept_subscriptions {
            match self.session(kept.session) {
                Some(session) => subscriptions.push((session, kept)),
                None => data.remove_subscription(kept.session, kept.number),
            }
        }
        Restored { agents, subscriptions, beginning }
    }

    /// The session of this number.
    fn session(&self, number: u64) -> Option<Arc<Session>> {
        self.sessions.lock().get(&number).cloned()
    }
}
