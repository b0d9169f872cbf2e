//! New episodes of environments in Python files, when these are saved.

use std::sync::Arc;
use std::{io, thread};

use situated::interface::Command;
use situated_hub::Hub;
use situated_runtime::Input;

use crate::plan::Plan;
use crate::python::LOOK;

/// Begins a new episode of the environment of a plan, which has this name, whenever its file is saved, if the plan says
/// so. Its time then runs, unless `paused`.
///
/// # Errors
/// Returns an error if the system has no thread for it.
pub(super) fn follow(plan: &Plan, hub: &Arc<Hub>, environment: &str, paused: bool) -> io::Result<()> {
    let Some(source) = plan.source.clone().filter(|source| source.reloads()) else { return Ok(()) };
    let (seed, hub, environment) = (plan.seed, Arc::downgrade(hub), environment.to_owned());
    let follow = move || {
        while let Some(Ok(running)) = hub.upgrade().map(|hub| hub.environment(&environment)) {
            if source.was_saved() {
                let reset = Command::Reset { parameters: None, seed: Some(seed) };
                let commands = [Some(reset), (!paused).then_some(Command::Start)];
                let begun = commands.into_iter().flatten().try_for_each(|command| {
                    let done = running.ask(|owner, to, now| owner.apply(to, Input::Manage(command), now));
                    done.map_or(Ok(()), |done| done.map(drop))
                });
                match begun {
                    Ok(()) => eprintln!("{} was saved: a new episode has begun.", source.shown()),
                    Err(error) => eprintln!("warning: {}", source.not_reloaded(&error)),
                }
            }
            drop(running);
            thread::sleep(LOOK);
        }
    };
    thread::Builder::new().name("situated-reload".into()).spawn(follow).map(drop)
}
