//! Steps a second on one thread in each environment that ships with situated, with an agent that acts: as a bare
//! episode, and with one perception of an entity in each step, through the interface.
//! `cargo bench --profile wheel -p situated-registry --features shipped --bench steps`
//!
//! Goals: 1,000,000 steps a second, and 200,000 with a perception.

use std::collections::BTreeMap;
use std::time::Instant;

use situated::environment::{EntityId, Environment, Episode};
use situated::iil::Parameter;
use situated::interface::{Form, Interface, Since};
use situated::ontology::typed::InitParameters;
use situated_blocks::blocks_world::{self, Place};
use situated_blocks::{BlocksWorld, Tower, tower};
use situated_bw4t::Bw4t;
use situated_cows::Cows;
use situated_cows::pasture::Direction as Compass;
use situated_elevator::{Direction, Elevator};
use situated_find_goals::FindGoals;
use situated_vacuum::{Vacuum, Way};
use situated_wumpus::{Side, Wumpus};

/// The number of steps that are measured.
const STEPS: u64 = 1_000_000;

/// The action of the first entity in a step, if it acts.
type Act<E> = fn(u64) -> Option<<E as Environment>::Action>;

fn main() {
    println!("| environment | steps/s | with a perception |\n| --- | ---: | ---: |");
    row::<BlocksWorld>(&[("goal", "none".into())], |step| {
        let place = Place(if step.is_multiple_of(2) { "b2" } else { "table" }.into());
        Some(blocks_world::Action::Move { block: blocks_world::Block("b1".into()), place })
    });
    row::<Bw4t>(&[], |step| {
        let place = ["RoomA1", "RoomC3", "DropZone"][(step / 200 % 3) as usize].into();
        (step % 200 == 0).then_some(situated_bw4t::action::Action::GoToPlace { place })
    });
    let alone = [("size", 20), ("cowboys", 1), ("cows", 1), ("lineOfSight", 1), ("maxSteps", STEPS as i64)];
    row::<Cows>(&alone.map(|(name, value)| (name, value.into())), |step| {
        let direction = Compass::ALL[(step / 8 % 8) as usize];
        Some(situated_cows::Action::Move { direction })
    });
    let hours = [("cars", 1.into()), ("people", 1_000.into()), ("insertionTime", 100_000_000.into())];
    row::<Elevator>(&hours, |step| {
        let (floor, direction) = (1 + (step / 100 % 10) as u8, Direction::BOTH[(step / 1000 % 2) as usize]);
        (step % 100 == 0).then_some(situated_elevator::Action::Goto { floor, direction })
    });
    row::<FindGoals>(&[], |step| Some(situated_find_goals::Action::ALL[(step % 5) as usize]));
    row::<Tower>(&[("goal", "none".into())], |step| {
        let block = tower::Block("a".into());
        let action = match step / 100 % 2 {
            0 => tower::Action::Pickup { block },
            _ => tower::Action::Putdown { block, place: tower::Place("table".into()) },
        };
        (step % 100 == 0).then_some(action)
    });
    row::<Vacuum>(&[("robots", 1.into()), ("generate", "1 s".into())], |step| {
        let direction = [Way::Forward, Way::Left][(step / 20 % 2) as usize];
        (step % 20 == 0).then_some(situated_vacuum::Action::Move { direction, distance: None })
    });
    row::<Wumpus>(&[("pits", 0.0.into())], |step| {
        let turn = situated_wumpus::Action::Turn { side: Side::Left };
        Some(if step.is_multiple_of(2) { turn } else { situated_wumpus::Action::Forward })
    });
    contest();
}

/// Prints how long 1,000 steps of two teams of ten take, with 100 cows and without agents. Goal: a second.
fn contest() {
    let parameters =
        [("cows", Parameter::from(100)), ("size", 50.into())].map(|(name, value)| (name.to_owned(), value));
    let parameters = InitParameters::from_iil(&BTreeMap::from(parameters)).expect("the parameters are valid");
    let mut episode = Episode::<Cows>::init(&parameters, 1).expect("it begins");
    let begin = Instant::now();
    (0..1_000).for_each(|_| episode.step());
    println!("\ncows: 1,000 steps with 20 cowboys and 100 cows in {:.3} s", begin.elapsed().as_secs_f64());
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
