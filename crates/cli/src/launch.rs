//! Starts the programs of a team that run in processes of their own.

mod jason;

use std::process::{Child, Command, Stdio};

use anyhow::{Context, bail};
use situated::iil::EcoString;

use crate::plan::Plan;
use crate::team_file::{Language, LaunchProgram, LaunchRule};

/// Started programs. Dropping this ends them.
pub(crate) struct Launched(Vec<Process>);

/// A started program.
struct Process {
    child: Child,
    /// The first word of its command.
    program: String,
    /// Its entities that have not had an agent yet.
    waiting: Vec<String>,
}

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
    /// Starts the programs of a team that are files or commands, for these entities, given with their types. Each
    /// entity has a process of its own, except that Jason has one for all entities of a rule.
    ///
    /// # Errors
    /// Returns an error if a program cannot be started; the others are then ended.
    pub(crate) fn start(
        plan: &Plan,
        address: &Address<'_>,
        entities: &[(EcoString, EcoString)],
    ) -> anyhow::Result<Self> {
        let mut launched = Self(Vec::new());
        for (rule, entities) in plan.rules.iter().zip(plan.entities_of_rules(entities)) {
            let size = if rule.program.is_shared() { entities.len() } else { 1 };
            for entities in entities.chunks(size.max(1)) {
                if let Some(mut command) = rule.program.command()? {
                    let child = address.add_to(&mut command, rule, &entities.join(","))?.spawn();
                    let program = command.get_program().to_string_lossy().into_owned();
                    let cannot = || format!("cannot start `{program}` for entity `{}`", entities.join("`, `"));
                    let child = child.with_context(cannot)?;
                    let waiting = entities.iter().map(|entity| (*entity).to_owned()).collect();
                    launched.0.push(Process { child, program, waiting });
                }
            }
        }
        Ok(launched)
    }

    /// Returns whether each entity of the programs has had an agent. `has_agent` says whether an entity has one now.
    ///
    /// # Errors
    /// Returns an error if a program has ended before.
    pub(crate) fn have_connected(&mut self, has_agent: impl Fn(&str) -> bool) -> anyhow::Result<bool> {
        for Process { child, program, waiting } in self.0.iter_mut().filter(|process| !process.waiting.is_empty()) {
            let ended = child.try_wait()?;
            waiting.retain(|entity| !has_agent(entity));
            if let Some(status) = ended.filter(|_| !waiting.is_empty()) {
                bail!("{} ended before it connected: {status}", named(program, waiting));
            }
        }
        Ok(self.first_late().is_none())
    }

    /// Returns the first program that has not connected with all of its entities, in words.
    pub(crate) fn first_late(&self) -> Option<String> {
        let late = self.0.iter().find(|process| !process.waiting.is_empty());
        late.map(|Process { program, waiting, .. }| named(program, waiting))
    }

    /// Returns whether there were programs, and all have ended.
    pub(crate) fn have_ended(&mut self) -> bool {
        let has_ended = |process: &mut Process| process.child.try_wait().is_ok_and(|ended| ended.is_some());
        !self.0.is_empty() && self.0.iter_mut().all(has_ended)
    }
}

/// A program in messages to the user.
fn named(program: &str, entities: &[String]) -> String {
    format!("program `{program}` for entity `{}`", entities.join("`, `"))
}

impl LaunchProgram {
    /// Whether one process controls all entities of its rule.
    fn is_shared(&self) -> bool {
        matches!(self, LaunchProgram::File { language: Language::Jason, .. })
    }

    /// The first word of the names of its agents.
    fn kind(&self) -> &'static str {
        match self {
            LaunchProgram::File { language: Language::Python, .. } => "python",
            LaunchProgram::File { language: Language::Jason, .. } => "jason",
            _ => "command",
        }
    }

    /// Returns the command that starts the program, if it is one that is started.
    fn command(&self) -> anyhow::Result<Option<Command>> {
        let mut command = match self {
            LaunchProgram::Command(words) => {
                let Some((program, arguments)) = words.split_first() else { return Ok(None) };
                let mut command = Command::new(program);
                command.args(arguments);
                command
            }
            LaunchProgram::File { language: Language::Python, file } => {
                let mut command = Command::new("python3");
                command.arg(file);
                command
            }
            LaunchProgram::File { language: Language::Jason, file } => jason::command(file)?,
            LaunchProgram::Builtin { .. }
            | LaunchProgram::Random
            | LaunchProgram::Idle
            | LaunchProgram::Model(_)
            | LaunchProgram::Person { .. }
            | LaunchProgram::Remote { .. } => return Ok(None),
        };
        // Its output would disturb the output of this command. Its errors are still shown.
        command.stdin(Stdio::null()).stdout(Stdio::null());
        Ok(Some(command))
    }
}

impl Address<'_> {
    /// Adds the variables with which a command finds its environment.
    fn add_to<'a>(
        &self,
        command: &'a mut Command,
        rule: &LaunchRule,
        entities: &str,
    ) -> anyhow::Result<&'a mut Command> {
        command
            .env("SITUATED_URL", &self.url)
            .env("SITUATED_ENVIRONMENT", self.environment)
            .env("SITUATED_ENTITY", entities)
            .env("SITUATED_AGENT", format!("{}-{entities}", rule.program.kind()))
            .env("SITUATED_OPTIONS", serde_json::to_string(&rule.options)?);
        if let Some(token) = self.token {
            command.env("SITUATED_TOKEN", token);
        }
        Ok(command)
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        for Process { child, .. } in &mut self.0 {
            // The program may have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
