//! Runs an environment in this process, with two agents on threads of their own.
//! `cargo run -p situated-hub --example agents_on_threads`

use std::error::Error;
use std::thread;

use situated::agent::{Agent, Translated};
use situated::interface::{Command, Interface, Moment};
use situated_find_goals::FindGoals;
use situated_find_goals::team::teammate;
use situated_hub::{GetOutcome, Kinds, LocalAgent, LocalHub, Manage, Owner, Perceived, Right, Tempo, Wait};

const MAZE: &str = "maze";

fn main() -> Result<(), Box<dyn Error>> {
    let hub = LocalHub::new(Kinds::new())?;
    let maze = Interface::<FindGoals>::new();
    let tempo = Tempo::of(maze.ontology());
    let init = Command::Init { parameters: [].into(), seed: 1 };
    hub.add(MAZE, Owner::new(Box::new(maze), tempo), vec![init])?;

    let session = hub.session([Right::Act, Right::Manage].into_iter().collect())?;
    for entity in ["red", "blue"] {
        let agent = session.agent(MAZE, entity);
        agent.register().wait()?;
        agent.associate(entity).wait()?;
    }
    session.ask(Manage { environment: MAZE.into(), command: Command::Start }).wait()?;
    let agents = ["red", "blue"].map(|entity| {
        let agent = session.agent(MAZE, entity);
        thread::spawn(move || play(&agent, entity))
    });

    // The agents decide the pace: a step is made when both have acted. An answer can be awaited as well.
    let after = Moment { episode: 1, step: 99, time: 0 };
    let reached = session.ask(Wait { environment: MAZE.into(), after }).wait()?;
    let outcome = session.ask(GetOutcome { environment: MAZE.into() }).wait()?.outcome.ok_or("there is an episode")?;
    session.ask(Manage { environment: MAZE.into(), command: Command::Kill }).wait()?;
    println!("in step {}:", reached.moment.step);
    for result in outcome.results {
        println!("  {} {}: {}", result.of, result.name, result.value);
    }
    for agent in agents {
        let end = agent.join().expect("it does not panic");
        println!("an agent has ended, since {end}");
    }
    Ok(())
}

/// Perceives, decides and acts until the environment refuses; returns why.
fn play(agent: &LocalAgent, entity: &str) -> situated_hub::Error {
    let mut mind = Translated::new(teammate(entity).expect("there is such an entity"));
    loop {
        let turn = agent.perceive().wait().and_then(|perceived| {
            let Perceived { moment, mut perceptions } = perceived;
            match mind.decide(&perceptions.swap_remove(0).into_perception(moment)) {
                Some(action) => agent.act(action).wait().map(drop),
                None => agent.pass().wait().map(drop),
            }
        });
        if let Err(error) = turn {
            return error;
        }
    }
}
