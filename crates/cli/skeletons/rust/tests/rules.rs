//! Does the environment keep its own rules, and those on which agents, recordings and servers rely?

use my_world::*;

use situated::prelude::*;
use situated_checker::{Game, check_environment};

#[test]
fn it_is_an_environment() {
    check_environment::<MyWorld>();
}

#[test]
fn the_robot_does_not_leave_the_corridor() {
    let mut game = Game::<MyWorld>::begin(Parameters { length: 3 }, 1);
    // Player 0 has the first entity that `init` adds.
    let refused = game.try_act(0, &Act::Left);
    assert!(refused.is_err_and(|reason| reason.contains("there is a wall")));
    assert!(game.percepts(0).contains(&"at(0)".to_owned()));
}

#[test]
fn the_collector_takes_all_parcels() {
    let mut game = Game::<MyWorld>::begin(Parameters { length: 20 }, 1);
    let mut collector = Collector::default();
    while game.environment().ending().is_none() {
        game.decide(0, &mut collector);
        game.steps(1);
    }
    assert_eq!(game.percepts(0), ["at(19)"]);
}
