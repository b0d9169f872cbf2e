//! The agents of models. An agent is known by a handle that cannot be guessed, and not by a connection. Models know the
//! handle as their seat.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use situated::iil::EcoString;
use situated_hub::{Error, Hub, Rights, Token};
use situated_model::{CannotJoin, ModelAgent, Surroundings};
use tokio::time::Instant;

/// Maximum number of agents of a server.
const AGENTS: usize = 1024;

/// Maximum number of seats that are over of which the reason is remembered.
const VOID: usize = 1024;

/// The time after which agents are checked for use again.
pub(crate) const SWEEP: Duration = Duration::from_secs(5);

/// The time after the last call after which an agent leaves.
const LIFE: Duration = Duration::from_secs(3600);

/// The time after the last call after which an agent leaves if somebody waits for its entity: two minutes, with the
/// time until the next check.
const WANTED_LIFE: Duration = Duration::from_secs(115);

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
    /// The last handles of agents that have left, oldest first.
    void: VecDeque<(String, Void)>,
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

/// The reason why a seat is void.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Void {
    /// Its agent has left.
    #[error("this seat was left")]
    Left,
    /// Its agent was quiet for too long.
    #[error("this seat was not used for an hour")]
    Unused,
    /// Its agent was quiet, and another one waited for the entity.
    #[error("this seat was not used for two minutes while another agent waited for its entity")]
    GivenAway,
    /// It is a seat in another environment.
    #[error("this seat is for another environment of this server")]
    Elsewhere,
    /// There never was such a seat, or nobody remembers it.
    #[error("this server does not know this seat: it was restarted, the seat ended long ago, or it is mistyped")]
    Unknown,
}

impl Kept {
    /// Lets an agent leave.
    fn end(&mut self, handle: &str, why: Void) {
        if self.by_handle.remove(handle).is_none() {
            return;
        }
        if self.void.len() == VOID {
            self.void.pop_front();
        }
        self.void.push_back((handle.to_owned(), why));
    }

    /// Returns the reason why an agent has to leave now.
    fn is_over(agent: &ModelAgent, now: Instant) -> Option<Void> {
        let idle = agent.idle_time(now, QUIET);
        if idle > LIFE {
            return Some(Void::Unused);
        }
        (idle > WANTED_LIFE && agent.is_wanted()).then_some(Void::GivenAway)
    }
}

impl Agents {
    /// Takes an entity for a new agent, which leaves when it is dropped. Without a name, it gets one that no other
    /// agent has. If the entity has an agent that has been quiet for long, that one leaves.
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
                Err(CannotJoin::Taken(why)) => {
                    if let Some(when) = self.make_room(&surroundings.environment, wanted, Instant::now()) {
                        return Err(CannotJoin::Taken(format!("{why}{when}")));
                    }
                }
                joined => return joined,
            }
        }
    }

    /// Lets the agent of an entity leave, or of any entity of an environment, if it was quiet for long. Otherwise
    /// returns when to try again.
    fn make_room(&self, environment: &str, entity: Option<&str>, now: Instant) -> Option<String> {
        let kept = &mut *self.kept.lock();
        let is_in_the_way = |agent: &ModelAgent| {
            agent.surroundings().environment.as_str() == environment
                && entity.is_none_or(|entity| agent.entity() == entity)
        };
        let holding = kept.by_handle.iter().filter(|(_, agent)| is_in_the_way(agent));
        let quietest = holding.max_by_key(|(_, agent)| agent.idle_time(now, QUIET));
        let Some((handle, agent)) = quietest.map(|(handle, agent)| (handle.clone(), agent.clone())) else {
            return Some("; try again when one is free".into());
        };
        agent.want();
        if let Some(why) = Kept::is_over(&agent, now) {
            kept.end(&handle, why);
            return None;
        }
        let rest = (WANTED_LIFE + SWEEP).saturating_sub(agent.idle_time(now, QUIET)).as_secs_f64().ceil();
        let (agent, entity) = (agent.name(), agent.entity());
        Some(format!("; if `{agent}` calls no tool for {rest} s, `{entity}` is free: try again then"))
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

    /// Returns the agent with this handle in an environment.
    ///
    /// # Errors
    /// Returns the reason if it has no such agent.
    pub(crate) fn find(&self, handle: &str, environment: &str) -> Result<Arc<ModelAgent>, Void> {
        let kept = &mut *self.kept.lock();
        let Some(agent) = kept.by_handle.get(handle).cloned() else {
            let known = kept.void.iter().find(|(void, _)| void == handle);
            return Err(known.map_or(Void::Unknown, |(_, why)| *why));
        };
        if let Some(why) = Kept::is_over(&agent, Instant::now()) {
            kept.end(handle, why);
            return Err(why);
        }
        if agent.surroundings().environment.as_str() == environment { Ok(agent) } else { Err(Void::Elsewhere) }
    }

    /// Lets an agent leave.
    pub(crate) fn leave(&self, handle: &str) {
        self.kept.lock().end(handle, Void::Left);
    }

    /// Lets the agents leave whose time is over, so that their entities are free, and lets no step wait for quiet ones
    /// for long.
    pub(crate) fn sweep(&self, now: Instant) {
        let kept = &mut *self.kept.lock();
        let over =
            kept.by_handle.iter().filter_map(|(handle, agent)| Some((handle.clone(), Kept::is_over(agent, now)?)));
        over.collect::<Vec<_>>().into_iter().for_each(|(handle, why)| kept.end(&handle, why));
        kept.of_clients.retain(|agent| agent.upgrade().map(|agent| agent.idle_time(now, QUIET)).is_some());
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

    /// Find the Goals, in lockstep with this patience.
    async fn maze(patience: Option<Duration>) -> (Arc<Hub>, Surroundings) {
        let registry = shipped();
        let goals = registry.find("find-goals").expect("it ships");
        let hub = Hub::new(HubSettings::default(), Kinds::new(), Handle::current());
        let owner = Owner::new((goals.interface)(), Tempo { patience, ..Tempo::of(&goals.ontology) });
        let init = Command::Init { parameters: [].into(), seed: 1 };
        hub.add("goals", owner, vec![init, Command::Start]).expect("it begins");
        let session = LocalSession::open(&hub, Rights::ALL).expect("there is room");
        let surroundings = Surroundings::of(&session, "goals", false).await.expect("it is there");
        (hub, surroundings)
    }

    /// Takes both entities of Find the Goals.
    async fn two_agents(patience: Option<Duration>) -> (Agents, Arc<ModelAgent>, Arc<ModelAgent>) {
        let (hub, surroundings) = maze(patience).await;
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

    #[tokio::test]
    async fn a_quiet_agent_gives_its_entity_back_if_somebody_waits_for_it() {
        let (hub, surroundings) = maze(None).await;
        let agents = Agents::default();
        let join = async |entity| agents.join(&hub, &surroundings, Rights::ALL, entity, None).await;
        let _red = agents.keep_for_client(join(Some("red")).await.expect("it is free"));
        let (handle, blue) = agents.keep(join(None).await.expect("blue is free")).expect("there is room");
        let later = Instant::now() + WANTED_LIFE + SWEEP;
        agents.sweep(later);
        assert!(agents.find(&handle, "goals").is_ok(), "nobody waits for it");

        let when = "; if `model2` calls no tool for 120 s, `blue` is free: try again then";
        let refused = join(None).await.err().expect("there is no free entity").to_string();
        assert_eq!(refused, format!("all entities have agents: red, blue{when}"));
        blue.call("look", &Default::default()).await.expect("a tool").expect("it perceives");
        agents.sweep(later);
        assert!(agents.find(&handle, "goals").is_ok(), "its model still plays");
        let refused = join(Some("blue")).await.err().expect("it has an agent").to_string();
        assert_eq!(refused, format!("entity `blue` has at most one agent, and it has model2{when}"));
        drop(blue);
        agents.sweep(Instant::now() + WANTED_LIFE - SWEEP);
        assert!(agents.find(&handle, "goals").is_ok(), "it has not been quiet for two minutes");
        agents.sweep(later + SWEEP);
        assert_eq!(agents.find(&handle, "goals").err(), Some(Void::GivenAway));
        join(None).await.expect("it is free");
        // The client of red is still there.
        let refused = join(Some("red")).await.err().expect("it has an agent").to_string();
        assert_eq!(refused, "entity `red` has at most one agent, and it has model1; try again when one is free");
    }

    #[tokio::test]
    async fn agents_of_all_kinds_wait_for_an_entity() {
        let (hub, surroundings) = maze(None).await;
        let agents = Agents::default();
        let joined = agents.join(&hub, &surroundings, Rights::ALL, Some("blue"), None).await;
        let (handle, _) = agents.keep(joined.expect("it is free")).expect("there is room");
        let session = LocalSession::open(&hub, Rights::ALL).expect("there is room");
        let ben = session.agent("goals", "ben");
        ben.register().await.expect("the name is free");
        ben.associate("blue").await.expect_err("it has an agent");
        agents.sweep(Instant::now() + WANTED_LIFE + SWEEP);
        assert_eq!(agents.find(&handle, "goals").err(), Some(Void::GivenAway));
        ben.associate("blue").await.expect("it is free");
    }

    #[tokio::test]
    async fn a_seat_that_is_void_has_its_true_reason() {
        let (hub, surroundings) = maze(None).await;
        let agents = Agents::default();
        let joined = agents.join(&hub, &surroundings, Rights::ALL, None, None).await;
        let (handle, _) = agents.keep(joined.expect("it is free")).expect("there is room");
        assert_eq!(agents.find(&handle, "bw4t").err(), Some(Void::Elsewhere));
        agents.leave(&handle);
        assert_eq!(agents.find(&handle, "goals").err(), Some(Void::Left));
        let joined = agents.join(&hub, &surroundings, Rights::ALL, None, None).await;
        let (handle, _) = agents.keep(joined.expect("it is free")).expect("there is room");
        agents.sweep(Instant::now() + LIFE + SWEEP);
        assert_eq!(agents.find(&handle, "goals").err(), Some(Void::Unused));
        // A server that was restarted has given out no seats.
        assert_eq!(Agents::default().find(&handle, "goals").err(), Some(Void::Unknown));
    }
}
