//! Starts the programs of a team that run in processes of their own.

use std::process::{Child, Command, Stdio};

use anyhow::Context;
use situated::iil::EcoString;

use crate::plan::Plan;
use crate::team_file::LaunchProgram;

/// Started programs. Dropping this ends them.
pub(crate) struct Launched(Vec<Child>);

/// The address of an environment, which a started program gets.
pub(crate) struct Address<'a> {
    /// `tcp://ADDRESS:PORT`.
    pub(crate) url: String,
    /// The name of the environment on the server.
    pub(crate) environment: &'a str,
    /// A token with the right to act, if the server requires one.
    pub(crate) token: Option<&'a str>,
}

impl Launched {
    /// Starts the programs for those of these entities whose rule has a command. Entities are given with their types.
    ///
    /// # Errors
    /// Returns an error if a program cannot be started; the others are then ended.
    pub(crate) fn start(
        plan: &Plan,
        address: &Address<'_>,
        entities: &[(EcoString, EcoString)],
    ) -> anyhow::Result<Self> {
        let mut launched = Self(Vec::new());
        let mut employed = vec![0; plan.rules.len()];
        for (entity, entity_type) in entities {
            let fits = |(place, rule): &(usize, &crate::team_file::LaunchRule)| {
                rule.entity.as_ref().is_none_or(|name| name == entity)
                    && rule.entity_type.as_ref().is_none_or(|of| of == entity_type)
                    && rule.count.is_none_or(|count| employed[*place] < count)
            };
            let Some((place, rule)) = plan.rules.iter().enumerate().find(fits) else { continue };
            employed[place] += 1;
            let LaunchProgram::Command(words) = &rule.program else { continue };
            let Some((program, arguments)) = words.split_first() else { continue };
            let options = serde_json::to_string(&rule.options)?;
            let mut command = Command::new(program);
            command
                .args(arguments)
                .env("SITUATED_URL", &address.url)
                .env("SITUATED_ENVIRONMENT", address.environment)
                .env("SITUATED_ENTITY", entity.as_str())
                .env("SITUATED_AGENT", format!("command-{entity}"))
                .env("SITUATED_OPTIONS", options)
                .stdin(Stdio::null())
                // Its output would disturb the output of this command. Its errors are still shown.
                .stdout(Stdio::null());
            if let Some(token) = address.token {
                command.env("SITUATED_TOKEN", token);
            }
            let child = command.spawn().with_context(|| format!("cannot start `{program}` for entity `{entity}`"))?;
            launched.0.push(child);
        }
        Ok(launched)
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // The program may have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
