//! Properties of every saved state: loading it does not panic, a refused state changes nothing, and a loaded one can
//! be saved and loaded again.

use situated::interface::Interface;
use situated_find_goals::FindGoals;

/// Loads the data as a saved state.
pub fn state(data: &[u8]) {
    let mut interface = Interface::<FindGoals>::new();
    if interface.load(data).is_err() {
        return assert!(interface.episode().is_none(), "a state that was refused is there");
    }
    let saved = interface.save().expect("there is an episode");
    let mut again = Interface::<FindGoals>::new();
    again.load(&saved).expect("it was saved");
    assert_eq!(again.save().ok(), Some(saved));
}
