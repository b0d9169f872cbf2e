//! The names of agents. Several environments of a server can have agents of one name; `NAME~ENVIRONMENT` is the one of
//! this environment. Across platforms, an agent is called `NAME@PLATFORM`. The name of this platform is empty if it has
//! none; then no agent belongs to another one.

use ecow::{EcoString, eco_format};

/// The name of the agent management system, which also reports messages that could not be delivered (FIPA SC00023).
pub const AMS: &str = "ams";

/// The name of the directory facilitator.
pub const DF: &str = "df";

/// Separates the name of an agent from that of its environment. No client can give an agent a name with it.
pub const OF_ENVIRONMENT: char = '~';

/// The name of an agent with that of its environment, which agents of all environments understand. In the latter, `~0`
/// stands for `~` and `~1` for `@`, as in JSON Pointer, since `@` would begin the name of a platform.
pub fn within(agent: &str, environment: &str) -> EcoString {
    let environment = environment.replace(OF_ENVIRONMENT, "~0").replace('@', "~1");
    eco_format!("{agent}{OF_ENVIRONMENT}{environment}")
}

/// Splits a name into those of an agent and of its environment, if it has [both](within).
pub fn without(name: &str) -> Option<(&str, String)> {
    let (agent, environment) = name.split_once(OF_ENVIRONMENT)?;
    Some((agent, environment.replace("~1", "@").replace("~0", "~")))
}

/// Splits the name of an agent into that on its platform, and that of the platform if it has one.
pub fn split(agent: &str) -> (&str, Option<&str>) {
    agent.rsplit_once('@').map_or((agent, None), |(name, platform)| (name, Some(platform)))
}

/// The name of the platform in the name of an agent, if there is one.
pub fn platform_of(agent: &str) -> Option<&str> {
    split(agent).1
}

/// The name of an agent across platforms.
pub fn qualified(agent: &str, platform: &str) -> String {
    format!("{agent}@{platform}")
}

/// The name that an agent has on this platform: without the name of the platform, if that is this one.
pub fn local<'n>(agent: &'n str, platform: &str) -> &'n str {
    match split(agent) {
        (name, Some(of)) if !of.is_empty() && of == platform => name,
        _ => agent,
    }
}

/// Whether an agent, by its name on this platform, belongs to another one.
pub fn is_foreign(agent: &str, platform: &str) -> bool {
    !platform.is_empty() && platform_of(agent).is_some()
}

/// The name of the mailbox that the agents of another platform share.
pub fn mailbox_of(platform: &str) -> EcoString {
    eco_format!("@{platform}")
}

/// Whether this is the mailbox that the agents of another platform share.
pub(crate) fn is_of_platform(mailbox: &str) -> bool {
    mailbox.starts_with('@')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_an_environment_has_no_platform_until_it_gets_one() {
        for (environment, name) in
            [("game-1", "ada~game-1"), ("game@farm", "ada~game~1farm"), ("game~1", "ada~game~01"), ("", "ada~")]
        {
            assert_eq!(within("ada", environment), name);
            assert_eq!(without(name), Some(("ada", environment.to_owned())));
            assert_eq!(split(&qualified(name, "market")), (name, Some("market")));
            assert!(!is_foreign(name, "market"));
        }
        assert_eq!(without("ada"), None);
    }

    #[test]
    fn names_of_agents_of_this_platform_are_local() {
        for (agent, on_market, is_elsewhere) in [
            ("ada", "ada", false),
            ("ada@market", "ada", false),
            ("ada@farm", "ada@farm", true),
            ("ada@farm@market", "ada@farm", true),
            ("ada@", "ada@", true),
        ] {
            let local_name = local(agent, "market");
            assert_eq!((local_name, is_foreign(local_name, "market")), (on_market, is_elsewhere), "{agent}");
            assert_eq!((local(agent, ""), is_foreign(agent, "")), (agent, false), "a platform without a name");
        }
        assert_eq!(split(&qualified("ada", "market")), ("ada", Some("market")));
    }
}
