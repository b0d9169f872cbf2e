//! Notifying subscribers. The environment makes a notification only when the session has room for it. Until then
//! changes accumulate, and one notification then contains the current state.

use std::sync::Arc;
use std::time::Duration;

use situated::iil::EcoString;
use situated::interface::{Form, Observer, Perception, Since, Version};
use situated::scene::{Scene, Shape};
use situated::size::Size;
use situated_runtime::{ActionSeen, Seen, Time, wall_clock};
use situated_wire::methods::{self, GetScene, Subscribe, Subscribed};
use situated_wire::{Name, Request};

use super::filter::Filter;
use super::subscription::{Subscription, Topic};
use super::{AtEnvironment, IN_A_ROW, Seat};
use crate::data::KeptSubscription;
use crate::error::{Error, TooLarge};
use crate::notifications::{Notification, withhold};
use crate::reply::Reply;
use crate::session::Session;

/// Minimum time between two scenes: a client gets at most 60 per second.
const BETWEEN_PICTURES: Duration = Duration::from_millis(15);

impl AtEnvironment for Subscribe {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        let session = reply.session().clone();
        let topic = match seat.find(&self.to).and_then(|()| seat.topic(&session, self.to.clone())) {
            Ok(topic) => topic,
            Err(error) => return reply.refuse(error),
        };
        let (to, limit) = (Some(seat.profile.name().clone()), session.limits().subscriptions);
        let added = session.belongings().subscribe(to, topic.bytes(), limit);
        match added {
            Err(error) => {
                seat.ignore_actions_if_unwatched();
                reply.refuse(error);
            }
            Ok(number) => {
                if let Some(data) = session.data() {
                    data.put_subscription(&KeptSubscription { session: session.number(), number, topic: self.to });
                }
                reply.answer(Subscribed { subscription: number, time: wall_clock() });
                let key = (session.number(), number);
                seat.add(Subscription { session, number, topic, notified_at: None });
                seat.notify_session(key.0, now);
            }
        }
    }
}

impl Seat {
    /// Returns the topic of a new subscription.
    fn topic(&mut self, session: &Session, to: methods::Topic) -> Result<Topic, Error> {
        match to {
            methods::Topic::Happenings { .. } => Ok(Topic::happenings()),
            methods::Topic::Percepts { environment: _, agent, form, since, changes_of, interval_ms } => {
                let filter = Filter::new(changes_of.into_iter().map(|name| name.0))?;
                Ok(Topic::percepts(agent.0, form, since, filter, Duration::from_millis(interval_ms.into())))
            }
            methods::Topic::Scene { environment: _, viewer } => Ok(Topic::scene(session, viewer.map(|name| name.0))),
            methods::Topic::Activity { environment: _, entity } => {
                Ok(Topic::activity(entity.map(|name| name.0), self.owner.watch_actions()))
            }
            // The hub handles these.
            methods::Topic::Environments {}
            | methods::Topic::Mail { .. }
            | methods::Topic::Conversations(_)
            | methods::Topic::Remarks(_) => Err(Error::Unanswered),
        }
    }

    /// Restores a subscription that a session had in another process.
    pub(super) fn restore_subscription(&mut self, session: &Arc<Session>, kept: KeptSubscription) {
        let KeptSubscription { session: _, number, topic } = kept;
        let Ok(topic) = self.topic(session, topic) else { return };
        let mut subscription = Subscription { session: session.clone(), number, topic, notified_at: None };
        subscription.begin_again();
        session.belongings().restore_subscription(number, Some(self.profile.name().clone()));
        self.add(subscription);
    }

    fn add(&mut self, subscription: Subscription) {
        self.has_filters |= matches!(&subscription.topic, Topic::Percepts { filter: Some(_), .. });
        self.subscriptions.insert((subscription.session.number(), subscription.number), subscription);
    }

    /// Returns an error if there is no agent or entity that the topic names: another session might add it later.
    fn find(&mut self, to: &methods::Topic) -> Result<(), Error> {
        match to {
            methods::Topic::Percepts { agent, .. } => {
                self.read(|interface| interface.associated_entities(agent).map(drop))
            }
            methods::Topic::Scene { viewer: Some(entity), .. }
            | methods::Topic::Activity { entity: Some(entity), .. } => {
                self.read(|interface| interface.associated_agents(entity).map(drop))
            }
            _ => Ok(()),
        }
    }

    /// Ends a subscription.
    pub(crate) fn unsubscribe(&mut self, session: u64, subscription: u64) {
        self.subscriptions.remove(&(session, subscription));
        self.ignore_actions_if_unwatched();
    }

    /// Stops recording actions when no subscription asks for them.
    pub(super) fn ignore_actions_if_unwatched(&mut self) {
        let watches = |one: &Subscription| matches!(one.topic, Topic::Activity { .. });
        if !self.subscriptions.values().any(watches) {
            self.owner.ignore_actions();
        }
    }

    /// Notifies those who subscribed to happenings, because the status has changed.
    pub(super) fn notify_of_status(&mut self) {
        for subscription in self.subscriptions.values_mut() {
            if matches!(subscription.topic, Topic::Happenings { .. }) {
                subscription.notified_at = None;
            }
        }
        self.notifying_due = Some(Duration::ZERO);
    }

    /// Notes that an agent has acknowledged a version, so that the next update can be sent.
    pub(super) fn note_acknowledged(&mut self, session: u64, agent: &EcoString, entity: &EcoString, known: Version) {
        for (_, subscription) in self.subscriptions.range_mut((session, 0)..=(session, u64::MAX)) {
            let Topic::Percepts { agent: of, unacknowledged, filter, .. } = &mut subscription.topic else { continue };
            if of != agent {
                continue;
            }
            if let Some(filter) = filter {
                filter.note_received(entity, known);
            }
            let reached = |sent: &Version| known.changes >= sent.changes && known.events >= sent.events;
            if unacknowledged.get(entity).is_some_and(reached) {
                unacknowledged.remove(entity);
                subscription.notified_at = None;
                // Acknowledging is no input of the environment, so this schedules the notifications.
                self.notifying_due = Some(Duration::ZERO);
            }
        }
    }

    /// Notes that an agent receives these perceptions as an answer: later changes are compared with them.
    pub(super) fn note_told(&mut self, session: u64, agent: &EcoString, perceptions: &[(EcoString, Perception)]) {
        if !self.has_filters {
            return;
        }
        for (_, subscription) in self.subscriptions.range_mut((session, 0)..=(session, u64::MAX)) {
            if let Topic::Percepts { agent: of, filter: Some(filter), .. } = &mut subscription.topic
                && of == agent
            {
                perceptions.iter().for_each(|(entity, perception)| filter.note_received(entity, perception.version));
            }
        }
    }

    /// Forgets the versions that were sent for entities about which beliefs are void, by agent and entity.
    pub(super) fn forget_sent(&mut self, is_void: impl Fn(&EcoString, &EcoString) -> bool) {
        for subscription in self.subscriptions.values_mut() {
            if let Topic::Percepts { agent, unacknowledged, filter, .. } = &mut subscription.topic {
                // Nobody will acknowledge them.
                unacknowledged.retain(|entity, _| !is_void(agent, entity));
                if let Some(filter) = filter {
                    filter.forget(|entity| is_void(agent, entity));
                }
            }
        }
    }

    /// Notifies subscribers for a bounded time. The others follow soon.
    pub(super) fn notify_round(&mut self, changed: bool, now: Time) {
        self.notifying_due = None;
        if self.subscriptions.is_empty() {
            return;
        }
        if changed {
            self.rounds.extend();
        }
        let begin = match self.rounds.resume(now.monotonic) {
            Ok(begin) => begin,
            Err(due) => return self.notify_by(due),
        };
        let now = self.clock.now();
        let next = self.notify_some(begin, (u64::MAX, u64::MAX), now);
        let took = self.clock.now().monotonic.saturating_sub(now.monotonic);
        if let Some(due) = self.rounds.rest(next, now.monotonic, took) {
            self.notify_by(due);
        }
    }

    /// Notifies subscribers from the first to the last key, for a bounded time. Returns the key to continue with.
    fn notify_some(&mut self, first: (u64, u64), last: (u64, u64), now: Time) -> Option<(u64, u64)> {
        let mut subscriptions = std::mem::take(&mut self.subscriptions);
        let (mut next, mut failed) = (None, Vec::new());
        for (place, (key, subscription)) in subscriptions.range_mut(first..=last).enumerate() {
            // At least one is notified, however long that takes.
            if place > 0 && self.clock.now().monotonic >= now.monotonic + IN_A_ROW {
                next = Some(*key);
                break;
            }
            failed.extend(self.notify(subscription, now).err().map(|error| (*key, error)));
        }
        self.subscriptions = subscriptions;
        self.end_failed(failed);
        next
    }

    fn notify_by(&mut self, due: Duration) {
        self.notifying_due = Some(self.notifying_due.map_or(due, |other| other.min(due)));
    }

    /// Notifies one session.
    pub(super) fn notify_session(&mut self, session: u64, now: Time) {
        self.follow();
        if self.notify_some((session, 0), (session, u64::MAX), now).is_some() {
            // The next round notifies the others.
            self.rounds.extend();
            self.notify_by(now.monotonic);
        }
    }

    /// Ends subscriptions whose clients cannot get their notifications.
    fn end_failed(&mut self, failed: Vec<((u64, u64), Error)>) {
        if failed.is_empty() {
            return;
        }
        for (key, error) in failed {
            if let Some(subscription) = self.subscriptions.remove(&key) {
                if let Topic::Percepts { agent, since: Since::LastCall, .. } = &subscription.topic {
                    self.owner.take_back(agent, &[]);
                }
                subscription.end(&error);
            }
        }
        self.ignore_actions_if_unwatched();
    }

    /// Sends all its subscriptions to a session again.
    pub(super) fn notify_again(&mut self, session: u64, now: Time) {
        for (_, subscription) in self.subscriptions.range_mut((session, 0)..=(session, u64::MAX)) {
            subscription.begin_again();
        }
        self.notify_session(session, now);
    }

    /// Notifies a subscription, if that is due.
    ///
    /// # Errors
    /// Returns an error if its client cannot get the notification.
    fn notify(&mut self, subscription: &mut Subscription, now: Time) -> Result<(), Error> {
        let changes = self.owner.changes();
        if subscription.notified_at == Some(changes) {
            return Ok(());
        }
        if let Topic::Scene { at, .. } | Topic::Activity { at, .. } = &mut subscription.topic {
            let due = *at + BETWEEN_PICTURES;
            if !at.is_zero() && now.monotonic < due {
                self.notify_by(due);
                return Ok(());
            }
            *at = now.monotonic;
        }
        if let Topic::Percepts { at, interval, .. } = &subscription.topic
            && !at.is_zero()
            && now.monotonic < *at + *interval
        {
            self.notify_by(*at + *interval);
            return Ok(());
        }
        if !subscription.session.has_room(&self.me) {
            return Ok(());
        }
        let (session, number) = (subscription.session.clone(), subscription.number);
        let is_first = subscription.notified_at.replace(changes).is_none();
        let too_large = match &mut subscription.topic {
            Topic::Happenings { observer } => self.notify_of_happenings(&session, number, observer, is_first),
            Topic::Percepts { .. } => self.notify_of_percepts(subscription, now),
            Topic::Scene { viewer, shown, charge, .. } => {
                let too_large = self.notify_of_scene(&session, number, viewer.as_deref(), shown);
                let bytes = shown.as_ref().map_or(0, Size::bytes);
                charge
                    .resize(bytes)
                    .map_err(|reason| Error::NoRoom { what: "the last scene of a subscription".into(), reason })?;
                too_large
            }
            Topic::Activity { entity, version, seen, .. } => {
                self.notify_of_activity(&session, number, entity.as_ref(), version, seen)
            }
        };
        let environment = || Some(self.profile.name().clone());
        too_large.map_or(Ok(()), |size| Err(Error::TooLarge { environment: environment(), size }))
    }

    fn notify_of_happenings(
        &mut self,
        session: &Session,
        subscription: u64,
        observer: &mut Observer,
        status_is_new: bool,
    ) -> Option<TooLarge> {
        let is_new = *observer == Observer::new();
        let Ok(mut happenings) = self.owner.read(|interface| interface.drain(observer)) else { return None };
        withhold(&mut happenings.happenings, session.rights());
        if happenings.happenings.is_empty() && !status_is_new {
            return None;
        }
        let (status, resync) = (&self.profile.status(), is_new || happenings.missed > 0);
        session.receiver().notify(Notification::Happenings { subscription, status, happenings, resync })
    }

    fn notify_of_percepts(&mut self, subscription: &mut Subscription, now: Time) -> Option<TooLarge> {
        let Topic::Percepts { agent, form, since, filter, interval: _, at, unacknowledged, again } =
            &mut subscription.topic
        else {
            return None;
        };
        let is_acknowledged = *since == Since::Acknowledged;
        let (form, since) = match *again {
            // The client may not have received the last notification, so everything is sent again.
            true if !is_acknowledged => (Form::Snapshot, Since::Acknowledged),
            _ => (*form, *since),
        };
        let entities = if unacknowledged.is_empty() && filter.is_none() {
            Vec::new()
        } else {
            let own = self.owner.read(|interface| interface.associated_entities(agent));
            let mut own = own.unwrap_or_else(|_| Ok(Vec::new())).unwrap_or_default();
            own.retain(|entity| !unacknowledged.contains_key(entity));
            if own.is_empty() {
                return None;
            }
            own
        };
        if let Some(filter) = filter
            && !*again
        {
            let owner = &mut self.owner;
            let mut watch = |entity: &EcoString, since| owner.watch(entity, since).ok();
            if !entities.iter().any(|entity| filter.is_due(entity, &mut watch)) {
                return None;
            }
        }
        let entities: Vec<&str> = entities.iter().map(EcoString::as_str).collect();
        // An agent without an entity, or in an environment without an episode, perceives nothing yet.
        let Ok(mut perceptions) = self.owner.perceive(agent, &entities, form, since, now) else { return None };
        *again = false;
        if let Some(filter) = filter {
            perceptions.iter().for_each(|(entity, perception)| filter.note_notified(entity, perception.version));
        }
        // An answer may have told the agent of changes that it has not acknowledged, and that have been reverted since.
        let has_news = |perception: &Perception| match since {
            Since::Acknowledged => perception.since != perception.version,
            Since::LastCall => !perception.is_empty(),
        };
        perceptions.retain(|(_, perception)| has_news(perception) || perception.resync);
        if perceptions.is_empty() {
            return None;
        }
        *at = now.monotonic;
        if is_acknowledged {
            unacknowledged.extend(perceptions.iter().map(|(entity, perception)| (entity.clone(), perception.version)));
        }
        subscription.session.receiver().notify(Notification::Percepts {
            subscription: subscription.number,
            environment: self.profile.name(),
            moment: self.owner.moment(),
            agent,
            perceptions,
        })
    }

    fn notify_of_scene(
        &mut self,
        session: &Arc<Session>,
        subscription: u64,
        viewer: Option<&str>,
        shown: &mut Option<Scene>,
    ) -> Option<TooLarge> {
        // An entity that was deleted sees nothing, and a session whose agent lost the entity may no longer see its
        // scene.
        let request = GetScene { environment: Name(self.profile.name().clone()), viewer: viewer.map(Into::into) };
        let may_look = self.check(session, request.needs(), request.subject()).is_ok();
        let seen = may_look.then(|| self.read(|interface| interface.scene(viewer)));
        let scene = seen.and_then(Result::ok).unwrap_or_default();
        let last = shown.as_ref();
        let differs = |(place, shape): &(usize, &Shape)| last.and_then(|last| last.shapes.get(*place)) != Some(shape);
        let changed: Vec<(usize, &Shape)> = scene.shapes.iter().enumerate().filter(differs).collect();
        // A client gets an empty scene, too, so that it knows that there is nothing to see.
        let size = |scene: &Scene| (scene.width, scene.height, scene.shapes.len());
        let is_same_size = last.is_some_and(|last| size(last) == size(&scene));
        if changed.is_empty() && is_same_size {
            return None;
        }
        let too_large = session.receiver().notify(Notification::Scene {
            subscription,
            environment: self.profile.name(),
            moment: self.owner.moment(),
            scene: &scene,
            changed: &changed,
        });
        *shown = Some(scene);
        too_large
    }

    fn notify_of_activity(
        &mut self,
        session: &Session,
        subscription: u64,
        entity: Option<&EcoString>,
        version: &mut Version,
        seen: &mut Seen,
    ) -> Option<TooLarge> {
        let perception = entity.and_then(|entity| Some((entity, self.owner.watch(entity, *version).ok()?)));
        let perception = perception.filter(|(_, perception)| !perception.is_empty() || perception.resync);
        if let Some((_, perception)) = &perception {
            *version = perception.version;
        }
        let (actions, missed) = self.owner.actions_since(seen);
        let of_entity = |action: &&ActionSeen| entity.is_none_or(|entity| *entity == action.entity);
        let actions: Vec<&ActionSeen> = actions.filter(of_entity).collect();
        if perception.is_none() && actions.is_empty() && missed == 0 {
            return None;
        }
        session.receiver().notify(Notification::Activity {
            subscription,
            environment: self.profile.name(),
            moment: self.owner.moment(),
            perception,
            actions: &actions,
            missed,
        })
    }
}
