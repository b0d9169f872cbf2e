//! `cargo run` plays one episode. `cargo run --features command` is the whole command, with the page.

#[cfg(feature = "command")]
fn main() -> std::process::ExitCode {
    use situated_cli::{Registry, environment};

    situated_cli::main(Registry::new().with(environment::<my_world::MyWorld>().with_agents()))
}

#[cfg(not(feature = "command"))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use my_world::*;

    use situated::prelude::*;

    let mut world = Interface::<MyWorld>::new();
    world.init(Parameters { length: 8 }, 1)?;
    world.start()?;
    let mut ada = world.join("ada", "robot")?;
    let mut collector = Collector::default();
    let mut perception = ada.perceive()?;
    while let Some(action) = collector.decide(&perception) {
        perception = ada.step(&action)?;
        println!("{action:?}: {:?}", perception.add);
    }
    Ok(())
}
