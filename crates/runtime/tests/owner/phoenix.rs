//! A world that takes every body back as soon as somebody has it, and makes another one.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use situated::environment::{Context, EntityId, Environment, Failure, News, Percepts};
use situated::interface::{Command, Interface};
use situated::ontology::Ontology;
use situated::{Action, InitParameters, Percept};
use situated_runtime::{
    Input, Owner, Program, Recorder, RecorderSettings, Recording, Reply, Request, Rule, Team, Time, replay,
};

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
fn a_team_that_never_gets_hold_of_a_body_keeps_nobody_waiting() {
    let mut owner = owner().with_team(Team::new(vec![Rule::all(Program::idle())]));
    begin(&mut owner);
    for time in (100..=1000).step_by(100) {
        owner.advance(at(time));
    }
    assert_eq!(owner.status().moment.step, 10);
}

#[test]
fn what_the_world_did_before_it_was_refused_is_replayed_too() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ashes.mcap");
    // It is there if the test has run before.
    let _ = std::fs::remove_file(&path);
    let mut owner = owner().with_recorder(Recorder::create(&path, RecorderSettings::default()).expect("room"));
    begin(&mut owner);
    let (agent, entity_type) = ("anna".into(), "bird".into());
    owner.submit(1, Request::Input(Input::Register { agent: "anna".into() }), at(0));
    owner.submit(2, Request::Input(Input::RequestEntity { agent, entity_type, name: None }), at(0));
    let replies: Vec<_> = std::iter::from_fn(|| owner.next_reply()).collect();
    assert!(matches!(replies[..], [(1, Ok(_)), (2, Err(_))]), "{replies:?}");
    owner.advance(at(100));
    owner.finish(at(100)).expect("room");
    let mut recording = Recording::open(&path).expect("it is one");
    let report = replay(&mut recording, |_| Some(Box::new(Interface::<Ashes>::new())), None, |_| {});
    let report = report.expect("it can be replayed");
    assert!(report.agrees(), "{report}");
}
