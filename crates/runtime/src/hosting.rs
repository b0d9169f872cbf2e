//! The host of a world that is run elsewhere, as seen from here: what it is still to be called for, which calls it has not
//! answered, and by when it is to answer. It gives inputs to the interface of such a world, in the place of
//! [`Input::apply`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use situated::iil::EcoString;
use situated::interface::{self, ActionResult, Command, EnvironmentInterface, Interface};
use situated::mirror::{Call, HostAnswer, HostCall, HostSays, HostUpdate, Mirror};

use crate::input::{Effect, Input};
use crate::time::Time;

/// How many calls a host can have before it when it is called for more, at the most.
pub const CALLS_OPEN: usize = 4096;

/// How many calls that were answered too late, or not at all, are remembered.
pub const LATE_REMEMBERED: usize = 1024;

/// How long a host has to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostDeadlines {
    /// To begin an episode: init and reset.
    pub begin: Duration,
    /// For everything else.
    pub other: Duration,
}

impl Default for HostDeadlines {
    /// Five seconds to begin an episode, one for everything else.
    fn default() -> Self {
        Self { begin: Duration::from_secs(5), other: Duration::from_secs(1) }
    }
}

/// The host of a world.
#[derive(Debug)]
pub(crate) struct Host {
    deadlines: HostDeadlines,
    /// The number of the last call.
    last: u64,
    /// The calls that nobody has fetched yet.
    queue: VecDeque<HostCall>,
    /// The calls that are not answered.
    open: BTreeMap<u64, Open>,
    /// By when they are to be.
    due: BTreeSet<(Duration, u64)>,
    /// Those that nobody waits for any more, since it is too late.
    late: BTreeMap<u64, Call>,
}

#[derive(Debug)]
struct Open {
    call: Call,
    due: Duration,
}

impl Host {
    pub(crate) fn new(deadlines: HostDeadlines) -> Self {
        let (queue, open) = (VecDeque::new(), BTreeMap::new());
        Self { deadlines, last: 0, queue, open, due: BTreeSet::new(), late: BTreeMap::new() }
    }

    /// The next call that the host is to be given.
    pub(crate) fn next_call(&mut self) -> Option<HostCall> {
        self.queue.pop_front()
    }

    /// Whether the host has so many calls before it that it is not to be called for more.
    pub(crate) fn is_full(&self) -> bool {
        self.open.len().max(self.queue.len()) >= CALLS_OPEN
    }

    /// Whether it has not answered any call of this kind.
    pub(crate) fn owes(&self, kind: impl Fn(&Call) -> bool) -> bool {
        self.open.values().any(|open| kind(&open.call))
    }

    /// When the next call is too late.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.due.first().map(|(due, _)| *due)
    }

    /// How long it has to answer a call.
    pub(crate) fn patience(&self, call: &Call) -> Duration {
        match call {
            Call::Init { .. } | Call::Reset { .. } => self.deadlines.begin,
            _ => self.deadlines.other,
        }
    }

    /// The next call that is too late by now.
    pub(crate) fn next_late(&mut self, now: Duration) -> Option<(u64, Call)> {
        let (_, number) = self.due.first().copied().filter(|(due, _)| *due <= now)?;
        let call = self.close(number)?;
        // What the host has not been given yet is not to be done late.
        self.queue.retain(|queued| queued.number != number || queued.call.is_news());
        self.late.insert(number, call.clone());
        if self.late.len() > LATE_REMEMBERED {
            self.late.pop_first();
        }
        Some((number, call))
    }

    /// The host may have missed calls: it is to tell anew what holds for these entities.
    pub(crate) fn ask_anew(&mut self, entities: Vec<EcoString>, now: Time) {
        for entity in entities {
            self.call(Call::Perceive { entity }, now);
        }
    }

    /// The world is over. Only that is still to be told.
    pub(crate) fn let_go(&mut self) {
        self.queue.retain(|queued| queued.call == Call::Kill);
        self.open.clear();
        self.due.clear();
        self.late.clear();
    }

    /// Whether what the host says breaks the present episode off.
    pub(crate) fn breaks_off(&self, input: &Input) -> bool {
        match input {
            Input::Host(says) => match &**says {
                HostSays::Answer { number, answer: HostAnswer::Done, .. } => {
                    self.open.get(number).is_some_and(|open| matches!(open.call, Call::Reset { .. }))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Gives an input to the interface of the world. Where the host is to be called for it, the effect is still to come.
    pub(crate) fn give(
        &mut self,
        input: &Input,
        interface: &mut dyn EnvironmentInterface,
        now: Time,
    ) -> Result<Effect, interface::Error> {
        let Some(world) = interface.hosted_mut() else { return input.apply(interface) };
        let effect = match input {
            Input::Manage(Command::Kill) => self.kill(world, now),
            Input::Manage(command) => world.call_for_command(command).map(|call| self.called(call, now)),
            Input::Step => world.call_for_step().map(|call| self.called(call, now)),
            Input::ActByDefault { entity } => world.call_for_default(entity).map(|call| self.called(call, now)),
            Input::RequestEntity { agent, entity_type, name } => {
                world.call_for_body(agent, entity_type, name.as_deref()).map(|call| self.called(call, now))
            }
            Input::Act { agent, action, entities } => {
                let entities: Vec<&str> = entities.iter().map(EcoString::as_str).collect();
                world.calls_for_action(agent, action, &entities).map(|calls| self.acting(calls, now))
            }
            Input::Host(says) => self.hear((**says).clone(), world),
            input => input.apply(world),
        };
        for call in world.take_calls() {
            self.call(call, now);
        }
        effect
    }

    fn kill(&mut self, world: &mut Interface<Mirror>, now: Time) -> Result<Effect, interface::Error> {
        let call = world.call_for_command(&Command::Kill)?;
        world.kill()?;
        self.let_go();
        self.call(call, now);
        Ok(Effect::Done)
    }

    /// Calls the host for this; returns the number.
    fn call(&mut self, call: Call, now: Time) -> u64 {
        self.last += 1;
        let (number, due) = (self.last, now.monotonic.saturating_add(self.patience(&call)));
        self.due.insert((due, number));
        self.open.insert(number, Open { call: call.clone(), due });
        self.queue.push_back(HostCall { number, call });
        number
    }

    fn called(&mut self, call: Call, now: Time) -> Effect {
        Effect::Called(self.call(call, now))
    }

    fn acting(&mut self, entities: interface::ActingCalls, now: Time) -> Effect {
        let (mut calls, mut refused) = (Vec::new(), Vec::new());
        for (entity, call) in entities {
            match call {
                Ok(call) => calls.push(self.call(call, now)),
                Err(error) => refused.push((entity, Err(error))),
            }
        }
        if calls.is_empty() { Effect::Results(refused) } else { Effect::Acting { calls, refused } }
    }

    fn close(&mut self, number: u64) -> Option<Call> {
        let Open { call, due } = self.open.remove(&number)?;
        self.due.remove(&(due, number));
        Some(call)
    }

    /// The host says something.
    fn hear(&mut self, says: HostSays, world: &mut Interface<Mirror>) -> Result<Effect, interface::Error> {
        let (number, answer, update) = match says {
            HostSays::Update(update) => return world.follow_host(update).map(|()| Effect::Done),
            HostSays::Answer { number, answer, update } => (number, answer, update),
        };
        if let Some(Open { call, .. }) = self.open.get(&number) {
            let completed = world.complete(call, answer, update)?;
            let outcome = Box::new(outcome(call, completed));
            let call = Box::new(call.clone());
            self.close(number);
            return Ok(Effect::Answered { number, call, outcome });
        }
        let Some(call) = self.late.get(&number) else {
            let reason = format!("it answers call {number}, which is not open");
            return Err(interface::Error::Host { environment: world.ontology().name.clone(), reason });
        };
        self.hear_late(call, answer, update, world)?;
        self.late.remove(&number);
        Ok(Effect::Done)
    }

    /// What the host answers too late counts, unless it is being asked to manage its world otherwise by now.
    fn hear_late(
        &self,
        call: &Call,
        answer: HostAnswer,
        update: HostUpdate,
        world: &mut Interface<Mirror>,
    ) -> Result<(), interface::Error> {
        if call.is_management() && self.owes(Call::is_management) {
            return Ok(());
        }
        world.complete_late(call, answer, update)
    }
}

/// What has come of a call for whoever had asked for it.
fn outcome(call: &Call, completed: interface::Completed) -> Result<Effect, interface::Error> {
    if let Call::Act { entity, .. } = call {
        let result: ActionResult = completed.map(|answer| match answer {
            HostAnswer::Found(found) => found,
            _ => Vec::new(),
        });
        return Ok(Effect::Results(vec![(entity.clone(), result)]));
    }
    completed.map(|answer| match answer {
        HostAnswer::Entity(name) => Effect::Entity(name),
        _ => Effect::Done,
    })
}
