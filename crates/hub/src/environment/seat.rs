//! The seat of an environment: its owner, and everything else that only one thread at a time may use.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use hashbrown::HashMap;
use serde_json::value::to_raw_value;
use situated::iil::EcoString;
use situated::interface::{Command, Happening, Observer, State};
use situated_acl::json::AclMessage;
use situated_runtime::{Answered, Clock, Input, Owner, Reply as OwnerReply, Time};
use situated_wire::methods::{Acted, Done, EntityGiven, EntityResult, Registered};
use situated_wire::{Name, Needs, Subject};
use slab::Slab;

use super::destination::{Destination, To};
use super::profile::Profile;
use super::rounds::Rounds;
use super::stepping::UnderWay;
use super::subscription::Subscription;
use super::{AtEnvironment, Returning, RunningEnvironment};
use crate::budget::Charge;
use crate::conversations::Inbox;
use crate::error::{Error, shortened};
use crate::reply::{PendingReply, Reply};
use crate::session::{NotificationSource, Session};

/// Time between two attempts to write the data when writing has failed.
const RETRY: Duration = Duration::from_millis(500);

/// The consequences when the recording of an environment fails.
pub(crate) struct RecordingRule {
    /// Whether the environment pauses.
    pub(crate) pauses_unrecorded: bool,
    /// The number of recordings of the hub that have failed.
    pub(crate) failures: Arc<AtomicU64>,
}

/// The owner of an environment, and the state of the sessions that use it.
pub(crate) struct Seat {
    pub(super) profile: Arc<Profile>,
    pub(super) clock: Clock,
    /// This environment, for sessions that have no room for notifications.
    pub(super) me: Weak<dyn NotificationSource>,
    pub(super) owner: Owner<Destination>,
    /// The agents that were registered through the hub, each with its session.
    pub(super) residents: HashMap<EcoString, Arc<Session>>,
    pub(super) steps: Slab<UnderWay>,
    /// By session and number.
    pub(super) subscriptions: BTreeMap<(u64, u64), Subscription>,
    /// The time at which delayed notifications are due.
    pub(super) notifying_due: Option<Duration>,
    /// Whether somebody has subscribed to some percepts only.
    pub(super) has_filters: bool,
    pub(super) rounds: Rounds,
    /// The position up to which the happenings of the environment have been read.
    follower: Observer,
    agents: usize,
    entities: usize,
    /// The number of changes of the environment when its happenings were last read.
    followed: Option<u64>,
    has_ended: bool,
    recording: RecordingRule,
    /// The memory that the environment takes.
    pub(super) charge: Charge,
    has_recording_failed: bool,
    /// Whether a driver advances the owner.
    pub(super) is_driven: bool,
    /// The answer to the driver's request.
    pub(super) for_driver: Option<Answered>,
    /// The command that begins the first episode of a hosted environment, and whether time runs then.
    pub(super) beginning: Option<(Command, bool)>,
}

impl Seat {
    pub(super) fn new(
        owner: Owner<Destination>,
        profile: Arc<Profile>,
        clock: Clock,
        recording: RecordingRule,
        charge: Charge,
        me: Weak<RunningEnvironment>,
    ) -> Self {
        Self {
            profile,
            clock,
            me,
            owner,
            residents: HashMap::new(),
            steps: Slab::new(),
            subscriptions: BTreeMap::new(),
            notifying_due: None,
            has_filters: false,
            rounds: Rounds::default(),
            follower: Observer::new(),
            agents: 0,
            entities: 0,
            followed: None,
            has_ended: false,
            recording,
            charge,
            has_recording_failed: false,
            is_driven: false,
            for_driver: None,
            beginning: None,
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The time at which work is due.
    pub(super) fn deadline(&self) -> Option<Duration> {
        let of_owner = self.owner.deadline().filter(|_| !self.is_driven);
        // Time stands still while the data cannot be written.
        let retry = self.owner.refusal().map(|_| self.clock.now().monotonic + RETRY);
        [of_owner, self.notifying_due, self.owner.next_notice(), retry].into_iter().flatten().min()
    }

    /// Handles a request, if the session may make it.
    pub(crate) fn handle<R: AtEnvironment>(&mut self, request: R, reply: Reply<R>, now: Time) {
        match self.check(reply.session(), request.needs(), request.subject()) {
            Ok(()) => AtEnvironment::handle(request, self, reply, now),
            Err(error) => reply.refuse(error),
        }
    }

    /// Continues notifications to a session, which has room again.
    pub(super) fn proceed(&mut self, session: u64, now: Time) {
        self.call_host();
        self.notify_session(session, now);
    }

    /// Notifies a session again: it has resumed and may have missed a notification.
    pub(crate) fn resume(&mut self, session: u64, now: Time) {
        if self.profile.is_hosted_by(session) {
            self.owner.host_back(now);
            self.begin_if_missed(now);
        }
        self.notify_again(session, now);
    }

    /// Follows a change of whether these agents of a session are attended.
    pub(crate) fn set_attended(&mut self, session: &Session, agents: &[EcoString]) {
        for agent in agents {
            if self.residents.get(agent).is_some_and(|owner| owner.number() == session.number()) {
                self.owner.set_unattended(agent, !session.limits().is_attended);
            }
        }
    }

    /// Notes that the status has changed without an input.
    pub(crate) fn follow_status(&mut self) {
        self.follow();
        self.notify_of_status();
    }

    /// Notes that the host will not return.
    pub(crate) fn lose_host(&mut self, now: Time) {
        self.owner.host_gone("its host has disconnected", now);
    }

    /// Returns an error if the environment has ended, or if the session may do this with its own agents only, and the subject
    /// belongs to another session. The hub has already checked the rights of the session.
    pub(super) fn check(&mut self, session: &Session, needs: Needs, subject: Subject<'_>) -> Result<(), Error> {
        if self.has_ended {
            return Err(Error::EnvironmentEnded { name: self.profile.name().clone() });
        }
        match subject {
            Subject::Newcomer(_) | Subject::Agents(_) => Ok(()),
            Subject::Hosted(_) if self.profile.is_hosted_by(session.number()) => Ok(()),
            Subject::Hosted(_) => Err(Error::NotHost { environment: self.profile.name().clone() }),
            _ if !needs.are_met_by_agents_only(session.rights()) => Ok(()),
            Subject::Agent { agent, .. } => self.check_agent(session, agent),
            Subject::Entity { entity, .. } => self.check_entity(session, entity),
            Subject::Server | Subject::Environment(_) | Subject::Mailbox(_) => Err(Error::Forbidden { needs }),
        }
    }

    /// Returns an error if the agent belongs to another session.
    pub(super) fn check_agent(&mut self, session: &Session, agent: &str) -> Result<(), Error> {
        match self.residents.get(agent) {
            Some(owner) if owner.number() == session.number() => return Ok(()),
            Some(_) => {}
            None => {
                let registered = self.owner.read(|interface| interface.agents().iter().any(|known| known == agent));
                // If the agent is not registered at all, the interface returns the better error.
                if !registered.unwrap_or(true) {
                    return Ok(());
                }
            }
        }
        Err(Error::OthersAgent { agent: agent.into() })
    }

    /// Returns an error unless an agent of the session is associated with the entity.
    pub(super) fn check_entity(&mut self, session: &Session, entity: &str) -> Result<(), Error> {
        let agents = self.read(|interface| interface.associated_agents(entity))?;
        let is_own = |agent| self.residents.get(agent).is_some_and(|owner| owner.number() == session.number());
        if agents.iter().any(is_own) { Ok(()) } else { Err(Error::OthersEntity { entity: entity.into() }) }
    }

    /// Notes for the sessions of the agents of an entity that somebody else wants it, if it can have only one agent.
    pub(super) fn note_wanted(&mut self, entity: &str) {
        let is_shared = !self.owner.ontology().relation.one_agent_per_entity;
        let Ok(agents) = self.read(|interface| interface.associated_agents(entity)) else { return };
        let sessions = agents.iter().filter(|_| !is_shared).filter_map(|agent| self.residents.get(agent));
        sessions.for_each(|session| session.set_wanted(true));
    }

    /// Does the work that is due, and notifies subscribers of changes.
    pub(super) fn advance(&mut self, now: Time) {
        // Answers first: a step that is due may take time.
        self.hand_out_replies(now);
        if !self.is_driven {
            self.owner.poll(now);
            self.hand_out_replies(now);
        }
        self.call_host();
        self.count_bytes();
        let fails = self.check_recording(now);
        let changed = self.followed != Some(self.owner.changes()) || fails;
        if changed {
            self.followed = Some(self.owner.changes());
            self.follow();
        }
        if changed || self.notifying_due.is_some_and(|due| due <= now.monotonic) {
            self.notify_round(changed, now);
        }
    }

    /// Counts the memory that the environment takes now.
    pub(super) fn count_bytes(&mut self) {
        let bytes = self.owner.kept_bytes();
        if bytes != self.charge.bytes() && !self.has_ended {
            self.charge.set(bytes);
        }
    }

    /// Logs a failure of the recording, and pauses the environment if it must not run unrecorded. Returns whether the
    /// recording has failed since the last call.
    fn check_recording(&mut self, now: Time) -> bool {
        let fails = !self.has_recording_failed && self.owner.recording_error().is_some_and(|error| self.fail(&error));
        let must_pause = self.has_recording_failed && self.recording.pauses_unrecorded;
        if must_pause && self.owner.status().state == State::Running {
            self.owner.apply(Destination::NOBODY, Input::Manage(Command::Pause), now);
            self.hand_out_replies(now);
        }
        fails
    }

    /// Counts and logs a failure of the recording.
    fn fail(&mut self, error: &dyn fmt::Display) -> bool {
        self.has_recording_failed = true;
        self.recording.failures.fetch_add(1, Ordering::Relaxed);
        let (environment, error) = (self.profile.name().as_str(), shortened(&error.to_string()));
        tracing::error!(environment, error, "the recording is incomplete");
        true
    }

    /// Processes the new happenings of the environment.
    pub(super) fn follow(&mut self) {
        let follower = &mut self.follower;
        let drained = self.owner.read(|interface| {
            let resync = *follower == Observer::new();
            let drained = interface.drain(follower);
            (resync || drained.missed > 0, drained.happenings)
        });
        let Ok((resync, happenings)) = drained else { return };
        if resync {
            (self.agents, self.entities) = (0, 0);
        }
        for happening in happenings {
            match happening {
                Happening::Registered { .. } => self.agents += 1,
                Happening::Unregistered { .. } => self.agents -= 1,
                Happening::New { .. } => self.entities += 1,
                Happening::Deleted { entity, .. } => {
                    self.entities -= 1;
                    self.forget_sent(|_, of| *of == entity);
                }
                Happening::Released { entity, agent } => {
                    self.forget_sent(|by, of| *by == agent && *of == entity);
                }
                Happening::Episode { .. } => {
                    self.owner.measure();
                    self.forget_sent(|_, _| true);
                }
                _ => {}
            }
        }
        self.profile.set_status(self.owner.status(), self.agents, self.entities);
    }

    /// Delivers the replies of the owner.
    pub(super) fn hand_out_replies(&mut self, now: Time) {
        while let Some((destination, answered)) = self.owner.next_reply() {
            match destination.0 {
                To::Session(reply) => self.answer(reply, answered),
                To::Turn { step, place } => self.note_turn(step, place, answered, now),
                To::Registration(reply, agent, address) => {
                    if answered.is_ok() {
                        if let Some(data) = reply.session().data() {
                            data.put_agent(reply.session().number(), self.profile.name(), &agent, &address);
                        }
                        self.add_resident(agent.clone(), reply.session().clone());
                    } else if !self.residents.contains_key(&agent) {
                        self.profile.release(reply.session(), &agent);
                    }
                    let moment = self.owner.moment();
                    let address = Some(address).filter(|address| *address != agent).map(Name);
                    reply.send(answered.map(|_| Registered { moment, address }.into()).map_err(Error::from));
                }
                To::Departure(reply, agent) => {
                    if answered.is_ok() {
                        self.dismiss(&agent);
                    }
                    self.answer(reply, answered);
                }
                To::Beginning => self.run_if_begun(&answered, now),
                To::Driver => self.for_driver = Some(answered),
                To::Nobody => {}
            }
        }
    }

    fn answer(&mut self, reply: PendingReply, answered: Answered) {
        let moment = self.owner.moment();
        reply.send(answered.map_err(Error::from).map(|answered| match answered {
            OwnerReply::Results(results) => {
                let results = results.into_iter().map(|(entity, result)| EntityResult::new(entity, result)).collect();
                Acted { moment, results }.into()
            }
            OwnerReply::Entity(entity) => EntityGiven { moment, entity: Name(entity) }.into(),
            OwnerReply::Done => Done { moment }.into(),
        }));
    }

    /// Releases an agent that is no longer registered, and ends the subscriptions to its percepts.
    fn dismiss(&mut self, agent: &EcoString) {
        let Some(session) = self.residents.remove(agent) else { return };
        self.forget_resident(&session, agent);
        self.owner.set_unattended(agent, false);
        self.profile.release(&session, agent);
        let of_session = (session.number(), 0)..=(session.number(), u64::MAX);
        let of_agent = self.subscriptions.extract_if(of_session, |_, subscription| subscription.is_of(agent));
        let reason = Error::not_registered(agent);
        of_agent.for_each(|(_, subscription)| subscription.end(&reason));
    }

    fn add_resident(&mut self, agent: EcoString, session: Arc<Session>) {
        self.owner.set_unattended(&agent, !session.limits().is_attended);
        self.residents.insert(agent, session);
    }

    /// Removes the agent of a session from the data.
    fn forget_resident(&self, session: &Session, agent: &EcoString) {
        if let Some(data) = session.data() {
            data.remove_agent(self.profile.name(), agent);
        }
    }

    /// Returns the agents to the sessions that had them in another process. Removes agents whose session was not
    /// restored.
    pub(super) fn restore_agents(&mut self, kept: &Returning, now: Time) {
        let agents = self.owner.read(|interface| interface.agents()).unwrap_or_default();
        for agent in agents {
            match kept.get(&agent) {
                Some((session, address)) if self.profile.claim(session, &agent, Some(address)).is_ok() => {
                    self.add_resident(agent, session.clone());
                }
                _ => self.owner.apply(Destination::NOBODY, Input::Unregister { agent }, now),
            }
        }
    }

    /// Removes a session that has ended, with its agents.
    pub(crate) fn forget(&mut self, session: u64, agents: &[EcoString], now: Time) {
        let of_session = (session, 0)..=(session, u64::MAX);
        if self.subscriptions.extract_if(of_session, |_, _| true).count() > 0 {
            self.ignore_actions_if_unwatched();
        }
        for Destination(to) in self.owner.forget_waiting(|destination| destination.is_session(session)) {
            if let To::Session(reply) = to {
                reply.send(Err(Error::SessionEnded));
            }
        }
        for agent in agents {
            if self.residents.get(agent).is_some_and(|owner| owner.number() == session) {
                self.owner.apply(Destination::NOBODY, Input::Unregister { agent: agent.clone() }, now);
                self.dismiss(agent);
            }
        }
    }

    /// Ends the environment: the episode is closed, and all subscribers are notified.
    pub(crate) fn end(&mut self, reason: &Error, now: Time) {
        if self.has_ended {
            return;
        }
        self.owner.end_journal();
        // The environment may be killed already.
        self.owner.apply(Destination::NOBODY, Input::Manage(Command::Kill), now);
        if let Err(error) = self.owner.finish(now)
            && !self.has_recording_failed
        {
            self.fail(&error);
        }
        self.advance(now);
        self.has_ended = true;
        self.charge.set(0);
        std::mem::take(&mut self.subscriptions).into_values().for_each(|subscription| subscription.end(reason));
        for (agent, session) in std::mem::take(&mut self.residents) {
            self.forget_resident(&session, &agent);
            self.profile.release(&session, &agent);
        }
    }

    /// Records the messages that an agent of this environment has sent or gets; those of all agents if a driver advances
    /// the environment, since it is the only one then.
    pub(crate) fn record_messages(&mut self, inbox: &Inbox, now: Time) {
        let (messages, lost) = inbox.take();
        if lost > 0 {
            let environment = self.profile.name().as_str();
            tracing::warn!(
                environment,
                lost,
                "messages are missing in the recording: the environment was busy for too long"
            );
        }
        for seen in messages {
            let message = self.profile.concerning(&seen.message);
            let Some(message) = message.or_else(|| self.is_driven.then(|| seen.message.clone())) else { continue };
            let Ok(message) = to_raw_value(&AclMessage::from(&*message)) else { continue };
            // An environment that has crashed is no longer recorded.
            let _ = self.owner.note_message(&message, &seen.violations, now);
        }
    }
}
