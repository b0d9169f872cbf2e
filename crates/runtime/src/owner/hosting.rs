//! Environments that run elsewhere: the requests to their hosts, and the effects of the hosts' reports.

use std::collections::BTreeMap;
use std::time::Duration;

use situated::host::{HostReport, HostRequest, HostTerms};
use situated::hosted::HostedInterface;
use situated::iil::EcoString;
use situated::interface::{Effect, Error as Refused, Input, Moment, State, Time};
use situated::ontology::{Ontology, Pace};

use super::choices::PendingId;
use super::{Askers, Owner, Tempo};
use crate::error::Error;
use crate::journal::Record;
use crate::reply::{Answered, Reply};

/// The requests that wait for the host.
pub(super) struct Hosting<T> {
    /// The purpose of each open request to the host.
    waiting: BTreeMap<u64, Purpose<T>>,
    /// Responses to actions that are sent when a step is over, by the request for that step. For lockstep
    /// environments the key is 0, since there is one step at a time.
    held: BTreeMap<u64, Vec<Held<T>>>,
    /// Responses to actions for which a step has not been made yet (reactive).
    owed: Vec<Held<T>>,
    /// Whether the actions of a step, or the step after them, are in progress (lockstep).
    in_step: bool,
}

/// The response to an action, and its receiver.
pub(super) type Held<T> = (Askers<T>, Answered);

/// The purpose of a request to the host.
pub(super) enum Purpose<T> {
    /// A client requested it.
    Request(T),
    /// A client requested a number of steps.
    Advance { asker: T, steps: u64, at_once: bool },
    /// Time has run for the requested number of steps.
    Halt,
    /// An entity acts.
    Act(PendingId),
    /// An entity acts, and a step is made after it.
    ActAndStep(PendingId),
    /// A step is made.
    Step,
}

impl<T> Default for Hosting<T> {
    fn default() -> Self {
        Self { waiting: BTreeMap::new(), held: BTreeMap::new(), owed: Vec::new(), in_step: false }
    }
}

impl<T> Owner<T> {
    /// Creates the owner of an environment with this ontology that another process runs. Its driver sends the host
    /// each [request](Self::next_host_request) and passes on the host's [reports](Self::hear).
    ///
    /// # Errors
    /// Returns an error if the ontology is unsound.
    pub fn hosted(ontology: Ontology, tempo: Tempo, terms: HostTerms) -> Result<Self, Error> {
        Ok(Self::new(Box::new(HostedInterface::new(ontology, terms)?), tempo))
    }

    /// Returns the next request for the host, in order.
    pub fn next_host_request(&mut self) -> Option<HostRequest> {
        self.environment.host_mut()?.take_next()
    }

    /// Takes a report of the host.
    ///
    /// # Errors
    /// Returns an error if the report is invalid, or the environment has no host. Nothing changes then.
    pub fn hear(&mut self, says: HostReport, now: Time) -> Result<(), Error> {
        let (moment, state) = (self.environment.moment(), self.environment.state());
        let effect = self.environment.apply(&Input::Host(says.into()), now)?;
        self.follow_management(moment, state, now);
        self.follow_steps(moment, now);
        if let Effect::Answered { number, outcome, .. } = effect {
            self.take_answer(number, *outcome, now);
        }
        self.conclude(now);
        Ok(())
    }

    /// Notes that the host has reconnected and may have missed requests: asks again to begin the first episode if that
    /// is open, and for all percepts of entities that have agents.
    pub fn host_back(&mut self, now: Time) {
        let taken = self.environment.read(|interface| {
            let has_agents =
                |entity: &EcoString| interface.associated_agents(entity).is_ok_and(|agents| !agents.is_empty());
            interface.entities().into_iter().filter(has_agents).collect::<Vec<_>>()
        });
        if let (Some(host), Ok(taken)) = (self.environment.host_mut(), taken) {
            if let Some((former, number)) = host.begin_anew(now.monotonic)
                && let Some(purpose) = self.hosting.waiting.remove(&former)
            {
                self.hosting.waiting.insert(number, purpose);
            }
            host.ask_anew(taken, now.monotonic);
            // The requests get numbers, but are not inputs.
            let _ = self.begin_journal();
        }
    }

    /// Returns whether the host has been asked to begin the first episode, and has time left for it.
    pub fn awaits_beginning(&self) -> bool {
        let host = self.environment.host();
        self.environment.state() == State::Initializing && host.is_some_and(|host| host.owes_management())
    }

    /// Ends the environment, because its host has disconnected. Responds to all waiting requests.
    pub fn host_gone(&mut self, reason: &str, now: Time) {
        self.environment.lose_host(reason, now);
        self.conclude(now);
    }

    /// Returns whether the next step has to wait for the host.
    pub(super) fn waits_for_host(&self) -> bool {
        let Some(host) = self.environment.host() else { return false };
        let halts = self.advance.as_ref().is_some_and(|advance| advance.steps == 0);
        halts
            || match self.pace {
                // At the highest speed, nothing waits.
                Pace::Reactive => !self.ticker.speed().period().is_zero() && (host.owes_action() || host.owes_step()),
                _ => host.owes_step(),
            }
    }

    /// Returns the earliest deadline of the host.
    pub(super) fn host_deadline(&self) -> Option<Duration> {
        self.environment.host()?.deadline()
    }

    /// Notes the purpose of a request to the host.
    pub(super) fn expect(&mut self, call: u64, purpose: Purpose<T>) {
        self.hosting.waiting.insert(call, purpose);
    }

    /// Holds responses to actions until the step is over.
    pub(super) fn begin_step_together(&mut self) {
        self.hosting.in_step = self.environment.host().is_some();
    }

    /// Responds to an action. If a hosted environment makes a step after it, the response comes when the step is
    /// over.
    pub(super) fn answer_action(&mut self, askers: Askers<T>, answered: Answered) {
        let steps = self.environment.host().is_some() && self.pace == Pace::Reactive && is_accepted(&answered);
        if self.hosting.in_step {
            self.hosting.held.entry(0).or_default().push((askers, answered));
        } else if steps {
            self.hosting.owed.push((askers, answered));
        } else {
            self.answer_all(askers, answered);
        }
    }

    /// Gives up requests whose deadline has passed.
    pub(super) fn give_up_late_calls(&mut self, now: Time) {
        while let Some((number, call)) = self.environment.host_mut().and_then(|host| host.next_late(now.monotonic)) {
            self.environment.note(&Record::GivenUp { request: number });
            let error = self.environment.late(&call);
            match self.hosting.waiting.remove(&number) {
                Some(Purpose::Request(asker) | Purpose::Advance { asker, .. }) => self.reply(asker, Err(error)),
                Some(Purpose::Halt) => self.stop_advance(error),
                Some(Purpose::Act(pending)) => self.refuse_late(pending, error),
                Some(Purpose::ActAndStep(pending)) => {
                    // The host may still make the step.
                    self.ticker.tick(now.monotonic);
                    self.refuse_late(pending, error);
                }
                Some(Purpose::Step) => self.end_step(number),
                None => {}
            }
        }
    }

    /// Stops waiting for the host, because the environment has ended.
    pub(super) fn let_host_go(&mut self) {
        let Some(host) = self.environment.host_mut() else { return };
        host.let_go();
        let error = self.environment.ended("anything");
        for purpose in std::mem::take(&mut self.hosting.waiting).into_values() {
            match purpose {
                Purpose::Request(asker) | Purpose::Advance { asker, .. } => self.reply(asker, Err(error.clone())),
                Purpose::Halt | Purpose::Act(_) | Purpose::ActAndStep(_) | Purpose::Step => {}
            }
        }
        for (askers, answered) in std::mem::take(&mut self.hosting.owed) {
            self.answer_all(askers, answered);
        }
        self.end_step(u64::MAX);
    }
}

/// Internal parts.
impl<T> Owner<T> {
    /// Follows steps that the environment made by itself.
    fn follow_steps(&mut self, before: Moment, now: Time) {
        let after = self.environment.moment();
        if after.episode == before.episode && after.step > before.step {
            self.count_steps(after.step - before.step, now);
            self.team.close_step();
        }
    }

    fn take_answer(&mut self, number: u64, outcome: Result<Effect, Refused>, now: Time) {
        let answered = outcome.map(Reply::of).map_err(Error::Interface);
        match self.hosting.waiting.remove(&number) {
            Some(Purpose::Request(asker)) => self.reply(asker, answered),
            Some(Purpose::Advance { asker, steps, at_once }) => match answered {
                Err(error) => self.reply(asker, Err(error)),
                Ok(_) => self.begin_advance(asker, steps, at_once),
            },
            Some(Purpose::Halt) => drop(answered.map_err(|error| self.stop_advance(error))),
            Some(Purpose::Act(pending)) => {
                if let Ok(Reply::Results(results)) = answered {
                    self.note_result(pending, results.into_iter().next());
                }
            }
            Some(Purpose::ActAndStep(pending)) => {
                if is_accepted(&answered) {
                    self.ticker.tick(now.monotonic);
                }
                if let Ok(Reply::Results(results)) = answered
                    && let Some((askers, answered)) = self.complete(pending, results.into_iter().next())
                {
                    self.answer_all(askers, answered);
                }
            }
            Some(Purpose::Step) => {
                // The time for the choices of the next step begins now.
                self.ticker.made = now.monotonic;
                self.end_step(number);
            }
            None => {}
        }
        self.make_owed_steps(now);
    }

    /// Handles that the host refused to stop time after the requested steps.
    pub(super) fn stop_advance(&mut self, error: Error) {
        if let Some(asker) = self.end_advance() {
            self.reply(asker, Err(error));
        }
    }

    /// Makes a step for each accepted action (reactive).
    fn make_owed_steps(&mut self, now: Time) {
        for held in std::mem::take(&mut self.hosting.owed) {
            match self.tick(now) {
                Some(call) => self.hosting.held.entry(call).or_default().push(held),
                None => self.answer_all(held.0, held.1),
            }
        }
    }

    /// Sends the responses that waited for this step or an earlier one, which is over or will not be made.
    pub(super) fn end_step(&mut self, call: u64) {
        self.hosting.in_step = false;
        let later = self.hosting.held.split_off(&call.saturating_add(1));
        for (askers, answered) in std::mem::replace(&mut self.hosting.held, later).into_values().flatten() {
            self.answer_all(askers, answered);
        }
    }
}

/// Returns whether any entity has acted.
fn is_accepted(answered: &Answered) -> bool {
    match answered {
        Ok(Reply::Results(results)) => results.iter().any(|(_, result)| result.is_ok()),
        _ => false,
    }
}
