//! Properties of level files of Vacuum world: reading them does not panic, errors have a reason, and robots can act on
//! what can be read.

use situated::environment::{EntityId, Episode};
use situated_vacuum::{Action, Parameters, Vacuum, Way, level};

/// Reads the data as a level. If it can be read, begins an environment with it.
pub fn level(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match level::read(&text) {
        Ok(_) => {
            let parameters = Parameters {
                level: text.as_ref().into(),
                robots: None,
                generate: "50 %".into(),
                regeneration: None,
                speed: 1000,
            };
            let mut episode = Episode::<Vacuum>::init(&parameters, 1).expect("the level can be read");
            let robots: Vec<EntityId> = episode.context().entities().map(|(robot, _)| robot).collect();
            for action in [Action::Clean, Action::Move { direction: Way::Left, distance: Some(200) }] {
                for robot in &robots {
                    episode.act(*robot, &action).expect("each action is accepted");
                }
                (0..20).for_each(|_| episode.step());
                assert!(episode.scene(None).width >= 2.0 && episode.scene(robots.first().copied()).width >= 3.0);
            }
        }
        Err(error) => assert!(!error.is_empty() && error.len() < 300, "{error}"),
    }
}
