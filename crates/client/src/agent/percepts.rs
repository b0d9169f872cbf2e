//! Subscriptions of agents to their percepts.

use std::ops::Deref;
use std::time::Duration;

use situated::interface::{Form, Since};
use situated_wire::Name;
use situated_wire::methods::{Acknowledge, Acknowledged, Topic};
use situated_wire::notifications::Percepts as Notification;

use super::{Agent, Perceptions, Registration};
use crate::{Answer, Error, Subscription};

/// A subscription of an agent to its percepts, until this is dropped. Each entity is listed again when it has changed and its
/// previous perception was taken.
///
/// The agent can act meanwhile: `percepts.act(action)`.
pub struct Percepts<'a, A, P> {
    agent: &'a mut Agent<A, P>,
    notifications: Subscription<Notification>,
    /// The versions that it must still acknowledge.
    owed: Vec<Acknowledged>,
}

impl<A, P: Clone + PartialEq + Send + 'static> Agent<A, P> {
    /// Subscribes to the percepts of the agent.
    pub fn percepts(&mut self) -> Answer<'_, Percepts<'_, A, P>> {
        self.percepts_of(&[], Duration::ZERO)
    }

    /// Subscribes to the percepts of the agent, and waits for changes of these percepts and events only; no names mean
    /// all. There are at least `interval` (in milliseconds) between two perceptions, which then have all changes since the
    /// last one.
    pub fn percepts_of(&mut self, names: &[&str], interval: Duration) -> Answer<'_, Percepts<'_, A, P>> {
        let Registration { client, environment, agent: name, .. } = &self.registration;
        // The subscription begins with the changes since the acknowledged versions.
        let acknowledged = acknowledge(self, self.memory.heard.known());
        let asked = client.subscribe(Topic::Percepts {
            environment: environment.clone(),
            agent: name.clone(),
            form: Form::Update,
            since: Since::Acknowledged,
            changes_of: names.iter().map(|name| Name::from(*name)).collect(),
            interval_ms: u32::try_from(interval.as_millis()).unwrap_or(u32::MAX),
        });
        Answer::new(async move {
            acknowledged?;
            Ok(Percepts { notifications: asked.await?, agent: self, owed: Vec::new() })
        })
    }
}

impl<A, P: Clone + PartialEq + Send + 'static> Percepts<'_, A, P> {
    /// Waits for the next perceptions, and acknowledges them.
    ///
    /// # Errors
    /// The answer is an error when the session has ended, or when too many messages are waiting.
    pub fn receive(&mut self) -> Answer<'_, Perceptions<P>> {
        Answer::new(async {
            loop {
                // Before, too many messages may have been waiting.
                acknowledge(self.agent, std::mem::take(&mut self.owed))?;
                let told = self.notifications.receive().await?;
                let entities: Vec<Name> = told.perceptions.iter().map(|one| one.entity.clone()).collect();
                let mut perceptions = self.agent.remember(told.perceptions, told.moment);
                let mut unfit = entities.clone();
                unfit.retain(|entity| perceptions.iter().all(|(fitting, _)| *fitting != entity.0));
                if !unfit.is_empty() {
                    // If this fails, a later answer has what is missing.
                    perceptions.extend(self.agent.perceive_through(unfit).await.unwrap_or_default());
                }
                self.owed = self.agent.memory.heard.known();
                self.owed.retain(|known| entities.contains(&known.entity));
                if acknowledge(self.agent, self.owed.clone()).is_ok() {
                    self.owed.clear();
                }
                if !perceptions.is_empty() {
                    return Ok(perceptions);
                }
            }
        })
    }
}

impl<A, P> Deref for Percepts<'_, A, P> {
    type Target = Agent<A, P>;

    fn deref(&self) -> &Agent<A, P> {
        self.agent
    }
}

/// Acknowledges versions, each by itself, so that an entity that the agent has lost does not invalidate the others.
fn acknowledge<A, P>(agent: &Agent<A, P>, versions: Vec<Acknowledged>) -> Result<(), Error> {
    let Registration { client, environment, agent: name, .. } = &agent.registration;
    versions.into_iter().try_for_each(|known| {
        let (environment, agent) = (environment.clone(), name.clone());
        client.acknowledge(&Acknowledge { environment, agent, versions: vec![known] })
    })
}
