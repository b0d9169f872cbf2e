//! Checks the properties of saved states that cargo-fuzz checks, with a fixed set of damaged states.

#[path = "../../../fuzz/src/damage.rs"]
pub mod damage;
#[path = "../../../fuzz/src/states.rs"]
pub mod states;

use situated::interface::Interface;
use situated_find_goals::FindGoals;

#[test]
fn damaged_states() {
    let mut interface = Interface::<FindGoals>::new();
    interface.init(Default::default(), 7).expect("the usual parameters");
    interface.start().expect("paused");
    let begun = interface.save().expect("an episode");
    for _ in 0..20 {
        interface.step().expect("running");
    }
    damage::try_damaged(&[begun, interface.save().expect("an episode")], 20_000, states::state);
}
