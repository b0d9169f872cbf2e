//! The seat of an environment's owner: what only one can have at a time.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Weak};
use std::time::Duration;

use situated::iil::EcoString;
use situated::interface::{Command, Happening, Observer};
use situated_runtime::{Answered, Clock, Effect, Input, Owner, Reply, Request, Time};
use situated_wire::methods::{Acted, Done, EntityGiven, EntityResult};
use situated_wire::{Call, Code, Error};

use super::identity::Identity;
use super::job::Job;
use super::round::Round;
use super::steps::Steps;
use super::subscription::Subscription;
use super::ticket::{Form, Ticket, To};
use crate::caller::Caller;
use crate::outbox::Teller;
use crate::refusal::refusal;
use crate::session::{Session, ended};

/// The owner of an environment, and whoever has to do with it.
pub(super) struct Seat {
    pub(super) identity: Arc<Identity>,
    pub(super) clock: Clock,
    /// Whom to tell when there is room.
    pub(super) me: Weak<dyn Teller>,
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
    /// How often the environment had changed when it was last followed.
    followed: Option<u64>,
    ended: bool,
    /// Somebody else lets the owner do what is due.
    pub(super) is_driven: bool,
    /// What the driver asked for has come to this.
    to_driver: Option<Answered>,
}

impl Seat {
    pub(super) fn new(owner: Owner<Ticket>, identity: Arc<Identity>, clock: Clock, me: Weak<dyn Teller>) -> Self {
        Self {
            identity,
            clock,
            me,
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
    pub(super) fn take(&mut self, job: Job, now: Time) {
        match job {
            Job::Call(caller, call) => match self.check_open(&caller, matches!(call, Call::Wait(_))) {
                Ok(()) => self.call(caller, call, now),
                Err(error) => caller.refuse(&error),
            },
            Job::Subscribe(caller, number, topic) => match self.check_open(&caller, true) {
                Ok(()) => self.subscribe(caller, number, topic, now),
                Err(error) => {
                    caller.session().belongings().subscriptions.remove(&number);
                    caller.refuse(&error);
                }
            },
            Job::Unsubscribe { session, subscription } => self.unsubscribe(session, subscription),
            Job::Room { session } => {
                self.call_host();
                self.push_to(session, now);
            }
            Job::Resumed { session } => {
                if self.identity.host_of(session).is_some() {
                    self.owner.host_back(now);
                }
                self.push_anew(session, now);
            }
            Job::Gone { session, agents } => self.forget(session, &agents, now),
            Job::Begin { init, start } => self.begin(init, start, now),
            Job::HostAnswered { session, number, answered } => self.hear_answer(session, number, answered, now),
            Job::HostGone { session } => self.lose_host(session, now),
            Job::End { reason } => self.end(&reason, now),
        }
    }

    /// The driver asks for something; none if the answer is still to come.
    pub(super) fn ask_as_driver(&mut self, request: Request, now: Time) -> Option<Answered> {
        self.owner.submit(Ticket(To::Driver), request, now);
        self.hand_out_replies(now);
        self.to_driver.take()
    }

    /// Refuses what comes too late: after the end of the environment or, for what would last, of the session.
    fn check_open(&self, caller: &Caller, lasts: bool) -> Result<(), Error> {
        if self.ended {
            return Err(Error::new(Code::NoSuchEnvironment, format!("environment `{}` has ended", self.identity.name)));
        }
        if lasts { caller.session().belongings().check_open() } else { Ok(()) }
    }

    /// Does what is due, and tells everybody of what has come of it.
    pub(super) fn advance(&mut self, now: Time) {
        // An action that came in is answered at once, even where a step is about to take its time.
        self.hand_out_replies(now);
        if !self.is_driven {
            self.owner.advance(now);
            self.hand_out_replies(now);
        }
        self.call_host();
        let changed = self.followed != Some(self.owner.changes());
        if changed {
            self.followed = Some(self.owner.changes());
            self.follow();
        }
        if changed || self.push_due.is_some_and(|due| due <= now.monotonic) {
            self.push_round(changed, now);
        }
    }

    /// Follows what has happened.
    pub(super) fn follow(&mut self) {
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
                Happening::Unregistered { .. } => self.agents -= 1,
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
        self.identity.stand(self.owner.status(), self.agents, self.entities);
    }

    pub(super) fn hand_out_replies(&mut self, now: Time) {
        while let Some((ticket, answered)) = self.owner.next_reply() {
            match ticket.0 {
                To::Call(caller, form) => self.answer(caller, form, answered),
                To::Turn { step, place } => {
                    if let Some(done) = self.steps.take_turn(step, place, answered) {
                        self.end_step(done, now);
                    }
                }
                To::Registration(caller, agent) => self.register(caller, agent, answered),
                To::Departure(caller, agent) => self.depart(caller, &agent, answered),
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
                caller.answer(&EntityGiven { moment, entity: entity.into() });
            }
            (_, Ok(Reply::Moment(moment))) => caller.answer(&Done { moment }),
            (_, Ok(_)) => caller.answer(&Done { moment }),
        }
    }

    fn register(&mut self, caller: Caller, agent: EcoString, answered: Answered) {
        if answered.is_ok() {
            self.residents.insert(agent, caller.session().clone());
        } else if !self.residents.contains_key(&agent) {
            self.identity.release(caller.session(), &agent);
        }
        self.answer(caller, Form::Done, answered);
    }

    fn depart(&mut self, caller: Caller, agent: &EcoString, answered: Answered) {
        if answered.is_ok() {
            self.dismiss(agent);
        }
        self.answer(caller, Form::Done, answered);
    }

    /// An agent is no longer registered: its name is free again, and nobody is told what it perceives.
    fn dismiss(&mut self, agent: &EcoString) {
        let Some(session) = self.residents.remove(agent) else { return };
        self.identity.release(&session, agent);
        let of_session = (session.number, 0)..=(session.number, u64::MAX);
        let of_agent = self.subscriptions.extract_if(of_session, |_, subscription| subscription.is_of(agent));
        let reason = Error::new(Code::NotRegistered, format!("agent `{agent}` is no longer registered"));
        of_agent.for_each(|(_, subscription)| subscription.end(&reason));
    }

    /// Somebody has gone for good: what was theirs is nobody's.
    fn forget(&mut self, session: u64, agents: &[EcoString], now: Time) {
        let of_session = (session, 0)..=(session, u64::MAX);
        if self.subscriptions.extract_if(of_session, |_, _| true).count() > 0 {
            self.ignore_if_nobody_watches();
        }
        for Ticket(to) in self.owner.forget_waiting(|ticket| ticket.is_of(session)) {
            if let To::Call(caller, _) = to {
                caller.refuse(&ended());
            }
        }
        for agent in agents {
            if self.residents.get(agent).is_some_and(|resident| resident.number == session) {
                self.owner.submit(Ticket::NOBODY, Request::Input(Input::Unregister { agent: agent.clone() }), now);
                self.dismiss(agent);
            }
        }
    }

    /// It is over: the episode is closed, and everybody is told.
    fn end(&mut self, reason: &Error, now: Time) {
        if self.ended {
            return;
        }
        // It may be killed already.
        self.owner.submit(Ticket::NOBODY, Request::Input(Input::Manage(Command::Kill)), now);
        if let Err(error) = self.owner.finish(now) {
            tracing::error!(environment = %self.identity.name, %error, "not all was recorded");
        }
        self.advance(now);
        self.ended = true;
        std::mem::take(&mut self.subscriptions).into_values().for_each(|subscription| subscription.end(reason));
        for (agent, session) in std::mem::take(&mut self.residents) {
            self.identity.release(&session, &agent);
        }
    }
}
