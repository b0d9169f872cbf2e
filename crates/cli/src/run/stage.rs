//! An environment with its programs while it runs in this process.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use situated::environment::{Announcement, Measure, Outcome};
use situated::iil::EcoString;
use situated::interface::{Command, Drained, EnvironmentInterface, Happening, Observer, State};
use situated::ontology::Ontology;
use situated_recording::McapRecorder;
use situated_runtime::{Failures, Input, Speed, Status};
use situated_server::Settings;

use super::home::{ATTENTION, Home};
use super::step::Step;
use crate::launch::Launched;
use crate::models::Models;
use crate::plan::Plan;
use crate::python::{LOOK, Source};
use crate::usage::wrong_usage;

/// Time that programs have for connecting before the run warns that it waits for them.
const CONNECTING: Duration = Duration::from_secs(5);

/// An environment with its programs.
pub(super) struct Stage {
    home: Home,
    /// The programs that run in processes of their own.
    launched: Option<Launched>,
    /// Since when a program that runs in a process of its own has not connected. No step is made before.
    waits_since: Option<Instant>,
    /// Whether the plan has entities for people or agents that connect by themselves.
    awaits_others: bool,
    /// The Python file, if a new episode begins when it is saved.
    followed: Option<Followed>,
    observer: Observer,
    /// Maximum number of steps.
    pub(super) steps: u64,
    /// Whether a message that breaks a rule of its protocol ends the run.
    ends_on_violation: bool,
}

/// A Python file whose changes are followed.
struct Followed {
    source: Arc<Source>,
    seed: u64,
    looked: Instant,
    /// The reason why the last code continues.
    trouble: Option<String>,
}

impl Stage {
    /// Begins an episode of a plan, running and with its programs. With settings, a server for others starts, too.
    ///
    /// # Errors
    /// Returns an error if the episode cannot begin, a program is missing, or the server cannot start.
    pub(super) fn begin(
        plan: &Plan,
        seed: u64,
        notes: bool,
        recorder: Option<McapRecorder>,
        server_settings: Option<Settings>,
    ) -> anyhow::Result<Self> {
        let owner = plan.owner(notes, recorder);
        let home = match server_settings {
            None if !plan.has_models() => Home::here(owner),
            settings => Home::with_hub(plan, owner, settings)?,
        };
        let mut stage = Self {
            home,
            launched: None,
            waits_since: None,
            awaits_others: plan.rules.iter().any(|rule| rule.program.is_awaited()),
            followed: plan.source.clone().filter(|source| source.reloads()).map(|source| Followed {
                source,
                seed,
                looked: Instant::now(),
                trouble: None,
            }),
            observer: Observer::new(),
            steps: plan.steps,
            ends_on_violation: plan.ends_on_violation,
        };
        // Announcements at the very beginning belong to the first step.
        stage.take_announcements();
        stage.manage(plan.init(seed))?;
        stage.home.seat_models(plan)?;
        stage.check_agents(plan)?;
        stage.manage(Command::Start)?;
        stage.launched = stage.home.launch(plan)?;
        stage.waits_since = stage.launched.is_some().then(Instant::now);
        Ok(stage)
    }

    /// Checks that an agent can act, of this run or one that connects.
    fn check_agents(&mut self, plan: &Plan) -> anyhow::Result<()> {
        match self.read(|interface| plan.lack_of_agents(interface)).filter(|_| self.page().is_none()) {
            Some(lack) => Err(wrong_usage(&lack).into()),
            None => Ok(()),
        }
    }

    /// Returns the address of the page, if a server runs.
    pub(super) fn page(&self) -> Option<&str> {
        self.home.page()
    }

    /// Does what is due now. Returns the events of the step if one was made.
    ///
    /// # Errors
    /// Returns an error if the environment crashed or a program is missing.
    pub(super) fn advance(&mut self) -> anyhow::Result<Option<Step>> {
        if self.waits_since.is_some() && !self.end_waiting()? {
            return Ok(None);
        }
        self.follow_file();
        self.home.advance();
        self.check()?;
        let (number, notes) = self.home.with(|owner| (owner.moment().step, owner.team_mut().take_notes()));
        Ok(notes.map(|notes| Step::new(number, notes, self.take_announcements())))
    }

    /// Begins a new episode if the Python file was saved.
    fn follow_file(&mut self) {
        let Some(followed) = self.followed.as_mut().filter(|followed| followed.looked.elapsed() >= LOOK) else {
            return;
        };
        followed.looked = Instant::now();
        if !followed.source.was_saved() {
            return;
        }
        let reset = Command::Reset { parameters: None, seed: Some(followed.seed) };
        let begun = self.manage(reset).and_then(|()| self.manage(Command::Start));
        if let Some(followed) = &mut self.followed {
            let in_words = |error: anyhow::Error| match error.downcast_ref() {
                Some(error) => followed.source.not_reloaded(error),
                None => error.to_string(),
            };
            followed.trouble = begun.err().map(in_words);
        }
    }

    /// Returns whether each program that runs in a process of its own has connected.
    fn end_waiting(&mut self) -> anyhow::Result<bool> {
        let Self { home, launched: Some(launched), .. } = self else { return Ok(true) };
        let connected =
            home.with(|owner| owner.read(|interface| launched.have_connected(|entity| has_agent(interface, entity))))??;
        if connected {
            self.waits_since = None;
            // The steps of a run in real time count from now.
            let speed = self.status().speed;
            self.set_speed(speed)?;
        }
        Ok(connected)
    }

    /// Returns the announcements since the last call.
    fn take_announcements(&mut self) -> Vec<Announcement> {
        let observer = &mut self.observer;
        let Drained { happenings, .. } =
            self.home.with(|owner| owner.read(|interface| interface.drain(observer)).unwrap_or_default());
        let announcement =
            |happening| if let Happening::Announcement(announcement) = happening { Some(announcement) } else { None };
        happenings.into_iter().filter_map(announcement).collect()
    }

    /// Returns the time until something is due; `None` if nothing is.
    pub(super) fn rest(&mut self) -> Option<Duration> {
        if self.waits_since.is_some() { Some(ATTENTION) } else { self.home.rest() }
    }

    /// Returns whether the run is over: the episode has ended, all steps have been made, no agent acts any more, or a
    /// message has broken a rule that ends the run.
    pub(super) fn is_over(&mut self) -> bool {
        let (ended, step) = self.home.with(|owner| {
            let ended = owner.read(|interface| interface.ending().is_some()).unwrap_or(true);
            (ended || owner.state() == State::Killed, owner.moment().step)
        });
        ended || step >= self.steps || self.is_idle() || self.violation().is_some()
    }

    /// Returns the first rule of a protocol that a message has broken, in words, if that ends the run.
    pub(super) fn violation(&self) -> Option<Arc<str>> {
        if self.ends_on_violation { self.home.violations().1 } else { None }
    }

    /// Returns whether no agent acts any more and none is expected to connect.
    pub(super) fn is_idle(&mut self) -> bool {
        self.home.with(|owner| owner.is_idle())
            && self.home.models().is_none_or(Models::have_left)
            && (self.home.page().is_none() || self.have_all_left())
    }

    /// Returns whether the programs that connect to the server have ended, and no other agent is there.
    fn have_all_left(&mut self) -> bool {
        self.waits_since.is_none()
            && !self.awaits_others
            && self.launched.as_mut().is_some_and(Launched::have_ended)
            && !self.read(|interface| interface.entities().iter().any(|entity| has_agent(interface, entity)))
    }

    /// Reads something from the environment; returns the default if it has crashed.
    pub(super) fn read<R: Default>(&mut self, read: impl FnOnce(&dyn EnvironmentInterface) -> R) -> R {
        self.home.with(|owner| owner.read(read).unwrap_or_default())
    }

    /// Pauses or resumes.
    pub(super) fn toggle_pause(&mut self) -> anyhow::Result<()> {
        let command = if self.status().state == State::Running { Command::Pause } else { Command::Start };
        self.manage(command)
    }

    /// Makes one step and pauses.
    pub(super) fn make_one_step(&mut self) -> anyhow::Result<()> {
        if self.status().state == State::Running {
            self.manage(Command::Pause)?;
        }
        self.home.ask(|owner, to, now| owner.advance(to, 1, true, now))?;
        self.check()
    }

    /// Begins a new episode with the next seed.
    pub(super) fn reset(&mut self) -> anyhow::Result<()> {
        let state = self.status().state;
        self.manage(Command::Reset { parameters: None, seed: None })?;
        if state == State::Running {
            self.manage(Command::Start)?;
        }
        Ok(())
    }

    /// Sets the speed.
    pub(super) fn set_speed(&mut self, speed: Speed) -> anyhow::Result<()> {
        self.home.set_speed(speed)?;
        self.check()
    }

    /// Ends the recording, if there is one.
    ///
    /// # Errors
    /// Returns an error if not everything could be recorded.
    pub(super) fn finish(&mut self) -> anyhow::Result<()> {
        self.home.finish()
    }

    /// Performs a command, and checks that nothing has crashed.
    fn manage(&mut self, command: Command) -> anyhow::Result<()> {
        self.home.ask(|owner, to, now| owner.apply(to, Input::Manage(command), now))?;
        self.check()
    }

    /// Checks that nothing has crashed and every entity has its program.
    fn check(&mut self) -> anyhow::Result<()> {
        let wrong = self.home.with(|owner| {
            let crash = owner.status().crash;
            let crash = crash.map(|reason| format!("environment `{}` has crashed: {reason}", owner.ontology().name));
            crash.or_else(|| owner.team().trouble().values().next().cloned())
        });
        wrong.map_or(Ok(()), |wrong| Err(anyhow!(wrong)))?;
        self.home.models().map_or(Ok(()), Models::check)
    }

    /// Returns the status.
    pub(super) fn status(&mut self) -> Status {
        self.home.with(|owner| owner.status())
    }

    /// Returns the entities that have programs, with the names of the programs.
    pub(super) fn members(&mut self) -> Vec<(EcoString, EcoString)> {
        let member = |(entity, program): (&EcoString, &EcoString)| (entity.clone(), program.clone());
        let mut members: Vec<_> = self.home.with(|owner| owner.team().members().map(member).collect());
        members.extend(self.home.models().into_iter().flat_map(Models::members));
        members
    }

    /// Returns the failed actions, by entity.
    pub(super) fn failures(&mut self) -> BTreeMap<EcoString, Failures> {
        self.home.with(|owner| owner.team().failures().clone())
    }

    /// Returns what a user should know: recording has stopped, a program has not connected for a while, a model does
    /// not answer, or a saved file cannot be loaded.
    pub(super) fn problem(&mut self) -> Option<String> {
        let waits = self.waits_since.is_some_and(|since| since.elapsed() >= CONNECTING);
        let late = self.launched.as_ref().filter(|_| waits).and_then(Launched::first_late);
        let late = late.map(|program| format!("{program} has not connected yet; no step is made before"));
        let trouble = self.home.models().and_then(Models::problem);
        let file = self.followed.as_ref().and_then(|followed| followed.trouble.clone());
        self.home.with(|owner| owner.recording_error()).or(late).or(trouble).or(file)
    }

    /// Returns what the environment declares about itself.
    pub(super) fn ontology(&self) -> &Ontology {
        self.home.ontology()
    }

    /// Returns the seed of the episode.
    pub(super) fn seed(&mut self) -> u64 {
        self.home.with(|owner| owner.team().seed())
    }

    /// Returns the outcome of the episode, with what language models have used.
    pub(super) fn outcome(&mut self) -> Outcome {
        let outcome = self.read(|interface| interface.outcome());
        let mut outcome = outcome.unwrap_or(Outcome { ending: None, results: Vec::new() });
        outcome.results.extend(self.home.models().into_iter().flat_map(Models::measures));
        if self.ends_on_violation {
            let count = i64::try_from(self.home.violations().0).unwrap_or(i64::MAX);
            let measure = Measure { of: "messages".into(), name: "violations".into(), value: count.into() };
            outcome.results.push(measure);
        }
        outcome
    }
}

fn has_agent(interface: &dyn EnvironmentInterface, entity: &str) -> bool {
    interface.associated_agents(entity).is_ok_and(|agents| !agents.is_empty())
}
