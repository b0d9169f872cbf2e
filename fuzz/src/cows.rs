//! Properties of maps of Cows and Cowboys: reading them does not panic, errors have a reason, and cowboys can act on
//! what can be read.

use situated::environment::{EntityId, Episode};
use situated::random::Random;
use situated_cows::pasture::Direction;
use situated_cows::{Action, Cows, Parameters, map};

/// Reads the data as a map. If it can be read, begins an environment with it.
pub fn map(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match map::read(&text, &mut Random::new(1)) {
        Ok(pasture) => {
            let parameters = Parameters {
                pasture: Some(text.as_ref().into()),
                size: 20,
                cowboys: 1,
                cows: 0,
                line_of_sight: 3,
                max_steps: 9,
            };
            let mut episode = Episode::<Cows>::init(&parameters, 1).expect("the map can be read");
            let cowboys: Vec<EntityId> = episode.context().entities().map(|(cowboy, _)| cowboy).collect();
            for step in 0..10 {
                for (cowboy, number) in cowboys.iter().zip(step..) {
                    let direction = Direction::ALL[number % 8];
                    episode.act(*cowboy, &Action::Move { direction }).expect("each action is accepted");
                }
                episode.step();
            }
            let cows = episode.environment().pasture().cows().count();
            assert_eq!(cows, pasture.cows().count(), "no cow is lost");
            assert!(episode.scene(None).width >= 5.0 && episode.scene(cowboys.first().copied()).width >= 5.0);
        }
        Err(error) => assert!(!error.is_empty() && error.len() < 300, "{error}"),
    }
}
