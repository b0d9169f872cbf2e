//! Seats: the agents of models. A seat is known by a handle that cannot be guessed, and not by a connection.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use situated::iil::{Action, EcoString};
use situated::interface::{Form, Perception, Since};
use situated_hub::{
    Acknowledge, Answering, Associate, Entities, Error, Hub, ListEntities, LocalSession, Perceive, Perceived, Register,
    Rights, Step, Stepped, Token, Turn,
};

use situated_tools::Beliefs;

/// Maximum number of seats of a server.
pub const SEATS: usize = 1024;

/// The time after the last call after which a seat is void.
pub const SEAT_LIFE: Duration = Duration::from_secs(3600);

/// The seats of a server.
#[derive(Default)]
pub(crate) struct Seats {
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    by_handle: HashMap<String, (Arc<Seat>, Instant)>,
    /// The number of the last agent without a name of its own.
    last: u64,
}

/// An agent with an entity. It leaves the environment when the last reference is dropped.
pub(crate) struct Seat {
    session: LocalSession,
    pub(crate) environment: EcoString,
    pub(crate) agent: EcoString,
    pub(crate) entity: EcoString,
    pub(crate) entity_type: EcoString,
    /// Locked during a call, so that the calls of a seat are done one after another.
    pub(crate) beliefs: tokio::sync::Mutex<Beliefs>,
}

/// Why nobody can join.
pub(crate) enum CannotJoin {
    /// All seats of the server are taken.
    Full,
    /// The entity does not exist or has an agent, or there is no free one.
    NoEntity(String),
    /// The hub has refused.
    Refused(Error),
}

impl fmt::Display for CannotJoin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CannotJoin::Full => f.write_str("all seats of this server are taken; try again later"),
            CannotJoin::NoEntity(why) => f.write_str(why),
            CannotJoin::Refused(error) => error.fmt(f),
        }
    }
}

impl From<Error> for CannotJoin {
    fn from(error: Error) -> Self {
        CannotJoin::Refused(error)
    }
}

impl Seats {
    /// Takes an entity for a new agent. Returns the handle.
    pub(crate) async fn join(
        &self,
        hub: &Arc<Hub>,
        environment: &str,
        rights: Rights,
        wanted: Option<&str>,
        name: Option<&str>,
    ) -> Result<(String, Arc<Seat>), CannotJoin> {
        let agent = name.map_or_else(|| self.next_name(), EcoString::from);
        let session = LocalSession::open(hub, rights)?;
        let environment = EcoString::from(environment);
        let listed = session.ask(ListEntities { environment: environment.clone() }).await?;
        let (entity, entity_type) = choose(&listed, wanted)?;
        session.ask(Register { environment: environment.clone(), agent: agent.clone() }).await?;
        let (at, by, to) = (environment.clone(), agent.clone(), entity.clone());
        session.ask(Associate { environment: at, agent: by, entity: to }).await?;
        let seat =
            Arc::new(Seat { session, environment, agent, entity, entity_type, beliefs: tokio::sync::Mutex::default() });
        let handle = Token::random().map_err(|_| Error::Unanswered)?.as_str().to_owned();
        let by_handle = &mut self.taken.lock().by_handle;
        if by_handle.len() >= SEATS {
            return Err(CannotJoin::Full);
        }
        by_handle.insert(handle.clone(), (seat.clone(), Instant::now()));
        Ok((handle, seat))
    }

    /// Returns the seat with this handle, and notes that it is used. Seats of other environments are unknown here.
    pub(crate) fn find(&self, handle: &str, environment: &str) -> Option<Arc<Seat>> {
        let mut taken = self.taken.lock();
        let (seat, used) = taken.by_handle.get_mut(handle)?;
        if seat.environment != environment || used.elapsed() > SEAT_LIFE {
            return None;
        }
        *used = Instant::now();
        Some(seat.clone())
    }

    /// Ends a seat.
    pub(crate) fn leave(&self, handle: &str) {
        self.taken.lock().by_handle.remove(handle);
    }

    /// Ends the seats whose time is over, so that their entities are free.
    pub(crate) fn end_unused(&self) {
        self.taken.lock().by_handle.retain(|_, (_, used)| used.elapsed() <= SEAT_LIFE);
    }

    /// Returns a name for an agent that has none of its own.
    fn next_name(&self) -> EcoString {
        let mut taken = self.taken.lock();
        taken.last += 1;
        EcoString::from(format!("model{}", taken.last))
    }
}

/// Chooses the wanted entity or the first free one.
fn choose(listed: &Entities, wanted: Option<&str>) -> Result<(EcoString, EcoString), CannotJoin> {
    let mut free = listed.entities.iter().filter(|entity| entity.agents.is_empty());
    let found = match wanted {
        Some(name) => listed.entities.iter().find(|entity| entity.name == name),
        None => free.next(),
    };
    if let Some(entity) = found {
        return Ok((entity.name.clone(), entity.entity_type.clone()));
    }
    let all: Vec<&str> = listed.entities.iter().map(|entity| entity.name.as_str()).collect();
    Err(CannotJoin::NoEntity(match (wanted, all.is_empty()) {
        (_, true) => "the environment has no entities yet; wait until it has begun".into(),
        (Some(name), _) => format!("there is no entity `{name}`; the entities are {}", all.join(", ")),
        (None, _) => format!("all entities have agents: {}; join again when one is free", all.join(", ")),
    }))
}

impl Seat {
    /// Acts and perceives. In lockstep, the answer comes when all agents have acted.
    pub(crate) fn act(&self, action: Option<Action>) -> Answering<Stepped> {
        let turn = Turn { agent: self.agent.clone(), action, entities: vec![], number: None };
        let (environment, form, since) = (self.environment.clone(), Form::Update, Since::Acknowledged);
        self.session.ask(Step { environment, turns: vec![turn], form, since, perceive: true })
    }

    /// Perceives what has changed.
    pub(crate) fn perceive(&self) -> Answering<Perceived> {
        let (environment, agent) = (self.environment.clone(), self.agent.clone());
        let (entities, form, since) = (vec![], Form::Update, Since::Acknowledged);
        self.session.ask(Perceive { environment, agent, entities, form, since })
    }

    /// Adds perceptions to the beliefs, and acknowledges them. Perceptions of a call that its caller has given up come
    /// again with the next one.
    pub(crate) fn receive(&self, beliefs: &mut Beliefs, perceptions: Vec<(EcoString, Perception)>) {
        let versions = perceptions.iter().map(|(entity, perception)| (entity.clone(), perception.version)).collect();
        perceptions.into_iter().for_each(|(_, perception)| beliefs.update(perception));
        let (environment, agent) = (self.environment.clone(), self.agent.clone());
        drop(self.session.ask(Acknowledge { environment, agent, versions }));
    }

    /// The session, for requests that concern the environment.
    pub(crate) fn session(&self) -> &LocalSession {
        &self.session
    }
}
