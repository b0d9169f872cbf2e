//! A mill. Its actions return percepts, fail, take a long time, break the ontology or panic.

use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use situated::iil::Percept;
use situated::prelude::*;
use situated_client::{Agent, Client};
use situated_wire::methods::Role;

use crate::server::TestServer;

/// A mill with the number of turns of its wheel.
#[derive(Serialize, Deserialize)]
pub(crate) struct Mill {
    turns: u64,
    /// The guest of the miller. Another one comes after each turn.
    guest: Option<EntityId>,
    /// Whether the miller hears an owl with the next turn.
    owl: bool,
}

#[derive(Clone, Copy, Debug, InitParameters)]
pub(crate) struct Parameters {
    /// Number of turns at the beginning.
    #[parameter(default = 0)]
    turns: u64,
}

#[derive(Clone, Debug, Action)]
pub(crate) enum Work {
    /// Returns the number of turns.
    Look,
    /// Always fails.
    Fly,
    /// Turns the wheel by hand, which takes this time.
    Turn { milliseconds: u64 },
    /// Makes the miller hear an owl with the next turn, which only guests can.
    Wake,
    /// The mill collapses.
    Collapse,
}

#[derive(Clone, Debug, Percept)]
pub(crate) enum Sight {
    /// Number of turns.
    #[percept(on_change)]
    Turned { times: u64 },
    /// The result of looking.
    #[percept(event)]
    Counted { times: u64 },
    /// An owl has hooted.
    #[percept(event, entities("guest"))]
    Hooted,
}

impl Environment for Mill {
    type Parameters = Parameters;
    type Action = Work;
    type Percept = Sight;

    fn ontology() -> Ontology {
        let mill = Self::ontology_builder("mill", "1.0", "A mill.");
        mill.entity_type("miller", "Looks after it.").entity_type("guest", "Visits it.").build()
    }

    fn init(given: &Parameters, context: &mut Context<Sight>) -> Result<Self, Failure> {
        context.add_entity("miller", "miller")?;
        Ok(Mill { turns: given.turns, guest: None, owl: false })
    }

    fn act(&mut self, _: EntityId, work: &Work, context: &mut Context<Sight>) -> Result<(), Failure> {
        match work {
            Work::Look => context.answer(Sight::Counted { times: self.turns }),
            Work::Fly => return Err(Failure::new("millers do not fly")),
            Work::Turn { milliseconds } => {
                thread::sleep(Duration::from_millis(*milliseconds));
                self.turns += 1;
            }
            Work::Wake => self.owl = true,
            // A panic whose report is not printed: on a busy machine, finding the names for its backtrace takes longer
            // than the server waits for a host.
            Work::Collapse => std::panic::resume_unwind(Box::new("a beam has snapped")),
        }
        Ok(())
    }

    fn step(&mut self, context: &mut Context<Sight>) {
        self.turns += 1;
        if let Some(guest) = self.guest.take() {
            context.delete_entity(guest);
        }
        self.guest = context.add_entity(format!("guest{}", self.turns), "guest").ok();
        context.tell_all(&Sight::Counted { times: self.turns });
        if std::mem::take(&mut self.owl) {
            context.tell_all(&Sight::Hooted);
        }
    }

    fn percepts(&self, _: EntityId, _: &Context<Sight>, percepts: &mut Percepts<'_, Sight>) {
        percepts.add(Sight::Turned { times: self.turns });
    }
}

pub(crate) fn turned(times: u64) -> Percept {
    Percept::new("turned", [i64::try_from(times).expect("few").into()])
}

/// An agent of the miller that has perceived. The first perception may be empty, since it does not wait for the host.
pub(crate) async fn miller(server: &TestServer, agent: &str, mill: &str) -> Agent {
    let client = Client::connect(&server.addresses()[1]).role(Role::Platform).await.expect("the server listens");
    let environment = client.environment(mill);
    server.wait_for(mill).await;
    let mut agent = environment.register(agent).await.expect("the name is free");
    agent.associate("miller").await.expect("it is free");
    while agent.beliefs("miller").is_empty() {
        agent.perceive().await.expect("it has one");
    }
    agent
}
