//! What an agent is told without asking.

use std::ops::Deref;

use situated::interface::{Form, Since};
use situated_wire::methods::Topic;
use situated_wire::notifications::Percepts as Notification;

use super::{Agent, Perceptions, Registration};
use crate::{Answer, Error, Subscription};

/// What an agent perceives, as soon as something changes: each of its entities is told about when what was told of it before
/// was taken. When it is dropped, the agent is told no more without asking.
///
/// The agent can act meanwhile: `percepts.act(action)`.
pub struct Percepts<'a, A, P> {
    agent: &'a mut Agent<A, P>,
    notifications: Subscription<Notification>,
}

impl<'a, A, P: Clone + PartialEq + Send + 'static> Percepts<'a, A, P> {
    pub(super) fn begin(agent: &'a mut Agent<A, P>) -> Answer<'a, Self> {
        let Registration { client, environment, agent: name, .. } = &agent.registration;
        // What was told before is known, and is not told again.
        let acknowledged = say_what_is_known(agent);
        let asked = client.subscribe(Topic::Percepts {
            environment: environment.clone(),
            agent: name.clone(),
            form: Form::Update,
            since: Since::Acknowledged,
        });
        Answer::new(async move {
            acknowledged?;
            Ok(Self { notifications: asked.await?, agent })
        })
    }

    /// What it perceives next, as soon as there is something. It is acknowledged when it is taken.
    ///
    /// # Errors
    /// The answer is an error when the session has ended, or there is no room to acknowledge what was taken before.
    pub fn receive(&mut self) -> Answer<'_, Perceptions<P>> {
        Answer::new(async {
            say_what_is_known(self.agent)?;
            let told = self.notifications.receive().await?;
            let perceptions = self.agent.remember(told.perceptions, told.moment);
            // If there is no room, it is said before the next one.
            let _ = say_what_is_known(self.agent);
            Ok(perceptions)
        })
    }
}

impl<A, P> Deref for Percepts<'_, A, P> {
    type Target = Agent<A, P>;

    fn deref(&self) -> &Agent<A, P> {
        self.agent
    }
}

/// Acknowledges what the server does not know to be known.
fn say_what_is_known<A, P>(agent: &Agent<A, P>) -> Result<(), Error>
where
    P: Clone + PartialEq + Send + 'static,
{
    agent.acknowledgements().iter().try_for_each(|known| agent.registration.client.acknowledge(known))
}
