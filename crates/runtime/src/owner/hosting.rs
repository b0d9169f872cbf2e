//! Environments that are run elsewhere: what their host is to be called for, and what follows from what it says.

use std::collections::BTreeMap;
use std::time::Duration;

use situated::host::{HostDeadlines, HostReport, HostRequest, HostTask};
use situated::hosted::HostedInterface;
use situated::iil::EcoString;
use situated::interface::{Effect, Error as Refused, Input, Moment, Time};
use situated::ontology::{Ontology, Pace};

use super::choices::PendingId;
use super::{Askers, Owner, Tempo};
use crate::error::Error;
use crate::request::{Answered, Reply};

/// Who waits for the host.
pub(super) struct Hosting<T> {
    /// Who waits for the answer to which call.
    waiting: BTreeMap<u64, Purpose<T>>,
    /// The answers to actions that are handed out when a step is over, by the call for that step; those of a lockstep
    /// environment under 0, since there is one step at a time.
    held: BTreeMap<u64, Vec<Held<T>>>,
    /// The answers to actions for which a step is still to be made (reactive).
    owed: Vec<Held<T>>,
    /// The actions of a step are being done, and the step after them (lockstep).
    in_step: bool,
}

/// The answer to an action, and to whom it goes.
type Held<T> = (Askers<T>, Answered);

/// What an answer of the host is waited for.
pub(super) enum Purpose<T> {
    /// Somebody asked for it.
    Request(T),
    /// Somebody asked that time runs for so many steps.
    Advance { asker: T, steps: u64, at_once: bool },
    /// Time has run for as many steps as it was to.
    Halt,
    /// An entity acts.
    Act(PendingId),
    /// A step is made.
    Step,
}

impl<T> Default for Hosting<T> {
    fn default() -> Self {
        Self { waiting: BTreeMap::new(), held: BTreeMap::new(), owed: Vec::new(), in_step: false }
    }
}

impl<T> Owner<T> {
    /// The owner of an environment that another process runs and that has this ontology. Its driver gives the host each
    /// [request](Self::next_host_request) and passes on what the host [answers](Self::hear).
    ///
    /// # Errors
    /// Returns an error if the ontology is unsound.
    pub fn hosted(ontology: Ontology, tempo: Tempo, deadlines: HostDeadlines) -> Result<Self, Error> {
        Ok(Self::new(Box::new(HostedInterface::new(ontology, deadlines)?), tempo))
    }

    /// The next request for the host, in order.
    pub fn next_host_request(&mut self) -> Option<HostRequest> {
        self.environment.host_mut()?.take_next()
    }

    /// The host says something.
    ///
    /// # Errors
    /// When that cannot be, or the environment has no host; everything is then as it was.
    pub fn hear(&mut self, says: HostReport, now: Time) -> Result<(), Error> {
        let (moment, state) = (self.environment.moment(), self.environment.state());
        let effect = self.environment.apply(&Input::Host(says.into()), now)?;
        self.follow_management(moment, state, now);
        self.follow_steps(moment, now);
        if let Effect::Answered { number, outcome, .. } = effect {
            self.take_answer(number, *outcome, now);
        }
        self.follow(now);
        Ok(())
    }

    /// The host has come back, and has perhaps missed calls: it is to tell anew what holds for all entities that have agents.
    pub fn host_back(&mut self, now: Time) {
        let taken = self.environment.read(|interface| {
            let has_agents =
                |entity: &EcoString| interface.associated_agents(entity).is_ok_and(|agents| !agents.is_empty());
            interface.entities().into_iter().filter(has_agents).collect::<Vec<_>>()
        });
        if let (Some(host), Ok(taken)) = (self.environment.host_mut(), taken) {
            host.ask_anew(taken, now.monotonic);
        }
    }

    /// The host is gone, and its environment with it: all who wait are told.
    pub fn host_gone(&mut self, reason: &str, now: Time) {
        self.environment.lose_host(reason, now);
        self.follow(now);
    }

    /// Whether no step can be made before the host has answered.
    pub(super) fn waits_for_host(&self) -> bool {
        let Some(host) = self.environment.host() else { return false };
        let halts = self.advance.as_ref().is_some_and(|advance| advance.steps == 0);
        halts
            || match self.pace {
                // As fast as possible, nobody waits for anybody.
                Pace::Reactive => {
                    !self.ticker.speed().period().is_zero()
                        && host.owes(|call| matches!(call, HostTask::Act { .. } | HostTask::Step))
                }
                _ => host.owes(|call| *call == HostTask::Step),
            }
    }

    /// When the host is to have answered.
    pub(super) fn host_deadline(&self) -> Option<Duration> {
        self.environment.host()?.deadline()
    }

    /// Somebody waits for the answer to a call.
    pub(super) fn expect(&mut self, call: u64, purpose: Purpose<T>) {
        self.hosting.waiting.insert(call, purpose);
    }

    /// From now on until the step is over, whoever acts is answered when it is.
    pub(super) fn begin_step_together(&mut self) {
        self.hosting.in_step = self.environment.host().is_some();
    }

    /// An action is done. In a hosted environment, where that leads to a step, it is answered when the step is over.
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

    /// Tells those that wait for too long.
    pub(super) fn give_up_late_calls(&mut self, now: Time) {
        while let Some((number, call)) = self.environment.host_mut().and_then(|host| host.next_late(now.monotonic)) {
            let error = self.environment.late(&call);
            match self.hosting.waiting.remove(&number) {
                Some(Purpose::Request(asker) | Purpose::Advance { asker, .. }) => self.reply(asker, Err(error)),
                Some(Purpose::Halt) => self.stop_advance(error),
                Some(Purpose::Act(pending)) => self.refuse_late(pending, error),
                Some(Purpose::Step) => self.end_step(number),
                None => {}
            }
        }
    }

    /// The environment is over: nobody waits for its host any more.
    pub(super) fn let_host_go(&mut self) {
        let Some(host) = self.environment.host_mut() else { return };
        host.let_go();
        let error = self.environment.ended("anything");
        for purpose in std::mem::take(&mut self.hosting.waiting).into_values() {
            match purpose {
                Purpose::Request(asker) | Purpose::Advance { asker, .. } => self.reply(asker, Err(error.clone())),
                Purpose::Halt | Purpose::Act(_) | Purpose::Step => {}
            }
        }
        for (askers, answered) in std::mem::take(&mut self.hosting.owed) {
            self.answer_all(askers, answered);
        }
        self.end_step(u64::MAX);
    }
}

/// The parts of the above.
impl<T> Owner<T> {
    /// The environment may have made steps.
    fn follow_steps(&mut self, before: Moment, now: Time) {
        let after = self.environment.moment();
        if after.episode == before.episode && after.step > before.step {
            self.count_steps(after.step - before.step, now);
            self.team.close_step();
        }
    }

    fn take_answer(&mut self, number: u64, outcome: Result<Effect, Refused>, now: Time) {
        let answered = outcome.map(Reply::Effect).map_err(Error::Interface);
        match self.hosting.waiting.remove(&number) {
            Some(Purpose::Request(asker)) => self.reply(asker, answered),
            Some(Purpose::Advance { asker, steps, at_once }) => match answered {
                Err(error) => self.reply(asker, Err(error)),
                Ok(_) => self.begin_advance(asker, steps, at_once),
            },
            Some(Purpose::Halt) => drop(answered.map_err(|error| self.stop_advance(error))),
            Some(Purpose::Act(pending)) => {
                if let Ok(Reply::Effect(Effect::Results(results))) = answered {
                    self.note_result(pending, results.into_iter().next());
                }
            }
            Some(Purpose::Step) => {
                // Now begins the time in which the next step can be chosen for.
                self.ticker.made = now.monotonic;
                self.end_step(number);
            }
            None => {}
        }
        self.make_owed_steps(now);
    }

    /// The host does not stop time after the steps for which it was to run.
    pub(super) fn stop_advance(&mut self, error: Error) {
        if let Some(asker) = self.end_advance() {
            self.reply(asker, Err(error));
        }
    }

    /// Makes a step for each action that was accepted (reactive).
    fn make_owed_steps(&mut self, now: Time) {
        for held in std::mem::take(&mut self.hosting.owed) {
            match self.tick(now) {
                Some(call) => self.hosting.held.entry(call).or_default().push(held),
                None => self.answer_all(held.0, held.1),
            }
        }
    }

    /// A step is over, or will not be made: all who have waited for it, or for one before it, are answered.
    pub(super) fn end_step(&mut self, call: u64) {
        self.hosting.in_step = false;
        let later = self.hosting.held.split_off(&call.saturating_add(1));
        for (askers, answered) in std::mem::replace(&mut self.hosting.held, later).into_values().flatten() {
            self.answer_all(askers, answered);
        }
    }
}

/// Whether any entity has done what it was to do.
fn is_accepted(answered: &Answered) -> bool {
    match answered {
        Ok(Reply::Effect(Effect::Results(results))) => results.iter().any(|(_, result)| result.is_ok()),
        _ => false,
    }
}
