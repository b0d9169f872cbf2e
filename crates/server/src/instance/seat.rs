//! The seat of an environment's owner: what only one can have at a time.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use situated::iil::EcoString;
use situated::interface::{Command, Happening, Observer};
use situated_runtime::{Answered, Effect, Input, Owner, Reply, Request, Time};
use situated_wire::methods::{Acted, Body, Done, EntityResult};
use situated_wire::{Call, Code, Error};

use super::push::Round;
use super::steps::Steps;
use super::subscription::Subscription;
use super::{Brief, Instance, Job};
use crate::caller::Caller;
use crate::hub::shutting_down;
use crate::refusal::refusal;
use crate::session::Session;

/// The owner of an environment, and whoever has to do with it.
pub(crate) struct Seat {
    pub(super) owner: Owner<Ticket>,
    /// The sessions of the agents that have come through the server.
    pub(super) residents: HashMap<EcoString, Arc<Session>>,
    pub(super) steps: Steps,
    /// By session and number.
    pub(super) subscriptions: BTreeMap<(u64, u64), Subscription>,
    /// When somebody is to be told something that was held back.
    pub(super) push_due: Option<Duration>,
    /// How far it has come with telling everybody.
    pub(super) round: Round,
    /// How much of what happens is known here.
    follower: Observer,
    agents: usize,
    entities: usize,
    /// The inputs of the environment when it was last followed.
    followed: Option<u64>,
    ended: bool,
    /// Somebody else lets the owner do what is due.
    pub(super) is_driven: bool,
    /// What the driver asked for has come to this.
    to_driver: Option<Answered>,
}

/// Where the reply of an owner goes that runs in a server.
pub struct Ticket(pub(super) To);

/// Where the owner's replies go.
pub(super) enum To {
    /// To somebody who has called, in this form.
    Call(Caller, Form),
    /// It is part of a step of many.
    Turn { step: u64, place: usize },
    /// Somebody registers an agent.
    Registration(Caller, EcoString),
    /// An agent is unregistered.
    Departure(Caller, EcoString),
    /// To the driver.
    Driver,
    /// A first episode begins; time is to run then.
    Beginning,
    /// Nobody wants to know.
    Nobody,
}

/// In which form somebody is answered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    Done,
    Acted,
    Body,
}

impl Ticket {
    /// Nobody wants to know.
    pub const NOBODY: Self = Self(To::Nobody);
}

impl Seat {
    pub(super) fn new(owner: Owner<Ticket>) -> Self {
        Self {
            owner,
            residents: HashMap::new(),
            steps: Steps::default(),
            subscriptions: BTreeMap::new(),
            push_due: None,
            round: Round::default(),
            follower: Observer::new(),
            agents: 0,
            entities: 0,
            followed: None,
            ended: false,
            is_driven: false,
            to_driver: None,
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// When there is something to do.
    pub(super) fn deadline(&self) -> Option<Duration> {
        let of_owner = self.owner.deadline().filter(|_| !self.is_driven);
        [of_owner, self.push_due].into_iter().flatten().min()
    }

    /// Does a job.
    pub(super) fn take(&mut self, instance: &Arc<Instance>, job: Job, now: Time) {
        match job {
            Job::Call(caller, Call::Register(call)) if self.ended || caller.session().belongings().has_ended() => {
                instance.release(caller.session(), &call.agent.0);
                caller.refuse(&self.over(instance));
            }
            Job::Call(caller, _) if self.ended => caller.refuse(&self.over(instance)),
            Job::Subscribe(caller, number, _) if self.ended || caller.session().belongings().has_ended() => {
                caller.session().belongings().subscriptions.remove(&number);
                caller.refuse(&self.over(instance));
            }
            Job::Call(caller, call) => self.call(instance, caller, call, now),
            Job::Subscribe(caller, number, topic) => self.subscribe(instance, caller, number, topic, now),
            Job::Unsubscribe { session, subscription } => self.unsubscribe(session, subscription),
            Job::Room { session } => {
                self.call_host(instance);
                self.push_to(instance, session, now);
            }
            Job::Resumed { session } => {
                if instance.host.as_ref().is_some_and(|host| host.number == session) {
                    self.owner.host_back(now);
                }
                self.push_anew(instance, session, now);
            }
            Job::Gone { session } => self.forget(instance, session, now),
            Job::Begin { init, start } => self.begin(init, start, now),
            Job::HostAnswered { session, number, answered } => {
                self.hear_answer(instance, session, number, answered, now)
            }
            Job::HostGone { session } => self.lose_host(instance, session, now),
            Job::End => self.end(instance, now),
        }
    }

    /// The driver asks for something; none if the answer is still to come.
    pub(super) fn ask_as_driver(&mut self, instance: &Arc<Instance>, request: Request, now: Time) -> Option<Answered> {
        self.owner.submit(Ticket(To::Driver), request, now);
        self.hand_out_replies(instance, now);
        self.to_driver.take()
    }

    /// Why nothing more is done for somebody who comes too late.
    fn over(&self, instance: &Instance) -> Error {
        if self.ended {
            return Error::new(Code::NoSuchEnvironment, format!("environment `{}` has ended", instance.name));
        }
        Error::new(Code::SessionEnded, "the session has ended")
    }

    /// Does what is due, and tells everybody of what has come of it.
    pub(super) fn advance(&mut self, instance: &Arc<Instance>, now: Time) {
        // An action that came in is answered at once, even where a step is about to take its time.
        self.hand_out_replies(instance, now);
        if !self.is_driven {
            self.owner.advance(now);
            self.hand_out_replies(instance, now);
        }
        self.call_host(instance);
        let changed = self.followed != Some(self.owner.inputs());
        if changed {
            self.followed = Some(self.owner.inputs());
            self.follow(instance);
        }
        if changed || self.push_due.is_some_and(|due| due <= now.monotonic) {
            self.push_round(instance, changed, now);
        }
    }

    /// Follows what has happened.
    pub(super) fn follow(&mut self, instance: &Arc<Instance>) {
        let follower = &mut self.follower;
        let drained = self.owner.look(|interface| {
            let anew = *follower == Observer::new();
            let drained = interface.drain(follower);
            (anew || drained.missed > 0, drained.happenings)
        });
        let Ok((anew, happenings)) = drained else { return };
        if anew {
            (self.agents, self.entities) = (0, 0);
        }
        for happening in happenings {
            match happening {
                Happening::Registered { .. } => self.agents += 1,
                Happening::Left { .. } => self.agents -= 1,
                Happening::New { .. } => self.entities += 1,
                Happening::Deleted { entity, .. } => {
                    self.entities -= 1;
                    self.forget_unacknowledged(|_, of| *of == entity);
                }
                Happening::Released { entity, agent } => {
                    self.forget_unacknowledged(|by, of| *by == agent && *of == entity);
                }
                Happening::Episode { .. } => self.forget_unacknowledged(|_, _| true),
                _ => {}
            }
        }
        let hosted = instance.host.is_some();
        let (agents, entities) = (self.agents, self.entities);
        let brief = Brief { hosted, agents, entities, ..Brief::of(&self.owner.status()) };
        instance.set_brief(brief);
    }

    fn hand_out_replies(&mut self, instance: &Arc<Instance>, now: Time) {
        while let Some((ticket, answered)) = self.owner.next_reply() {
            match ticket.0 {
                To::Call(caller, form) => self.answer(caller, form, answered),
                To::Turn { step, place } => self.take_turn(step, place, answered, now),
                To::Registration(caller, agent) => self.register(instance, caller, agent, answered),
                To::Departure(caller, agent) => self.depart(instance, caller, &agent, answered),
                To::Beginning => self.run_if_begun(&answered, now),
                To::Driver => self.to_driver = Some(answered),
                To::Nobody => {}
            }
        }
    }

    fn answer(&mut self, caller: Caller, form: Form, answered: Answered) {
        let moment = self.owner.moment();
        match (form, answered) {
            (_, Err(error)) => caller.refuse(&refusal(&error)),
            (Form::Acted, Ok(Reply::Effect(Effect::Results(results)))) => {
                let results = results.into_iter().map(|(entity, result)| EntityResult::new(entity, result)).collect();
                caller.answer(&Acted { moment, results });
            }
            (Form::Body, Ok(Reply::Effect(Effect::Entity(entity)))) => {
                caller.answer(&Body { moment, entity: entity.into() });
            }
            (_, Ok(Reply::Moment(moment))) => caller.answer(&Done { moment }),
            (_, Ok(_)) => caller.answer(&Done { moment }),
        }
    }

    fn register(&mut self, instance: &Arc<Instance>, caller: Caller, agent: EcoString, answered: Answered) {
        if answered.is_ok() {
            self.residents.insert(agent, caller.session().clone());
        } else if !self.residents.contains_key(&agent) {
            instance.release(caller.session(), &agent);
        }
        self.answer(caller, Form::Done, answered);
    }

    fn depart(&mut self, instance: &Arc<Instance>, caller: Caller, agent: &EcoString, answered: Answered) {
        if answered.is_ok() {
            self.dismiss(instance, agent);
        }
        self.answer(caller, Form::Done, answered);
    }

    /// An agent is no longer registered: its name is free again, and nobody is told what it perceives.
    fn dismiss(&mut self, instance: &Arc<Instance>, agent: &EcoString) {
        if let Some(session) = self.residents.remove(agent) {
            instance.release(&session, agent);
        }
        let of_agent = self.subscriptions.extract_if(.., |_, subscription| subscription.is_of(agent));
        let reason = Error::new(Code::NotRegistered, format!("agent `{agent}` is no longer registered"));
        of_agent.for_each(|(_, subscription)| subscription.end(&reason));
    }

    /// Somebody has gone for good: what was theirs is nobody's.
    fn forget(&mut self, instance: &Arc<Instance>, session: u64, now: Time) {
        self.subscriptions.retain(|(of, _), _| *of != session);
        self.ignore_if_nobody_watches();
        let mut agents: Vec<EcoString> = self
            .residents
            .iter()
            .filter(|(_, resident)| resident.number == session)
            .map(|(agent, _)| agent.clone())
            .collect();
        // What feeds the world is in order.
        agents.sort_unstable();
        for agent in agents {
            self.owner.submit(Ticket::NOBODY, Request::Input(Input::Unregister { agent: agent.clone() }), now);
            self.dismiss(instance, &agent);
        }
    }

    /// It is over: the episode is closed, and everybody is told.
    fn end(&mut self, instance: &Arc<Instance>, now: Time) {
        if self.ended {
            return;
        }
        // It may be killed already.
        self.owner.submit(Ticket::NOBODY, Request::Input(Input::Manage(Command::Kill)), now);
        if let Err(error) = self.owner.finish(now) {
            tracing::error!(environment = %instance.name, %error, "not all was recorded");
        }
        self.advance(instance, now);
        self.ended = true;
        let residents: Vec<EcoString> = self.residents.keys().cloned().collect();
        residents.iter().for_each(|agent| self.dismiss(instance, agent));
        let reason = match instance.hub.upgrade() {
            Some(hub) if !hub.is_closing() => {
                Error::new(Code::NoSuchEnvironment, format!("environment `{}` has ended", instance.name))
            }
            _ => shutting_down(),
        };
        std::mem::take(&mut self.subscriptions).into_values().for_each(|subscription| subscription.end(&reason));
    }
}

impl Instance {
    /// An agent is not, or no longer, registered here.
    fn release(&self, session: &Session, agent: &EcoString) {
        let registered_nowhere = session.belongings().remove_agent(agent, &self.name);
        if registered_nowhere && let Some(hub) = self.hub.upgrade() {
            hub.release_name(agent, session.number);
        }
    }
}
