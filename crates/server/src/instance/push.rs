//! Telling those who have subscribed. Nothing is made for somebody who has no room for it: it is made later on, in one
//! piece, from what holds then.

use std::time::Duration;

use situated::iil::EcoString;
use situated::interface::{EnvironmentInterface, Form, Observer, Since, Version};
use situated::scene::{Scene, Shape};
use situated_runtime::{Seen, Time};
use situated_wire::methods::{Acknowledged, EntityResult, Right, Subscribed, Topic};
use situated_wire::notifications::{ActionSeen, Activity, Happenings, Percepts, SceneUpdate};
use situated_wire::{EntityPerception, Error, Name};

use super::seat::Seat;
use super::subscription::{About, Subscription};
use crate::caller::Caller;
use crate::refusal::refusal;
use crate::session::Session;

/// How much time there is between two pictures at the least: more than 60 a second nobody sees.
const BETWEEN_PICTURES: Duration = Duration::from_millis(15);

/// How many are told at once, before others have their turn.
const AT_ONCE: usize = 128;

impl Seat {
    pub(super) fn subscribe(&mut self, caller: Caller, number: u64, topic: Topic, now: Time) {
        let session = caller.session().clone();
        if let Err(error) = self.check_topic(&session, &topic) {
            session.belongings().subscriptions.remove(&number);
            return caller.refuse(&error);
        }
        caller.answer(&Subscribed { subscription: number, time: now.wall });
        let Some(about) = About::beginning(topic, || self.owner.watch_actions()) else { return };
        let subscription = Subscription { session: session.clone(), number, about, told_at: None };
        self.subscriptions.insert((session.number, number), subscription);
        self.push_to(session.number, now);
    }

    pub(super) fn unsubscribe(&mut self, session: u64, subscription: u64) {
        self.subscriptions.remove(&(session, subscription));
        self.ignore_if_nobody_watches();
    }

    /// Actions are remembered only while somebody watches.
    pub(super) fn ignore_if_nobody_watches(&mut self) {
        let watches = |one: &Subscription| matches!(one.about, About::Activity { .. });
        if !self.subscriptions.values().any(watches) {
            self.owner.ignore_actions();
        }
    }

    /// Everybody is to be told how the environment stands.
    pub(super) fn see_status_anew(&mut self) {
        for subscription in self.subscriptions.values_mut() {
            if matches!(subscription.about, About::Happenings { .. }) {
                subscription.told_at = None;
            }
        }
        self.push_due = Some(Duration::ZERO);
    }

    /// An agent has acknowledged something: its next update may come.
    pub(super) fn note_acknowledged(&mut self, session: u64, agent: &EcoString, known: &Acknowledged) {
        for (_, subscription) in self.subscriptions.range_mut((session, 0)..=(session, u64::MAX)) {
            let About::Percepts { agent: of, unacknowledged, .. } = &mut subscription.about else { continue };
            let reached = |told: &Version| known.version.changes >= told.changes && known.version.events >= told.events;
            if of == agent && unacknowledged.get(&*known.entity).is_some_and(reached) {
                unacknowledged.remove(&*known.entity);
                subscription.told_at = None;
                // It is no input, and yet there may be something to tell.
                self.push_due = Some(Duration::ZERO);
            }
        }
    }

    /// What these agents were told about these entities is void, so that nobody will acknowledge it.
    pub(super) fn forget_unacknowledged(&mut self, is_void: impl Fn(&EcoString, &EcoString) -> bool) {
        for subscription in self.subscriptions.values_mut() {
            if let About::Percepts { agent, unacknowledged, .. } = &mut subscription.about {
                unacknowledged.retain(|entity, _| !is_void(agent, entity));
            }
        }
    }

    /// Tells everybody what is new: as many as can be told at once, the others soon.
    pub(super) fn push_round(&mut self, changed: bool, now: Time) {
        self.push_due = None;
        if self.subscriptions.is_empty() {
            return;
        }
        if changed {
            self.round.extend();
        }
        let begin = match self.round.go_on(now.monotonic) {
            Ok(begin) => begin,
            Err(due) => return self.push_by(due),
        };
        let now = self.clock.now();
        let mut subscriptions = std::mem::take(&mut self.subscriptions);
        let mut rest = subscriptions.range_mut(begin..);
        rest.by_ref().take(AT_ONCE).for_each(|(_, subscription)| self.push(subscription, now));
        let next = rest.next().map(|(key, _)| *key);
        self.subscriptions = subscriptions;
        let took = self.clock.now().monotonic.saturating_sub(now.monotonic);
        if let Some(due) = self.round.rest(next, now.monotonic, took) {
            self.push_by(due);
        }
    }

    /// Somebody is to be told something by then.
    fn push_by(&mut self, due: Duration) {
        self.push_due = Some(self.push_due.map_or(due, |other| other.min(due)));
    }

    /// Tells one session what is new.
    pub(super) fn push_to(&mut self, session: u64, now: Time) {
        self.follow();
        let mut subscriptions = std::mem::take(&mut self.subscriptions);
        for (_, subscription) in subscriptions.range_mut((session, 0)..=(session, u64::MAX)) {
            self.push(subscription, now);
        }
        self.subscriptions = subscriptions;
    }

    /// Tells one session everything again.
    pub(super) fn push_anew(&mut self, session: u64, now: Time) {
        for (_, subscription) in self.subscriptions.range_mut((session, 0)..=(session, u64::MAX)) {
            subscription.begin_anew();
        }
        self.push_to(session, now);
    }

    fn check_topic(&mut self, session: &Session, topic: &Topic) -> Result<(), Error> {
        match topic {
            Topic::Environments {} | Topic::Happenings { .. } => Ok(()),
            Topic::Percepts { agent, .. } => {
                session.check(Right::Act)?;
                self.check_agent(session, agent)?;
                // Whoever registers it later on may be somebody else.
                self.ask(|interface| interface.associated_entities(agent).map(drop))
            }
            Topic::Scene { viewer, .. } => {
                self.check_viewer(session, viewer.as_ref().map(|name| name.as_str()))?;
                self.check_entity(viewer.as_ref())
            }
            Topic::Activity { entity, .. } => {
                session.check(Right::Observe)?;
                self.check_entity(entity.as_ref())
            }
        }
    }

    fn check_entity(&mut self, entity: Option<&Name>) -> Result<(), Error> {
        let Some(entity) = entity else { return Ok(()) };
        self.ask(|interface| interface.associated_agents(entity).map(drop))
    }

    fn ask(
        &mut self,
        ask: impl FnOnce(&dyn EnvironmentInterface) -> Result<(), situated::interface::Error>,
    ) -> Result<(), Error> {
        let answered = self.owner.look(ask).map_err(|error| refusal(&error))?;
        answered.map_err(|error| Error::from(&error))
    }

    fn push(&mut self, subscription: &mut Subscription, now: Time) {
        let changes = self.owner.changes();
        if subscription.told_at == Some(changes) {
            return;
        }
        if let About::Scene { at, .. } | About::Activity { at, .. } = &mut subscription.about {
            let due = *at + BETWEEN_PICTURES;
            if !at.is_zero() && now.monotonic < due {
                return self.push_by(due);
            }
            *at = now.monotonic;
        }
        if !subscription.session.outbox().has_room(&self.me) {
            return;
        }
        let (session, number) = (subscription.session.clone(), subscription.number);
        let first = subscription.told_at.replace(changes).is_none();
        match &mut subscription.about {
            About::Happenings { observer } => self.push_happenings(&session, number, observer, first),
            About::Percepts { .. } => self.push_percepts(subscription, now),
            About::Scene { viewer, shown, .. } => self.push_scene(&session, number, viewer, shown),
            About::Activity { entity, version, seen, .. } => {
                self.push_activity(&session, number, entity.as_ref(), version, seen);
            }
        }
    }

    fn push_happenings(&mut self, session: &Session, subscription: u64, observer: &mut Observer, status_is_new: bool) {
        let is_new = *observer == Observer::new();
        let Ok(drained) = self.owner.look(|interface| interface.drain(observer)) else { return };
        if drained.happenings.is_empty() && !status_is_new {
            return;
        }
        session.notify(&Happenings {
            subscription,
            status: self.identity.status(),
            resync: is_new || drained.missed > 0,
            happenings: drained.happenings,
            lost: drained.missed,
        });
    }

    fn push_percepts(&mut self, subscription: &mut Subscription, now: Time) {
        let About::Percepts { agent, form, since, unacknowledged, anew } = &mut subscription.about else { return };
        let (form, since) = match (*anew, *since) {
            // What was on its way when the connection was lost is not known: everything is told again.
            (true, Since::LastCall) => (Form::Snapshot, Since::Acknowledged),
            (_, since) => (*form, since),
        };
        let entities = if unacknowledged.is_empty() {
            Vec::new()
        } else {
            let own = self.owner.look(|interface| interface.associated_entities(agent));
            let mut own = own.unwrap_or_else(|_| Ok(Vec::new())).unwrap_or_default();
            own.retain(|entity| !unacknowledged.contains_key(entity));
            if own.is_empty() {
                return;
            }
            own
        };
        let entities: Vec<&str> = entities.iter().map(EcoString::as_str).collect();
        // An agent without a body, or in a world without an episode, is told nothing yet.
        let Ok(told) = self.owner.perceive(agent, &entities, form, since, now) else { return };
        *anew = false;
        let mut news = Vec::new();
        for (entity, perception) in told {
            if perception.is_empty() && !perception.resync {
                continue;
            }
            if since == Since::Acknowledged {
                unacknowledged.insert(entity.clone(), perception.version);
            }
            news.push(EntityPerception::new(entity, perception));
        }
        if news.is_empty() {
            return;
        }
        subscription.session.notify(&Percepts {
            subscription: subscription.number,
            environment: self.identity.name.clone().into(),
            moment: self.owner.moment(),
            agent: agent.clone().into(),
            perceptions: news,
        });
    }

    fn push_scene(&mut self, session: &Session, subscription: u64, viewer: &Option<EcoString>, shown: &mut Scene) {
        // An entity that is gone sees nothing, and nobody looks through one that is no longer theirs.
        let may_look = self.check_viewer(session, viewer.as_deref()).is_ok();
        let seen = may_look.then(|| self.owner.look(|interface| interface.scene(viewer.as_deref())));
        let scene = seen.and_then(Result::ok).and_then(Result::ok).unwrap_or_default();
        let shapes = changed(&shown.shapes, &scene.shapes);
        let same_size =
            (shown.width, shown.height, shown.shapes.len()) == (scene.width, scene.height, scene.shapes.len());
        if shapes.is_empty() && same_size {
            return;
        }
        session.notify(&SceneUpdate {
            subscription,
            environment: self.identity.name.clone().into(),
            moment: self.owner.moment(),
            width: scene.width,
            height: scene.height,
            count: scene.shapes.len(),
            shapes,
        });
        *shown = scene;
    }

    fn push_activity(
        &mut self,
        session: &Session,
        subscription: u64,
        entity: Option<&EcoString>,
        version: &mut Version,
        seen: &mut Seen,
    ) {
        let told = entity.and_then(|entity| self.owner.watch(entity, *version).ok().map(|told| (entity, told)));
        let told = told.filter(|(_, told)| !told.is_empty() || told.resync);
        if let Some((_, told)) = &told {
            *version = told.version;
        }
        let (actions, missed) = self.owner.actions_since(seen);
        let actions: Vec<ActionSeen> = actions
            .filter(|action| entity.is_none_or(|entity| *entity == action.entity))
            .map(|action| ActionSeen {
                moment: action.moment,
                agent: action.agent.clone().into(),
                action: action.action.clone(),
                result: EntityResult::new(action.entity.clone(), action.result.clone()),
            })
            .collect();
        if told.is_none() && actions.is_empty() && missed == 0 {
            return;
        }
        session.notify(&Activity {
            subscription,
            environment: self.identity.name.clone().into(),
            moment: self.owner.moment(),
            perception: told.map(|(entity, told)| EntityPerception::new(entity.clone(), told)),
            actions,
            lost: missed,
        });
    }
}

/// The shapes that differ, with their places.
fn changed(before: &[Shape], now: &[Shape]) -> Vec<(usize, Shape)> {
    let differs = |(place, shape): &(usize, &Shape)| before.get(*place) != Some(shape);
    now.iter().enumerate().filter(differs).map(|(place, shape)| (place, shape.clone())).collect()
}
