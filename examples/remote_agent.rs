//! Runs the built-in agent of Find the Goals in a process of its own. Any client of the protocol can be its partner.
//! `situated serve find-goals & cargo run -p situated-client --example remote_agent ENTITY STEPS [ws://ADDRESS:PORT]`

use std::env;
use std::error::Error;
use std::time::Duration;

use situated::agent::Agent;
use situated_client::{Client, Environment};
use situated_find_goals::team::teammate;
use situated_find_goals::{Action, Percept};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let entity = arguments.next().ok_or("expected an entity: red or blue")?;
    let steps: u32 = arguments.next().ok_or("expected a number of steps")?.parse()?;
    let server = arguments.next().or_else(|| env::var("SITUATED_URL").ok());
    let mut mind = teammate(&entity).ok_or("there is no such entity")?;

    let client = Client::connect(server.as_deref().unwrap_or("ws://127.0.0.1:7467")).await?;
    let environment = client.environment("find-goals");
    let agent = environment.register(&format!("{entity}-in-rust")).await?;
    let mut agent = agent.typed::<Action, Percept>();
    agent.associate(&entity).await?;
    wait_for_partner(&environment).await?;

    let mut perceptions = agent.perceive().await?;
    let mut won = 0;
    for _ in 0..steps {
        let (_, perception) = &perceptions[0];
        let stepped = agent.step(mind.decide(perception)).await?;
        stepped.acted.check()?;
        perceptions = stepped.perceptions;
        won += perceptions[0].1.events.iter().map(reward).sum::<i32>();
    }
    println!("{entity} has seen both win {won} points in {steps} steps.");
    drop(agent);
    client.close().await?;
    Ok(())
}

/// Waits until both entities have agents, since a step in lockstep only waits for agents that are there.
async fn wait_for_partner(environment: &Environment) -> Result<(), situated_client::Error> {
    while environment.entities().await?.entities.iter().any(|one| one.agents.is_empty()) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}

fn reward(event: &Percept) -> i32 {
    if let Percept::Reward { joint } = event { *joint } else { 0 }
}
