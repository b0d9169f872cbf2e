//! Stores the state of an owner in a journal, and restores it in another process.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use situated::hosted::HostedInterface;
use situated::iil::EcoString;
use situated::interface::{Effect, EventsHeard, Input, Results, State, Time, Version};
use situated::ontology::Pace;

use super::Owner;
use crate::error::Error;
use crate::journal::{Checkpoint, Journal, KeptHost, Record, is_decided_by_environment};
use crate::spectacle::Spectacle;
use crate::speed::Speed;

/// The numbers of events of entities that agents know, as in the journal, by agent and entity. Cleared at each
/// checkpoint.
#[derive(Default)]
pub(super) struct Heard(BTreeMap<EcoString, BTreeMap<EcoString, EventsHeard>>);

impl Heard {
    fn find(&self, agent: &str, entity: &str) -> Option<&EventsHeard> {
        self.0.get(agent)?.get(entity)
    }
}

/// The progress of restoring an owner.
struct Resuming {
    /// The actions that the host was asked to execute and that are not done, by agent and number.
    begun: BTreeSet<(EcoString, u64)>,
    /// The steps for which time runs, and whether as fast as possible.
    advance: Option<(u64, bool)>,
}

impl<T> Owner<T> {
    /// Writes all changes to this journal from now on, beginning with a checkpoint.
    ///
    /// # Errors
    /// Returns an error if the state of the environment is in another process, so that it cannot be stored.
    pub fn keep(&mut self, journal: Box<dyn Journal>) -> Result<(), Error> {
        self.environment.journal = Some(journal);
        self.begin_journal().inspect_err(|_| self.environment.journal = None)
    }

    /// Stops writing records. Existing records remain.
    pub fn end_journal(&mut self) {
        self.environment.journal = None;
    }

    /// Continues from the owner of another process: from a checkpoint, the state of its episode, and the records
    /// since. Programs of the team start again, and pending requests are dropped. `nobody` gets the answer if time
    /// still runs for a number of steps.
    ///
    /// # Errors
    /// Returns an error if the environment does not repeat its earlier behaviour.
    pub fn resume(
        &mut self,
        checkpoint: Checkpoint,
        state: Option<&[u8]>,
        records: impl IntoIterator<Item = Record<'static>>,
        nobody: T,
        now: Time,
    ) -> Result<(), Error> {
        let Checkpoint { pace, period, patience, numbers, advance, host, crash, .. } = &checkpoint;
        (self.pace, self.patience) = (*pace, *patience);
        self.ticker.set_speed(Speed::of_period(*period), now.monotonic);
        let mut resuming = Resuming { begun: BTreeSet::new(), advance: *advance };
        for kept in numbers {
            resuming.begun.extend(kept.begun.iter().map(|number| (kept.agent.clone(), *number)));
            self.numbers.resume(kept.clone());
        }
        self.load(host.as_ref(), state, &checkpoint)?;
        if let Some(reason) = crash {
            self.environment.repeat_crash(reason.clone());
        }
        for record in records {
            self.repeat(record, &mut resuming, now)?;
        }
        resuming.begun.iter().for_each(|(agent, number)| self.numbers.spend(agent, *number));
        if let Some(host) = self.environment.host_mut() {
            host.give_up_all();
        }
        if self.environment.state() == State::Running {
            self.ticker.begin(now.monotonic);
        }
        if self.pace == Pace::Lockstep {
            // No agent has chosen yet, so no choice becomes invalid.
            let _ = self.environment.read(|interface| self.choices.follow(interface));
        }
        // After the last step, the host was asked to pause, and that request was given up above.
        if let Some((steps @ 1.., at_once)) = resuming.advance {
            self.begin_advance(nobody, steps, at_once);
        }
        Ok(())
    }

    /// Returns the reason why the journal cannot be written at present, so that inputs are refused.
    pub fn refusal(&self) -> Option<Error> {
        self.environment.refusal()
    }

    /// Completes a unit of the journal: the records since the last unit belong together.
    pub(super) fn seal(&mut self) {
        if let Some(journal) = &mut self.environment.journal
            && journal.seal()
        {
            // It was possible when the journal began.
            let _ = self.begin_journal();
        }
    }

    /// Notes that an action with a number is done.
    pub(super) fn note_done(&mut self, agent: &EcoString, number: u64, results: &Results) {
        self.environment.note(&Record::Done { agent: agent.clone(), number, results: Cow::Borrowed(results) });
    }

    /// Notes that the host was asked to execute a numbered action.
    pub(super) fn note_begun(&mut self, agent: &EcoString, number: Option<u64>) {
        if let Some(number) = number {
            self.environment.note(&Record::Begun { agent: agent.clone(), number });
        }
    }

    /// Notes that an agent has received everything up to a version.
    pub(super) fn note_acknowledged(&mut self, agent: &str, entity: &str, version: Version) {
        let known = self.heard.find(agent, entity).copied().unwrap_or_default();
        let acknowledged = known.acknowledged.max(version.events);
        self.note_heard(agent, entity, EventsHeard { acknowledged, told: known.told.max(acknowledged) });
    }

    /// Notes the events of an entity that an agent knows, unless the journal contains them already.
    pub(super) fn note_heard(&mut self, agent: &str, entity: &str, heard: EventsHeard) {
        if self.environment.journal.is_none() || self.heard.find(agent, entity) == Some(&heard) {
            return;
        }
        let (agent, entity) = (EcoString::from(agent), EcoString::from(entity));
        self.environment.note(&Record::Heard { agent: agent.clone(), entity: entity.clone(), heard });
        self.heard.0.entry(agent).or_default().insert(entity, heard);
    }

    /// Saves the state to measure its size, unless the environment has a host.
    pub fn measure(&mut self) {
        let saved = self.environment.observe(|interface| match interface.host_requests() {
            None if interface.episode().is_some() => interface.save().map_or(0, |state| state.len()),
            _ => 0,
        });
        // An environment that cannot be saved has crashed.
        self.saved_bytes = saved.unwrap_or(0);
    }

    /// The number of bytes that the environment takes: what its host has reported, or the size of its state when it was
    /// last saved or [measured](Self::measure); and the actions and responses that are remembered.
    pub fn kept_bytes(&self) -> usize {
        let hosted = self.environment.host().map(|_| self.environment.host_bytes());
        hosted.unwrap_or(self.saved_bytes) + self.remembered_bytes()
    }

    /// Limits the number of bytes that the environment can take if it has a host. The host then gets errors.
    pub fn limit_host(&mut self, bytes: usize) {
        self.environment.limit_host(bytes.saturating_sub(self.remembered_bytes()));
    }

    fn remembered_bytes(&self) -> usize {
        self.numbers.bytes() + self.environment.spectacle.as_ref().map_or(0, Spectacle::bytes)
    }

    /// Begins the journal with a checkpoint.
    pub(super) fn begin_journal(&mut self) -> Result<(), Error> {
        let saved = self.environment.observe(|interface| match interface.host_requests() {
            Some(_) => Ok(interface.episode().map(|episode| episode.snapshot())),
            None => interface.episode().map(|_| interface.save()).transpose(),
        })?;
        let checkpoint = self.checkpoint()?;
        let saved = saved?;
        self.heard = Heard::default();
        self.saved_bytes = saved.as_ref().map_or(0, Vec::len);
        if let Some(journal) = &mut self.environment.journal {
            journal.begin(&checkpoint, saved);
        }
        Ok(())
    }

    fn checkpoint(&mut self) -> Result<Checkpoint, Error> {
        let host = self
            .environment
            .host()
            .map(|host| KeptHost::new(self.environment.ontology().clone(), host.terms(), host.keep()));
        let is_begun = |pending| self.waiting.get(&pending).is_some_and(|waiting| host.is_some() && waiting.tried);
        let numbers = self.numbers.keep(is_begun);
        let (agents, progress) = self.environment.observe(|interface| (interface.agents(), interface.progress()))?;
        Ok(Checkpoint {
            state: self.environment.state(),
            agents,
            progress,
            pace: self.pace,
            period: self.ticker.speed().period(),
            patience: self.patience,
            numbers,
            advance: self.advance.as_ref().map(|advance| (advance.steps, self.ticker.hurries)),
            host,
            crash: self.environment.crash.clone(),
        })
    }

    /// Replaces the current state by a stored one.
    fn load(&mut self, host: Option<&KeptHost>, state: Option<&[u8]>, checkpoint: &Checkpoint) -> Result<(), Error> {
        if let Some(host) = host {
            let (ontology, terms, requests) = (host.ontology.clone(), host.terms(), host.requests.clone());
            self.environment.replace(Box::new(HostedInterface::resumed(ontology, terms, state, requests)?));
        }
        let Checkpoint { agents, progress, state: kept, .. } = checkpoint;
        self.environment.change(|interface| {
            match state {
                Some(state) if host.is_none() => interface.load(state)?,
                Some(_) => {}
                None => {
                    let register = |agent: &EcoString| Input::Register { agent: agent.clone() };
                    agents.iter().try_for_each(|agent| interface.apply(&register(agent), Time::default()).map(drop))?;
                    if *kept == State::Killed {
                        interface.abandon();
                    }
                }
            }
            interface.resume_progress(progress);
            Ok(())
        })?
    }

    /// Repeats the input of a record.
    fn repeat(&mut self, record: Record<'_>, resuming: &mut Resuming, now: Time) -> Result<(), Error> {
        let Resuming { begun, advance } = resuming;
        match record {
            Record::Input { input, time } => {
                let before = self.environment.moment();
                self.repeat_input(&input, Time { wall: time, ..now })?;
                let steps = self.environment.moment().step.saturating_sub(before.step);
                *advance = advance.map(|(left, at_once)| (left.saturating_sub(steps), at_once));
                if self.environment.state() != State::Running {
                    *advance = None;
                }
            }
            Record::Begun { agent, number } => drop(begun.insert((agent, number))),
            Record::Done { agent, number, results } => {
                self.numbers.done(&agent, number, &results);
                begun.remove(&(agent, number));
            }
            Record::Spent { agent, number } => {
                self.numbers.spend(&agent, number);
                begun.remove(&(agent, number));
            }
            // The agent may have lost the entity meanwhile.
            Record::Heard { agent, entity, heard } => {
                let _ = self.environment.change(|interface| interface.set_heard(&agent, &entity, heard));
            }
            Record::GivenUp { request } => {
                self.environment.host_mut().and_then(|host| host.give_up(request));
            }
            Record::Speed { period } => self.ticker.set_speed(Speed::of_period(period), now.monotonic),
            Record::Advance { steps, at_once } => *advance = Some((steps, at_once)),
            Record::Crashed { reason } => self.environment.repeat_crash(reason),
        }
        Ok(())
    }

    fn repeat_input(&mut self, input: &Input, now: Time) -> Result<(), Error> {
        match self.environment.repeat(input, now) {
            Err(Error::Interface(error)) if !is_decided_by_environment(input) => {
                let environment = self.environment.ontology().name.clone();
                return Err(Error::NotResumed { environment, reason: error.to_string() });
            }
            Ok(Effect::Acting { requests, .. }) => drop(self.include_step(&requests)),
            _ => {}
        }
        if let Input::Unregister { agent } = input {
            self.numbers.forget_agent(agent);
        }
        Ok(())
    }
}
