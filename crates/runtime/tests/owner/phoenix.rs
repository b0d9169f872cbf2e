//! An environment that takes every entity back as soon as somebody has it, and makes another one.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use situated::environment::{Context, EntityId, Environment, Failure, News, Percepts};
use situated::interface::{Command, Interface};
use situated::ontology::Ontology;
use situated::{Action, InitParameters, Percept};
use situated_runtime::{Input, Owner, Program, Reply, Request, Rule, Team, Time};

use crate::driver::real_time;

/// So many milliseconds after the beginning.
fn at(milliseconds: u64) -> Time {
    Time { monotonic: Duration::from_millis(milliseconds), wall: milliseconds }
}

#[derive(Serialize, Deserialize)]
struct Ashes {
    born: u64,
}

#[derive(Clone, Debug, InitParameters)]
struct Nothing {}

#[derive(Clone, Debug, Action)]
enum Do {
    /// Burns.
    Burn,
}

#[derive(Clone, Debug, Percept)]
enum See {
    #[percept(always)]
    Fire,
}

impl Ashes {
    fn bear(&mut self, context: &mut Context<See>) -> Result<EntityId, Failure> {
        self.born += 1;
        context.add_entity(format!("phoenix{}", self.born), "bird")
    }
}

impl Environment for Ashes {
    type Parameters = Nothing;
    type Action = Do;
    type Percept = See;

    fn ontology() -> Ontology {
        Ontology::builder::<Nothing, Do, See>("ashes", "1", "Ashes.").entity_type("bird", "It burns.").build()
    }

    fn init(_: &Nothing, context: &mut Context<See>) -> Result<Self, Failure> {
        let mut ashes = Self { born: 0 };
        ashes.bear(context)?;
        Ok(ashes)
    }

    fn act(&mut self, _: EntityId, _: &Do, _: &mut Context<See>) -> Result<Vec<See>, Failure> {
        Ok(Vec::new())
    }

    fn percepts(&self, _: EntityId, _: &Context<See>, percepts: &mut Percepts<'_, See>) {
        percepts.add(See::Fire);
    }

    fn hear(&mut self, news: News, context: &mut Context<See>) {
        if let News::Taken(entity) = news {
            context.delete_entity(entity);
            self.bear(context).expect("the name is new");
        }
    }

    fn request(&mut self, _: &str, _: Option<&str>, context: &mut Context<See>) -> Result<EntityId, Failure> {
        self.bear(context)
    }
}

fn owner() -> Owner<u32> {
    Owner::new(Box::new(Interface::<Ashes>::new()), real_time(10.0))
}

fn begin(owner: &mut Owner<u32>) {
    for command in [Command::Init { parameters: BTreeMap::new(), seed: 1 }, Command::Start] {
        owner.submit(0, Request::Input(Input::Manage(command)), at(0));
        assert!(matches!(owner.next_reply(), Some((0, Ok(Reply::Effect(_))))));
    }
}

#[test]
fn a_team_that_never_gets_hold_of_an_entity_keeps_nobody_waiting() {
    let mut owner = owner().with_team(Team::new(vec![Rule::all(Program::idle())]));
    begin(&mut owner);
    for time in (100..=1000).step_by(100) {
        owner.poll(at(time));
    }
    assert_eq!(owner.status().moment.step, 10);
}
