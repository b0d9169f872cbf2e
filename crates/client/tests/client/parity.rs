//! The policy of tests/parity over the wire.

#[path = "../../../../tests/parity/policy.rs"]
mod policy;

use std::time::Duration;

use situated::interface::Perception;
use situated_client::{Client, Environment};
use situated_find_goals::{Action, Body, Direction, Percept, Sight};
use situated_wire::methods::{CreateEnvironment, Role};
use tokio::join;

use crate::server::{FIND_GOALS, TestServer};
use policy::{Walker, line};

const TRAJECTORY: &str = include_str!("../../../../tests/parity/find-goals.jsonl");

/// The actions of a walker, the rewards, and what it sees after each step.
async fn play(environment: &Environment, body: Body, steps: usize) -> Vec<(Action, i32, [Sight; 8])> {
    let agent = environment.register(body.name()).await.expect("the name is free");
    let mut agent = agent.typed::<Action, Percept>();
    agent.associate(body.name()).await.expect("it is free");
    // A step waits only for agents that are there.
    while environment.entities().await.expect("it is there").entities.iter().any(|one| one.agents.is_empty()) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let (mut walker, mut sights, mut played) = (Walker::new(body), [Sight::Free; 8], Vec::new());
    let mut told = agent.perceive().await.expect("it runs").remove(0).1;
    see(&mut sights, &told);
    for _ in 0..steps {
        let action = walker.decide(|direction: Direction| sights[direction as usize]);
        let mut stepped = agent.step(Some(action)).await.expect("it runs");
        stepped.acted.check().expect("it is possible");
        told = stepped.perceptions.remove(0).1;
        see(&mut sights, &told);
        let reward = told.events.iter().map(|event| if let Percept::Reward { joint } = event { *joint } else { 0 });
        played.push((action, reward.sum(), sights));
    }
    played
}

fn see(sights: &mut [Sight; 8], perception: &Perception<Percept>) {
    for percept in &perception.add {
        if let Percept::See { direction, what } = *percept {
            sights[direction as usize] = what;
        }
    }
}

#[tokio::test]
async fn the_policy_has_the_same_trajectory_over_the_wire() {
    let server = TestServer::open(Duration::ZERO);
    let client = Client::connect(&server.addresses()[1]).role(Role::Platform).await.expect("the server listens");
    let create = CreateEnvironment { start: true, ..CreateEnvironment::new(FIND_GOALS) };
    let environment = client.create(create).await.expect("there is room");
    let steps = TRAJECTORY.lines().count();
    let (red, blue) = join!(play(&environment, Body::Red, steps), play(&environment, Body::Blue, steps));
    for (expected, (red, blue)) in TRAJECTORY.lines().zip(red.into_iter().zip(blue)) {
        assert_eq!(red.1, blue.1, "the reward is joint");
        assert_eq!(line([red.0, blue.0], red.1, [red.2, blue.2]), expected);
    }
}
