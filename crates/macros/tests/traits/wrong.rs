//! Types without the traits that an environment needs.

use serde::{Deserialize, Serialize};
use situated::prelude::*;

enum Plain {
    Go,
}

#[derive(Clone, Debug)]
struct Place;

#[derive(Clone, Debug, Action)]
enum Move {
    Go { to: Place },
}

#[derive(Clone, Debug, Percept)]
#[percept(once)]
enum Sense {
    Weight { kilograms: f32 },
}

#[derive(Clone, Debug, InitParameters)]
struct Parameters {
    start: Place,
}

#[derive(Serialize, Deserialize)]
struct World;

impl Environment for World {
    type Parameters = Plain;
    type Action = Plain;
    type Percept = Plain;

    fn ontology() -> Ontology {
        Self::ontology_builder("world", "1.0", "A world.").build()
    }

    fn init(_: &Plain, _: &mut Context<Plain>) -> Result<Self, Failure> {
        Ok(World)
    }

    fn act(&mut self, _: EntityId, _: &Plain, _: &mut Context<Plain>) -> Result<(), Failure> {
        Ok(())
    }

    fn percepts(&self, _: EntityId, _: &Context<Plain>, _: &mut Percepts<'_, Plain>) {}
}

fn needs_environment<E: Environment>() {}
fn needs_encoding<E: Encode>() {}
fn needs_agents<E: BuiltInAgents>() {}
fn needs_element<T: Element>() {}
fn needs_agent(_: impl Agent) {}

fn main() {
    needs_environment::<Place>();
    needs_encoding::<World>();
    needs_agents::<World>();
    needs_element::<f64>();
    needs_agent(Place);
}
