//! Steps a second on one thread in each environment that ships with situated, with an agent that acts: as a bare
//! episode, and with one perception of an entity in each step, through the interface.
//! `cargo bench -p situated-registry --features shipped --bench steps`
//!
//! Goals: 1,000,000 steps a second, and 200,000 with a perception.

use std::collections::BTreeMap;
use std::time::Instant;

use situated::environment::{EntityId, Environment, Episode};
use situated::iil::Parameter;
use situated::interface::{Form, Interface, Since};
use situated::ontology::typed::InitParameters;
use situated_bw4t::Bw4t;
use situated_elevator::{Direction, Elevator};
use situated_find_goals::FindGoals;
use situated_wumpus::{Side, Wumpus};

/// The number of steps that are measured.
const STEPS: u64 = 1_000_000;

/// The action of the first entity in a step, if it acts.
type Act<E> = fn(u64) -> Option<<E as Environment>::Action>;

fn main() {
    println!("| environment | steps/s | with a perception |\n| --- | ---: | ---: |");
    row::<Bw4t>(&[], |step| {
        let place = ["RoomA1", "RoomC3", "DropZone"][(step / 200 % 3) as usize].into();
        (step % 200 == 0).then_some(situated_bw4t::action::Action::GoToPlace { place })
    });
    let hours = [("cars", 1.into()), ("people", 1_000.into()), ("insertionTime", 100_000_000.into())];
    row::<Elevator>(&hours, |step| {
        let (floor, direction) = (1 + (step / 100 % 10) as u8, Direction::BOTH[(step / 1000 % 2) as usize]);
        (step % 100 == 0).then_some(situated_elevator::Action::Goto { floor, direction })
    });
    row::<FindGoals>(&[], |step| Some(situated_find_goals::Action::ALL[(step % 5) as usize]));
    row::<Wumpus>(&[("pits", 0.0.into())], |step| {
        let turn = situated_wumpus::Action::Turn { side: Side::Left };
        Some(if step.is_multiple_of(2) { turn } else { situated_wumpus::Action::Forward })
    });
}

fn row<E: Environment>(parameters: &[(&str, Parameter)], act: Act<E>) {
    let parameters: BTreeMap<String, Parameter> =
        parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let parameters = || E::Parameters::from_iil(&parameters).expect("the parameters are valid");
    let mut episode = Episode::<E>::init(&parameters(), 1).expect("it begins");
    let entity = first(&episode);
    let bare = rate(|step| {
        if let Some(action) = act(step) {
            episode.act(entity, &action).expect("the action is possible");
        }
        episode.step();
    });
    let mut interface = Interface::<E>::new();
    interface.init(parameters(), 1).expect("it begins");
    interface.start().expect("it is paused");
    let entity = first(interface.episode().expect("it runs"));
    let agent = interface.register("ada").expect("the name is free");
    interface.associate(agent, entity).expect("the entity is free");
    let perceiving = rate(|step| {
        if let Some(action) = act(step) {
            interface.act(agent, entity, &action).expect("the action is possible");
        }
        interface.step().expect("it runs");
        interface.perceive(agent, entity, Form::Update, Since::LastCall).expect("it runs");
    });
    println!("| {} | {bare:.0} | {perceiving:.0} |", E::ontology().name);
}

fn first<E: Environment>(episode: &Episode<E>) -> EntityId {
    episode.context().entities().next().expect("there is an entity").0
}

/// Returns the steps a second.
fn rate(mut step: impl FnMut(u64)) -> f64 {
    let begin = Instant::now();
    (0..STEPS).for_each(&mut step);
    STEPS as f64 / begin.elapsed().as_secs_f64()
}
