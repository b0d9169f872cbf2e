//! The built-in agent of Find the Goals, in a process of its own; whoever speaks the protocol can be its partner.
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
    let body = arguments.next().ok_or("say which entity it is to have: red or blue")?;
    let steps: u32 = arguments.next().ok_or("say how many steps it is to make")?.parse()?;
    let server = arguments.next().or_else(|| env::var("SITUATED_URL").ok());
    let mut mind = teammate(&body).ok_or("there is no such entity")?;

    let client = Client::connect(server.as_deref().unwrap_or("ws://127.0.0.1:7467")).await?;
    let world = client.environment("find-goals");
    let agent = world.register(&format!("{body}-in-rust")).await?;
    let mut agent = agent.typed::<Action, Percept>();
    agent.associate(&body).await?;
    wait_for_partner(&world).await?;

    let mut told = agent.perceive().await?;
    let mut won = 0;
    for _ in 0..steps {
        let (_, perception) = &told[0];
        let stepped = agent.step(mind.decide(perception)).await?;
        stepped.acted.check()?;
        told = stepped.perceptions;
        won += told[0].1.events.iter().map(reward).sum::<i32>();
    }
    println!("{body} has seen both win {won} points in {steps} steps.");
    drop(agent);
    client.close().await?;
    Ok(())
}

/// Where all act together, nobody waits for who has not come yet.
async fn wait_for_partner(world: &Environment) -> Result<(), situated_client::Error> {
    while world.entities().await?.entities.iter().any(|body| body.agents.is_empty()) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}

fn reward(event: &Percept) -> i32 {
    if let Percept::Reward { joint } = event { *joint } else { 0 }
}
