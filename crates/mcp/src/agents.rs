//! The agents of models. An agent is known by a handle that cannot be guessed, and not by a connection. Models know the
//! handle as their seat.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use situated::iil::EcoString;
use situated_hub::{Error, Hub, Rights, Token};
use situated_model::{CannotJoin, ModelAgent, Surroundings};
use tokio::time::Instant;

/// Maximum number of agents of a server.
const AGENTS: usize = 1024;

/// The time after the last call after which an agent leaves.
const LIFE: Duration = Duration::from_secs(3600);

/// The time after the last call after which a step in lockstep no longer waits for an agent, unless the environment has
/// a patience of its own. Most models think for less than this between two calls; otherwise the chat may have been
/// closed.
const QUIET: Duration = Duration::from_secs(60);

/// The agents of models on a server.
#[derive(Default)]
pub(crate) struct Agents {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    by_handle: HashMap<String, Arc<ModelAgent>>,
    /// The agents that last as long as their client.
    of_clients: Vec<Weak<ModelAgent>>,
    /// The number of the last agent without a name of its own.
    last: u64,
}

/// The reason why an agent cannot be kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CannotKeep {
    /// The server has as many agents of models as it can have.
    #[error("all seats of this server are taken; try again later")]
    Full,
    /// There is no handle for it.
    #[error(transparent)]
    Refused(#[from] Error),
}

impl Agents {
    /// Takes an entity for a new agent, which leaves when it is dropped. Without a name, it gets one that no other
    /// agent has.
    pub(crate) async fn join(
        &self,
        hub: &Arc<Hub>,
        surroundings: &Surroundings,
        rights: Rights,
        wanted: Option<&str>,
        name: Option<&str>,
    ) -> Result<ModelAgent, CannotJoin> {
        loop {
            let agent = name.map_or_else(|| self.next_name(), EcoString::from);
            match ModelAgent::join(hub, surroundings.clone(), rights, wanted, agent).await {
                // Other models of this server may have names of the same kind.
                Err(CannotJoin::Refused(Error::AgentTaken { .. })) if name.is_none() => {}
                joined => return joined,
            }
        }
    }

    /// Keeps an agent until it leaves or is unused. Returns the handle.
    pub(crate) fn keep(&self, agent: ModelAgent) -> Result<(String, Arc<ModelAgent>), CannotKeep> {
        let agent = Arc::new(agent);
        let handle = Token::random().map_err(|_| Error::Unanswered)?.as_str().to_owned();
        let by_handle = &mut self.kept.lock().by_handle;
        if by_handle.len() >= AGENTS {
            return Err(CannotKeep::Full);
        }
        agent.hide(&handle);
        by_handle.insert(handle.clone(), agent.clone());
        Ok((handle, agent))
    }

    /// Keeps an agent as long as its client does, even if nobody calls a tool for a long time.
    pub(crate) fn keep_for_client(&self, agent: ModelAgent) -> Arc<ModelAgent> {
        let agent = Arc::new(agent);
        self.kept.lock().of_clients.push(Arc::downgrade(&agent));
        agent
    }

    /// Returns the agent with this handle. Agents of other environments are unknown here.
    pub(crate) fn find(&self, handle: &str, environment: &str) -> Option<Arc<ModelAgent>> {
        let agent = self.kept.lock().by_handle.get(handle)?.clone();
        let is_valid =
            agent.surroundings().environment.as_str() == environment && agent.idle_time(Instant::now(), QUIET) <= LIFE;
        is_valid.then_some(agent)
    }

    /// Lets an agent leave.
    pub(crate) fn leave(&self, handle: &str) {
        self.kept.lock().by_handle.remove(handle);
    }

    /// Lets the agents leave whose time is over, so that their entities are free, and lets no step wait for quiet ones
    /// for long.
    pub(crate) fn sweep(&self, now: Instant) {
        let Kept { by_handle, of_clients, .. } = &mut *self.kept.lock();
        by_handle.retain(|_, agent| agent.idle_time(now, QUIET) <= LIFE);
        of_clients.retain(|agent| agent.upgrade().map(|agent| agent.idle_time(now, QUIET)).is_some());
    }

    /// Returns a name for an agent that has none of its own.
    fn next_name(&self) -> EcoString {
        let mut kept = self.kept.lock();
        kept.last += 1;
        EcoString::from(format!("model{}", kept.last))
    }
}

#[cfg(test)]
mod tests {
    use situated::interface::Command;
    use situated_hub::{HubSettings, Kinds, LocalSession, Owner, Tempo};
    use situated_registry::shipped;
    use tokio::runtime::Handle;
    use tokio::time::timeout;

    use super::*;

    /// Takes both entities of Find the Goals, in lockstep with this patience.
    async fn two_agents(patience: Option<Duration>) -> (Agents, Arc<ModelAgent>, Arc<ModelAgent>) {
        let registry = shipped();
        let goals = registry.find("find-goals").expect("it ships");
        let hub = Hub::new(HubSettings::default(), Kinds::new(), Handle::current());
        let owner = Owner::new((goals.interface)(), Tempo { patience, ..Tempo::of(&goals.ontology) });
        let init = Command::Init { parameters: [].into(), seed: 1 };
        hub.add("goals", owner, vec![init, Command::Start]).expect("it begins");
        let session = LocalSession::open(&hub, Rights::ALL).expect("there is room");
        let surroundings = Surroundings::of(&session, "goals", false).await.expect("it is there");
        let agents = Agents::default();
        let join = async |entity| agents.join(&hub, &surroundings, Rights::ALL, Some(entity), None).await;
        let red = agents.keep_for_client(join("red").await.expect("it is free"));
        let (handle, _) = agents.keep(join("blue").await.expect("it is free")).expect("there is room");
        let blue = agents.find(&handle, "goals").expect("it is kept");
        (agents, red, blue)
    }

    /// Lets the entity of an agent wait, and checks that this ends a step.
    async fn make_step(agent: &ModelAgent, step: u64) {
        let (told, _) = agent.call("wait", &Default::default()).await.expect("an action").expect("it is possible");
        assert!(told.contains(&format!("Step {step}")), "{told}");
    }

    #[tokio::test]
    async fn a_step_in_lockstep_does_not_wait_for_a_quiet_agent() {
        let (agents, _red, blue) = two_agents(None).await;
        agents.sweep(Instant::now() + QUIET + Duration::from_secs(1));
        make_step(&blue, 1).await;
    }

    #[tokio::test]
    async fn a_step_in_lockstep_waits_no_longer_for_agents_than_the_patience() {
        let (_agents, red, blue) = two_agents(Some(Duration::from_millis(50))).await;
        make_step(&blue, 1).await;
        make_step(&blue, 2).await;
        // Its model continues with the step at which it calls again.
        make_step(&red, 3).await;
    }

    #[tokio::test]
    async fn an_agent_is_not_idle_during_a_call() {
        let (_agents, red, _blue) = two_agents(None).await;
        let later = Instant::now() + 2 * QUIET;
        assert!(red.idle_time(later, QUIET) > QUIET);
        let arguments = Default::default();
        let mut call = Box::pin(red.call("wait", &arguments));
        let answered = timeout(Duration::from_millis(10), &mut call).await;
        assert!(answered.is_err(), "the other has not acted");
        assert_eq!(red.idle_time(later, QUIET), Duration::ZERO);
        drop(call);
        assert!(red.idle_time(later, QUIET) > QUIET, "its caller has given up");
    }
}
