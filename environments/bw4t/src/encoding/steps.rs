//! How long a step is: a tick, or until there is something to decide.

use serde::{Deserialize, Serialize};
use situated::ParameterType;

use crate::robot::State;
use crate::world::World;

/// How many ticks a step has at the most where it lasts until there is something to decide: 10 seconds.
pub const MOST_TICKS: u32 = 500;

/// How long a step is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ParameterType)]
pub enum Steps {
    /// A tick, of which there are 50 in a second.
    #[default]
    Tick,
    /// Until a robot that was on its way has arrived or collided, for 500 ticks at the most; but a single tick where a
    /// block has been picked up or put down, or where nobody is on the way.
    ///
    /// It is for learners that choose where to go, and for all who act in lockstep. A step takes different times then:
    /// the process is semi-Markov. Robots for which nothing is chosen go on: on their way if they are on one, or else
    /// they wait until the step is over. Rewards are those of all its ticks together, not discounted among them. What
    /// is measured in time is measured in ticks all the same.
    Decision,
}

/// The ticks of a step pass, before each of which `look_around` is called, in a world in which a block was `handled` or
/// not since the last one.
pub(super) fn pass(steps: Steps, handled: bool, world: &mut World, mut look_around: impl FnMut(&World)) {
    let most = if steps == Steps::Decision && !handled { MOST_TICKS } else { 1 };
    let mut on_the_way = count_on_the_way(world);
    for _ in 0..most {
        look_around(world);
        world.tick();
        let before = std::mem::replace(&mut on_the_way, count_on_the_way(world));
        if on_the_way == 0 || on_the_way < before {
            break;
        }
    }
}

fn count_on_the_way(world: &World) -> usize {
    world.robots().iter().filter(|robot| robot.state == State::Traveling).count()
}
