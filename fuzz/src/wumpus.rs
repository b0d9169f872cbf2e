//! Properties of level files of Wumpus: reading them does not panic, errors have a reason, and the explorer can act in
//! what can be read.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use situated::environment::Episode;
use situated_wumpus::{Action, Parameters, Wumpus, level};

/// Reads the data as a level, in base64. If it can be read, begins an environment with it.
pub fn level(data: &[u8]) {
    let text = BASE64_STANDARD.encode(data);
    match level::read(&text) {
        Ok(_) => {
            let parameters = Parameters { file: Some(text.as_str().into()), size: 4, pits: 0.0, gui: false };
            let mut episode = Episode::<Wumpus>::init(&parameters, 1).expect("the level can be read");
            let explorer = episode.context().find_entity("caveExplorer").expect("there is an explorer");
            for action in Action::ALL {
                // The game may be over.
                let _ = episode.act(explorer, &action);
                episode.step();
                assert!(episode.scene(None).width >= 3.0);
            }
        }
        Err(error) => assert!(!error.is_empty() && error.len() < 300, "{error}"),
    }
}
