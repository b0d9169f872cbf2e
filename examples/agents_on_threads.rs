//! A world on a thread of its own, and two agents on theirs, each with a handle.
//! `cargo run -p situated-runtime --example agents_on_threads`

use std::error::Error;
use std::thread;

use situated::agent::{Agent, Translated};
use situated::interface::{Command, Form, Interface, Moment, Since};
use situated_find_goals::FindGoals;
use situated_find_goals::team::teammate;
use situated_runtime::{Handle, Owner, Tempo, spawn};

fn main() -> Result<(), Box<dyn Error>> {
    let maze = Interface::<FindGoals>::new();
    let tempo = Tempo::of(maze.ontology());
    let (world, running) = spawn(Owner::new(Box::new(maze), tempo))?;
    world.manage(Command::Init { parameters: [].into(), seed: 1 }).wait()?;
    for body in ["red", "blue"] {
        world.register(body).wait()?;
        world.associate(body, body).wait()?;
    }
    world.manage(Command::Start).wait()?;
    let agents = ["red", "blue"].map(|body| {
        let world = world.clone();
        thread::spawn(move || live(&world, body))
    });

    // The agents decide the pace: a step is made when both have acted. An answer can be awaited as well.
    let moment = world.wait(Moment { episode: 1, step: 99, time: 0 }).wait()?;
    let outcome = world.look(|interface| interface.outcome()).wait()?.ok_or("there is an episode")?;
    world.manage(Command::Kill).wait()?;
    println!("in step {}:", moment.step);
    for result in outcome.results {
        println!("  {} {}: {}", result.of, result.name, result.value);
    }
    for agent in agents {
        let end = agent.join().expect("it does not panic");
        println!("an agent has ended, since {end}");
    }
    drop(world);
    running.join().expect("it does not panic")?;
    Ok(())
}

/// Perceives, decides and acts until the world no longer lets it; returns why.
fn live(world: &Handle, body: &str) -> situated_runtime::Error {
    let mut mind = Translated::new(teammate(body).expect("there is such a body"));
    loop {
        let turn = world.perceive(body, &[], Form::Update, Since::LastCall).wait().and_then(|told| {
            let (_, perception) = &told[0];
            match mind.decide(perception) {
                Some(action) => world.act(body, action, &[]).wait().map(drop),
                None => world.pass(body, &[]).wait(),
            }
        });
        if let Err(error) = turn {
            return error;
        }
    }
}
