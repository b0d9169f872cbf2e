//! A team does not block others for entities that it never gets: each is deleted as soon as it is taken, and another
//! one is created.

use std::time::Duration;

use situated::interface::{Command, Interface};
use situated_runtime::{Input, Owner, Program, Reply, Request, Rule, Team, Time};
use situated_toys::mill::Mill;

use crate::driver::real_time;

/// This many milliseconds after the beginning.
fn at(milliseconds: u64) -> Time {
    Time { monotonic: Duration::from_millis(milliseconds), wall: milliseconds }
}

#[test]
fn a_team_that_never_gets_an_entity_blocks_no_other() {
    let owner = Owner::new(Box::new(Interface::<Mill>::new()), real_time(10.0));
    let mut owner: Owner<u32> = owner.with_team(Team::new(vec![Rule::all(Program::idle())]));
    let parameters = [("fleeting".to_owned(), true.into())].into();
    for command in [Command::Init { parameters, seed: 1 }, Command::Start] {
        owner.submit(0, Request::Input(Input::Manage(command)), at(0));
        assert!(matches!(owner.next_reply(), Some((0, Ok(Reply::Effect(_))))));
    }
    for time in (100..=1000).step_by(100) {
        owner.poll(at(time));
    }
    assert_eq!(owner.status().moment.step, 10);
}
