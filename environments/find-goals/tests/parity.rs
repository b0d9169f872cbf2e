//! One policy comes to the same trajectory on all ways to the environment. This is the way in process; it writes the
//! trajectory that the others are compared with: `UPDATE=1 cargo test -p situated-find-goals --test parity`.

#[path = "../../../tests/parity/policy.rs"]
mod policy;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use situated::interface::{Command, Interface, Perception};
use situated_find_goals::{Body, Direction, FindGoals, Percept, Sight};

use policy::{Walker, line};

const STEPS: usize = 1000;

/// The sights of a walker, from its percepts.
struct Sights([Sight; 8]);

impl Sights {
    fn take(&mut self, perception: &Perception<Percept>) {
        for percept in &perception.add {
            if let Percept::See { direction, what } = *percept {
                self.0[direction as usize] = what;
            }
        }
    }
}

fn reward(perception: &Perception<Percept>) -> i32 {
    perception.events.iter().map(|event| if let Percept::Reward { joint } = event { *joint } else { 0 }).sum()
}

#[test]
fn the_policy_has_this_trajectory_in_process() {
    let mut interface = Interface::<FindGoals>::new();
    interface.manage(Command::Init { parameters: BTreeMap::new(), seed: 1 }).expect("there is such a world");
    interface.manage(Command::Start).expect("it is paused");
    let mut walkers = Body::ALL.map(|body| {
        interface.join(body.name(), body.name()).expect("the entity is free");
        (body.name(), Walker::new(body), Sights([Sight::Free; 8]))
    });
    let perceive = |interface: &mut Interface<FindGoals>, walkers: &mut [(&str, Walker, Sights); 2]| {
        let [red, blue] = walkers.each_mut().map(|(name, _, sights)| {
            let mut agent = interface.agent(name).expect("it is registered");
            let told = agent.perceive().expect("it runs");
            sights.take(&told);
            reward(&told)
        });
        assert_eq!(red, blue, "the reward is joint");
        red
    };
    perceive(&mut interface, &mut walkers);
    let mut trajectory = String::new();
    for _ in 0..STEPS {
        let actions = walkers.each_mut().map(|(name, walker, sights)| {
            let action = walker.decide(|direction: Direction| sights.0[direction as usize]);
            let mut agent = interface.agent(name).expect("it is registered");
            agent.act(&action).expect("it is possible");
            action
        });
        interface.step().expect("it runs");
        let reward = perceive(&mut interface, &mut walkers);
        trajectory += &line(actions, reward, [walkers[0].2.0, walkers[1].2.0]);
        trajectory.push('\n');
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/parity/find-goals.jsonl");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &trajectory).expect("the file can be written");
    }
    assert_eq!(fs::read_to_string(&path).unwrap_or_default(), trajectory);
    assert!(trajectory.matches("\"reward\":9").count() > 50, "both reach their goals");
}
