//! Notifying subscribers. The environment makes a notification only when the session has room for it. Until then
//! changes accumulate, and one notification then contains the current state.

use std::sync::Arc;
use std::time::Duration;

use situated::iil::EcoString;
use situated::interface::{Form, Observer, Perception, Since, Version};
use situated::scene::{Scene, Shape};
use situated::size::Size;
use situated_runtime::{ActionSeen, Seen, Time};

use super::filter::Filter;
use super::subscription::{Subscription, Topic};
use super::{AtEnvironment, IN_A_ROW, Seat};
use crate::answers::Subscribed;
use crate::data::{KeptSubscription, KeptTopic};
use crate::error::{Error, TooLarge};
use crate::notifications::{Notification, withhold};
use crate::reply::Reply;
use crate::requests::{
    Request, Subject, SubscribeToActivity, SubscribeToEntityScene, SubscribeToHappenings, SubscribeToPercepts,
    SubscribeToScene,
};
use crate::session::Session;

/// Minimum time between two scenes: a client gets at most 60 per second.
const BETWEEN_PICTURES: Duration = Duration::from_millis(15);

impl AtEnvironment for SubscribeToHappenings {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        seat.subscribe(reply, Topic::happenings(), now);
    }
}

impl AtEnvironment for SubscribeToPercepts {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        let SubscribeToPercepts { environment: _, agent, form, since, changes_of, interval } = self;
        let filter = match Filter::new(changes_of) {
            Ok(filter) => filter,
            Err(error) => return reply.refuse(error),
        };
        // Another session might register an agent of this name later.
        if let Err(error) = seat.read(|interface| interface.associated_entities(&agent).map(drop)) {
            return reply.refuse(error);
        }
        seat.subscribe(reply, Topic::percepts(agent, form, since, filter, interval), now);
    }
}

impl AtEnvironment for SubscribeToScene {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        let topic = Topic::scene(reply.session(), None);
        seat.subscribe(reply, topic, now);
    }
}

impl AtEnvironment for SubscribeToEntityScene {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        if let Err(error) = seat.find_entity(&self.entity) {
            return reply.refuse(error);
        }
        let topic = Topic::scene(reply.session(), Some(self.entity));
        seat.subscribe(reply, topic, now);
    }
}

impl AtEnvironment for SubscribeToActivity {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        if let Some(entity) = &self.entity
            && let Err(error) = seat.find_entity(entity)
        {
            return reply.refuse(error);
        }
        let seen = seat.owner.watch_actions();
        seat.subscribe(reply, Topic::activity(self.entity, seen), now);
    }
}

impl Seat {
    fn subscribe<R>(&mut self, reply: Reply<R>, topic: Topic, now: Time)
    where
        R: Request<Answer = Subscribed>,
    {
        let session = reply.session().clone();
        let (to, limit) = (Some(self.profile.name().clone()), session.limits().subscriptions);
        let added = session.belongings().subscribe(to, topic.bytes(), limit);
        match added {
            Err(error) => {
                self.ignore_actions_if_unwatched();
                reply.refuse(error);
            }
            Ok(subscription) => {
                let key = (session.number(), subscription);
                let added = Subscription { session, number: subscription, topic, notified_at: None };
                if let Some(data) = added.session.data() {
                    data.put_subscription(&added.kept(self.profile.name()));
                }
                self.has_filters |= matches!(&added.topic, Topic::Percepts { filter: Some(_), .. });
                reply.answer(Subscribed { subscription });
                self.subscriptions.insert(key, added);
                self.notify_session(key.0, now);
            }
        }
    }

    /// Restores a subscription that a session had in another process.
    pub(super) fn restore_subscription(&mut self, session: &Arc<Session>, kept: KeptSubscription) {
        let topic = match kept.topic {
            KeptTopic::Environments
            | KeptTopic::Mail { .. }
            | KeptTopic::Conversations { .. }
            | KeptTopic::Remarks { .. } => return,
            KeptTopic::Happenings => Topic::happenings(),
            KeptTopic::Percepts { agent, form, since, changes_of, interval } => {
                // It had not too many names when it began.
                Topic::percepts(agent, form, since, Filter::new(changes_of).unwrap_or_default(), interval)
            }
            KeptTopic::Scene { viewer } => Topic::scene(session, viewer),
            KeptTopic::Activity { entity } => Topic::activity(entity, self.owner.watch_actions()),
        };
        let mut subscription = Subscription { session: session.clone(), number: kept.number, topic, notified_at: None };
        subscription.begin_again();
        self.has_filters |= matches!(&subscription.topic, Topic::Percepts { filter: Some(_), .. });
        session.belongings().restore_subscription(kept.number, kept.environment);
        self.subscriptions.insert((kept.session, kept.number), subscription);
    }

    fn find_entity(&mut self, entity: &str) -> Result<(), Error> {
        self.read(|interface| interface.associated_agents(entity).map(drop))
    }

    pub(super) fn unsubscribe(&mut self, session: u64, subscription: u64) {
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
        let (environment, needs) = (self.profile.name().clone(), SubscribeToEntityScene::NEEDS);
        let through = |entity| Subject::Entity { environment: &environment, entity };
        let may_look = viewer.is_none_or(|entity| self.check_subject(session, needs, through(entity)).is_ok());
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
