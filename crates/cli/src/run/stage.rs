//! An environment with its programs while it runs in this process: its owner, driven from here.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::anyhow;
use situated::environment::{Announcement, Outcome};
use situated::iil::EcoString;
use situated::interface::{Command, Drained, EnvironmentInterface, Happening, Observer, State};
use situated::ontology::Ontology;
use situated_recording::McapRecorder;
use situated_runtime::{Failures, Input, Request, Speed, Status};
use situated_server::Settings;

use super::home::Home;
use super::step::Step;
use crate::launch::Launched;
use crate::plan::Plan;

/// An environment with its programs.
pub(super) struct Stage {
    home: Home,
    /// The programs of its entities that have processes of their own.
    launched: Option<Launched>,
    observer: Observer,
    /// How many steps are made at the most.
    pub(super) steps: u64,
}

impl Stage {
    /// The environment of a plan at the beginning of an episode, running, with its programs; with its doors open if there are
    /// settings for a server.
    ///
    /// # Errors
    /// When there is no such environment, an entity has no program that is to have one, or the doors cannot be opened.
    pub(super) fn begin(
        plan: &Plan,
        seed: u64,
        notes: bool,
        recorder: Option<McapRecorder>,
        doors: Option<Settings>,
    ) -> anyhow::Result<Self> {
        let owner = plan.owner(notes, recorder);
        let home = match doors {
            None => Home::here(owner),
            Some(settings) => Home::with_doors(plan, owner, settings)?,
        };
        let mut stage = Self { home, launched: None, observer: Observer::new(), steps: plan.steps };
        // What is announced at the very beginning is heard, too.
        stage.take_announcements();
        stage.ask(Request::Input(Input::Manage(plan.init(seed))))?;
        stage.ask(Request::Input(Input::Manage(Command::Start)))?;
        stage.launched = stage.home.launch(plan)?;
        Ok(stage)
    }

    /// The address of the page, if the doors are open.
    pub(super) fn page(&self) -> Option<&str> {
        self.home.page()
    }

    /// Does what is due. If a step has been made, this is what happened in it.
    ///
    /// # Errors
    /// When the environment has broken down, or an entity has no program that is to have one.
    pub(super) fn advance(&mut self) -> anyhow::Result<Option<Step>> {
        self.home.advance();
        self.check()?;
        let (number, notes) = self.home.with(|owner| (owner.moment().step, owner.team_mut().take_notes()));
        Ok(notes.map(|notes| Step::new(number, notes, self.take_announcements())))
    }

    /// What the environment has announced since this was last asked.
    fn take_announcements(&mut self) -> Vec<Announcement> {
        let observer = &mut self.observer;
        let Drained { happenings, .. } =
            self.home.with(|owner| owner.read(|interface| interface.drain(observer)).unwrap_or_default());
        let announcement =
            |happening| if let Happening::Announcement(announcement) = happening { Some(announcement) } else { None };
        happenings.into_iter().filter_map(announcement).collect()
    }

    /// How long nothing is due; none means for good.
    pub(super) fn rest(&mut self) -> Option<Duration> {
        self.home.rest()
    }

    /// Whether there is nothing more to do: the episode is over, there were enough steps, or nobody does anything.
    pub(super) fn is_over(&mut self) -> bool {
        let (ended, step) = self.home.with(|owner| {
            let ended = owner.read(|interface| interface.ending().is_some()).unwrap_or(true);
            (ended || owner.state() == State::Killed, owner.moment().step)
        });
        ended || step >= self.steps || self.is_idle()
    }

    /// Whether nobody does anything any more, and nobody can come who would.
    pub(super) fn is_idle(&mut self) -> bool {
        self.home.page().is_none() && self.home.with(|owner| owner.is_idle())
    }

    /// Reads something from the environment; the default if it has crashed.
    pub(super) fn read<R: Default>(&mut self, read: impl FnOnce(&dyn EnvironmentInterface) -> R) -> R {
        self.home.with(|owner| owner.read(read).unwrap_or_default())
    }

    /// Pauses, or starts again.
    pub(super) fn toggle_pause(&mut self) -> anyhow::Result<()> {
        let command = if self.status().state == State::Running { Command::Pause } else { Command::Start };
        self.ask(Request::Input(Input::Manage(command)))
    }

    /// Makes one step, and is paused then.
    pub(super) fn make_one_step(&mut self) -> anyhow::Result<()> {
        if self.status().state == State::Running {
            self.ask(Request::Input(Input::Manage(Command::Pause)))?;
        }
        self.ask(Request::Advance { steps: 1, at_once: false })
    }

    /// Begins a new episode, with the seed that follows.
    pub(super) fn reset(&mut self) -> anyhow::Result<()> {
        let state = self.status().state;
        self.ask(Request::Input(Input::Manage(Command::Reset { parameters: None, seed: None })))?;
        if state == State::Running {
            self.ask(Request::Input(Input::Manage(Command::Start)))?;
        }
        Ok(())
    }

    /// From now on, steps are made at this speed.
    pub(super) fn set_speed(&mut self, speed: Speed) -> anyhow::Result<()> {
        self.ask(Request::SetSpeed(speed))
    }

    /// Ends the recording, if there is one.
    ///
    /// # Errors
    /// When not all could be recorded.
    pub(super) fn finish(&mut self) -> anyhow::Result<()> {
        self.home.finish()
    }

    fn ask(&mut self, request: Request) -> anyhow::Result<()> {
        self.home.ask(request)?;
        self.check()
    }

    /// Whether nothing has broken down, and every entity has its program.
    fn check(&mut self) -> anyhow::Result<()> {
        let wrong = self.home.with(|owner| {
            let crash = owner.status().crash;
            let crash = crash.map(|reason| format!("environment `{}` has crashed: {reason}", owner.ontology().name));
            crash.or_else(|| owner.team().trouble().values().next().cloned())
        });
        wrong.map_or(Ok(()), |wrong| Err(anyhow!(wrong)))
    }

    /// How things stand.
    pub(super) fn status(&mut self) -> Status {
        self.home.with(|owner| owner.status())
    }

    /// The entities that have programs, with their names.
    pub(super) fn members(&mut self) -> Vec<(EcoString, EcoString)> {
        let member = |(entity, program): (&EcoString, &EcoString)| (entity.clone(), program.clone());
        self.home.with(|owner| owner.team().members().map(member).collect())
    }

    /// What has failed, by entity.
    pub(super) fn failures(&mut self) -> BTreeMap<EcoString, Failures> {
        self.home.with(|owner| owner.team().failures().clone())
    }

    /// Why nothing is recorded any more, if something has gone wrong.
    pub(super) fn recording_error(&mut self) -> Option<String> {
        self.home.with(|owner| owner.recording_error())
    }

    /// What the environment declares about itself.
    pub(super) fn ontology(&self) -> &Ontology {
        self.home.ontology()
    }

    /// The seed of the episode.
    pub(super) fn seed(&mut self) -> u64 {
        self.home.with(|owner| owner.team().seed())
    }

    /// How the episode stands.
    pub(super) fn outcome(&mut self) -> Outcome {
        let outcome = self.read(|interface| interface.outcome());
        outcome.unwrap_or(Outcome { ending: None, results: Vec::new() })
    }
}
