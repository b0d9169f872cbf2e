//! Rewards of robots.

use situated::environment::Ending;
use situated::random::Random;
use situated_bw4t::Parameters;
use situated_bw4t::encoding::{Reward, Steps};

use crate::encoding::learner::{Learner, parameters, shaped};

/// Rooms that contain the colours of Rainbow's sequence.
const PLAN: [(&str, &str); 6] = [
    ("RoomB1", "Blue"),
    ("RoomC1", "Green"),
    ("RoomC1", "Yellow"),
    ("RoomC1", "Pink"),
    ("RoomA1", "Orange"),
    ("RoomC3", "Red"),
];

fn deliver(learner: &mut Learner, room: &str, color: &str) -> f64 {
    learner.follow(0, &format!("goTo {room}"))
        + learner.fetch(0, color)
        + learner.follow(0, "goTo DropZone")
        + learner.follow(0, "putDown")
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-4
}

#[test]
fn the_return_on_rainbow_is_deliveries_minus_time() {
    for steps in [Steps::Tick, Steps::Decision] {
        let mut learner = Learner::begin(&parameters("Rainbow", 1, steps), 1);
        let given: f64 = PLAN.iter().map(|(room, color)| deliver(&mut learner, room, color)).sum();
        let ticks = learner.world().tick_count();
        assert!((3_700..4_100).contains(&ticks), "{ticks}");
        assert!(close(given, 6.0 + 5.0 - 0.01 * ticks as f64 / 50.0), "{given} after {ticks} ticks");
        assert!(learner.is_over() && learner.episode.ending() == Some(Ending::Terminated));
        assert_eq!(learner.follow(0, "wait"), 0.0, "nothing is given after the end");
    }
}

#[test]
fn all_robots_are_rewarded_for_a_delivery() {
    let mut learner = Learner::begin(&parameters("Rainbow", 3, Steps::Decision), 1);
    deliver(&mut learner, "RoomB1", "Blue");
    assert!(learner.seen.rewards.iter().all(|reward| close(f64::from(*reward), 1.0 - 0.0002)));
}

#[test]
fn a_wrong_drop_costs() {
    let mut learner = Learner::begin(&parameters("Rainbow", 1, Steps::Decision), 1);
    deliver(&mut learner, "RoomC1", "Green");
    assert!(close(f64::from(learner.seen.rewards[0]), -1.0 - 0.0002));
    assert!(!learner.is_over(), "there are other green ones");
}

/// Takes all blocks of a colour from the rooms, and loses each with `lose`.
fn lose_all(learner: &mut Learner, color: &str, lose: fn(&mut Learner)) {
    let is_room = |choice: &&String| choice.starts_with("goTo Room");
    let rooms: Vec<String> = learner.encoding.actions.iter().filter(is_room).cloned().collect();
    for room in rooms {
        learner.follow(0, &room);
        while learner.is_open(0, &format!("pickUp {color}")) && !learner.is_over() {
            learner.fetch(0, color);
            lose(learner);
            if !learner.is_over() {
                learner.follow(0, &room);
            }
        }
        if learner.is_over() {
            return;
        }
    }
}

#[test]
fn an_episode_that_cannot_be_completed_is_terminated() {
    let mut learner = Learner::begin(&parameters("Rainbow", 1, Steps::Decision), 1);
    lose_all(&mut learner, "Orange", |learner| {
        learner.follow(0, "goTo DropZone");
        learner.follow(0, "putDown");
    });
    assert!(learner.is_over() && !learner.world().is_solvable());
    assert!(close(f64::from(learner.seen.rewards[0]), -1.0 - 10.0 - 0.0002));
    assert_eq!(learner.episode.ending(), None, "agents may go on");
    assert_eq!(learner.follow(0, "wait"), 0.0);
}

#[test]
fn blocks_lost_in_halls_count_as_well() {
    let mut learner = Learner::begin(&parameters("Rainbow", 1, Steps::Tick), 1);
    lose_all(&mut learner, "Blue", |learner| {
        let leave = learner.number("goTo DropZone");
        (0..60).for_each(|_| learner.step(&[leave]));
        learner.step(&[learner.number("putDown")]);
    });
    assert!(learner.is_over() && !learner.world().is_solvable());
    assert!(close(f64::from(learner.seen.rewards[0]), -10.0 - 0.0002));
}

/// Returns the potential of each robot's situation.
fn potentials(learner: &Learner) -> Vec<f64> {
    let world = learner.world();
    if learner.is_over() {
        return vec![0.0; world.robots().len()];
    }
    let needed = &world.sequence()[world.delivered()..];
    let drop_zone = world.ground().drop_zone();
    let of = |robot: &situated_bw4t::robot::Robot| {
        let held: Vec<_> = robot.load.iter().map(|block| world.blocks()[*block].color).collect();
        let holds = held.iter().any(|color| needed.contains(color));
        let is_due = robot.zones.contains(&drop_zone) && held.last().is_some_and(|top| needed[0] == *top);
        0.25 * f64::from(u8::from(holds)) + 0.25 * f64::from(u8::from(is_due))
    };
    world.robots().iter().map(of).collect()
}

/// Draws random choices, mostly those that lead to deliveries.
fn eager(learner: &Learner, random: &mut Random) -> Vec<usize> {
    let mut choices = learner.any(random);
    for (robot, choice) in choices.iter_mut().enumerate() {
        if random.chance(0.3) {
            continue;
        }
        let open = |name: &&String| learner.is_open(robot, name);
        let catches = learner.encoding.actions.iter().filter(|name| name.starts_with("pickUp"));
        if let Some(caught) = random.choose(&catches.filter(open).collect::<Vec<_>>()) {
            *choice = learner.number(caught);
        } else if learner.is_open(robot, "putDown") {
            *choice = learner.number("goTo DropZone");
        }
    }
    choices
}

/// Shaping adds the discounted potential after a step minus that before it, for all actions. Over an episode the sum
/// is 0, so the best plan stays the same.
#[test]
fn shaping_is_potential_based() {
    for discount in [1.0, 0.9] {
        let shaped = shaped(discount);
        let mut random = Random::new(4);
        let mut learner = Learner::begin(&shaped, 2);
        let mut team = Learner::begin(&Parameters { reward: Reward::Team, ..shaped.clone() }, 2);
        let mut before = potentials(&learner);
        assert_eq!(before, [0.0; 3]);
        let (mut factor, mut shaping) = (1.0, [0.0; 3]);
        let mut hopes = 0;
        for _ in 0..2_000 {
            let choices = eager(&learner, &mut random);
            learner.step(&choices);
            team.step(&choices);
            let after = potentials(&learner);
            hopes += usize::from(after.iter().any(|potentials| *potentials > 0.25));
            for robot in 0..3 {
                let added = f64::from(learner.seen.rewards[robot]) - f64::from(team.seen.rewards[robot]);
                assert!(close(added, discount * after[robot] - before[robot]), "{added}");
                shaping[robot] += factor * added;
                assert!(close(shaping[robot], factor * discount * after[robot]), "it adds up to {}", shaping[robot]);
            }
            factor *= discount;
            before = after;
        }
        assert!(hopes > 0 && learner.seen.observations == team.seen.observations);
    }
}

#[test]
fn shaping_adds_zero_over_an_episode() {
    let alone = |reward| Parameters { reward, ..parameters("Rainbow", 1, Steps::Decision) };
    let given = [Reward::Team, Reward::Shaped].map(|reward| {
        let mut learner = Learner::begin(&alone(reward), 1);
        PLAN.iter().map(|(room, color)| deliver(&mut learner, room, color)).sum::<f64>()
    });
    assert!(close(given[0], given[1]), "{given:?}");
}
