//! A world with its programs while it runs in this process: its owner, driven from here.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{anyhow, bail};
use situated::environment::Outcome;
use situated::iil::{EcoString, Parameter};
use situated::interface::{Command, State};
use situated::ontology::Ontology;
use situated::scene::Scene;
use situated_runtime::{Clock, Failures, Input, Owner, Recorder, Request, Speed, Status};

use super::step::Step;
use crate::plan::Plan;

/// A world with its programs.
pub(super) struct Stage {
    owner: Owner<()>,
    clock: Clock,
    /// How many steps are made at the most.
    pub(super) steps: u64,
}

impl Stage {
    /// The world of a plan at the beginning of an episode, running, with its programs.
    ///
    /// # Errors
    /// When there is no such world, or a body has no program that is to have one.
    pub(super) fn begin(plan: &Plan, seed: u64, notes: bool, recorder: Option<Recorder>) -> anyhow::Result<Self> {
        let mut stage = Self { owner: plan.owner(notes, recorder), clock: Clock::new(), steps: plan.steps };
        stage.ask(Request::Input(Input::Manage(plan.init(seed))))?;
        stage.ask(Request::Input(Input::Manage(Command::Start)))?;
        Ok(stage)
    }

    /// Does what is due. If a step has been made, this is what happened in it.
    ///
    /// # Errors
    /// When the world has broken down, or a body has no program that is to have one.
    pub(super) fn advance(&mut self) -> anyhow::Result<Option<Step>> {
        self.owner.advance(self.clock.now());
        self.check()?;
        let number = self.status().moment.step;
        Ok(self.owner.team_mut().take_notes().map(|notes| Step::new(number, notes)))
    }

    /// How long nothing is due; none means for good.
    pub(super) fn rest(&self) -> Option<Duration> {
        self.owner.deadline().map(|deadline| deadline.saturating_sub(self.clock.now().monotonic))
    }

    /// Whether there is nothing more to do: the episode is over, there were enough steps, or nobody does anything.
    pub(super) fn is_over(&mut self) -> bool {
        let ended = self.owner.look(|interface| interface.ending().is_some()).unwrap_or(true);
        ended || self.status().moment.step >= self.steps || self.is_idle()
    }

    /// Whether nobody does anything any more.
    pub(super) fn is_idle(&self) -> bool {
        self.owner.is_idle()
    }

    /// The entities that there are.
    pub(super) fn entities(&mut self) -> Vec<EcoString> {
        self.owner.look(|interface| interface.entities()).unwrap_or_default()
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
        self.ask(Request::Advance { steps: 1 })
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
        Ok(self.owner.finish(self.clock.now())?)
    }

    fn ask(&mut self, request: Request) -> anyhow::Result<()> {
        self.owner.submit((), request, self.clock.now());
        self.check()
    }

    /// Whether all that was asked has been done, nothing has broken down, and every body has its program.
    fn check(&mut self) -> anyhow::Result<()> {
        while let Some(((), answered)) = self.owner.next_reply() {
            answered?;
        }
        if let Some(reason) = self.status().crash {
            bail!("environment `{}` has crashed: {reason}", self.ontology().name);
        }
        match self.owner.team().trouble().values().next() {
            Some(trouble) => Err(anyhow!("{trouble}")),
            None => Ok(()),
        }
    }

    /// How things stand.
    pub(super) fn status(&self) -> Status {
        self.owner.status()
    }

    /// The bodies that have programs, with their names.
    pub(super) fn members(&self) -> impl Iterator<Item = (&EcoString, &EcoString)> {
        self.owner.team().members()
    }

    /// What has failed, by entity.
    pub(super) fn failures(&self) -> &BTreeMap<EcoString, Failures> {
        self.owner.team().failures()
    }

    /// Why nothing is recorded any more, if something has gone wrong.
    pub(super) fn recording_error(&self) -> Option<String> {
        self.owner.recording_error()
    }

    /// What the environment declares about itself.
    pub(super) fn ontology(&self) -> &Ontology {
        self.owner.ontology()
    }

    /// The seed of the episode.
    pub(super) fn seed(&self) -> u64 {
        self.owner.team().seed()
    }

    /// The parameters of the episode, with their values.
    pub(super) fn parameters(&mut self) -> BTreeMap<String, Parameter> {
        self.owner.look(|interface| interface.parameters()).ok().flatten().unwrap_or_default()
    }

    /// How the episode stands.
    pub(super) fn outcome(&mut self) -> Outcome {
        let outcome = self.owner.look(|interface| interface.outcome()).ok().flatten();
        outcome.unwrap_or(Outcome { ending: None, results: Vec::new() })
    }

    /// What the world looks like as a whole.
    pub(super) fn scene(&mut self) -> Scene {
        // Only a viewer that does not exist can be refused.
        self.owner.look(|interface| interface.scene(None).unwrap_or_default()).unwrap_or_default()
    }
}
