//! The environments that ship with situated.

pub use situated_blocks::{BlocksWorld, Tower};
pub use situated_bw4t::Bw4t;
pub use situated_cows::Cows;
pub use situated_elevator::Elevator;
pub use situated_find_goals::FindGoals;
pub use situated_vacuum::Vacuum;
pub use situated_wumpus::Wumpus;

use crate::{Registry, environment};

/// Calls a macro with the type and the group of each environment that ships with situated. All have agents and an
/// encoding.
#[macro_export]
macro_rules! each_shipped {
    ($call:ident) => {
        $call!($crate::BlocksWorld, "One entity");
        $call!($crate::Bw4t, "Teams");
        $call!($crate::Cows, "Teams");
        $call!($crate::Elevator, "Teams");
        $call!($crate::FindGoals, "Teams");
        $call!($crate::Tower, "One entity");
        $call!($crate::Vacuum, "Teams");
        $call!($crate::Wumpus, "One entity");
    };
}

/// The environments that ship with situated.
pub fn shipped() -> Registry {
    let mut registry = Registry::new();
    macro_rules! add {
        ($environment:ty, $group:literal) => {
            registry = registry.with(environment::<$environment>().in_group($group).with_agents().with_encoding());
        };
    }
    each_shipped!(add);
    registry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_environments_have_agents() {
        let registry = shipped();
        let names: Vec<&str> = registry.environments().map(|one| one.ontology.name.as_str()).collect();
        assert_eq!(names, ["blocks-world", "bw4t", "cows", "elevator", "find-goals", "tower", "vacuum", "wumpus"]);
        assert!(registry.environments().all(|registered| !registered.agents.is_empty()));
    }

    #[test]
    fn an_environment_replaces_an_earlier_one_of_the_same_name() {
        let registry = shipped().with(environment::<FindGoals>());
        assert_eq!(registry.environments().count(), 8);
        assert!(registry.find("find-goals").expect("it is registered").agents.is_empty());
        assert!(registry.find("chess").is_none());
    }
}
