//! Subscriptions.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use situated::reading::{self, Unreadable};
use situated_wire::Method;
use situated_wire::methods::{Subscribe, Topic};
use situated_wire::notifications::EnvironmentsListed;
use tokio::sync::mpsc;

use crate::calls::Taker;
use crate::client::Client;
use crate::{Answer, Error};

/// Maximum number of waiting notifications of a subscription. After these, a slow receiver gets a notification with
/// the current state.
pub const NOTIFICATIONS_WAITING: usize = 256;

/// Notifications about a topic, in order. Dropping this cancels the subscription.
///
/// A subscription survives a lost connection. The next notification then contains the current state, as it does after
/// more than [`NOTIFICATIONS_WAITING`] have waited.
pub struct Subscription<N> {
    client: Client,
    topic: Topic,
    notifications: mpsc::Receiver<Box<RawValue>>,
    tells: PhantomData<fn() -> N>,
}

impl Client {
    /// Subscribes to the list of environments and their states.
    pub fn watch_environments(&self) -> Answer<'static, Subscription<EnvironmentsListed>> {
        self.subscribe(Topic::Environments {})
    }

    /// Subscribes to a topic. `N` is the type of its notifications, or `Box<RawValue>` for their text.
    pub fn subscribe<N>(&self, topic: Topic) -> Answer<'static, Subscription<N>>
    where
        N: DeserializeOwned + 'static,
    {
        let client = self.clone();
        subscribe(self, &topic).map(|notifications| Subscription { client, topic, notifications, tells: PhantomData })
    }
}

impl<N: DeserializeOwned + 'static> Subscription<N> {
    /// The next notification.
    ///
    /// # Errors
    /// The answer is an error when the session has ended, or the topic no longer exists.
    pub fn receive(&mut self) -> Answer<'_, N> {
        Answer::new(async {
            loop {
                if let Some(notification) = self.notifications.recv().await {
                    return reading::json(notification.get()).map_err(|error: Unreadable| Error::Misunderstood {
                        about: Subscribe::NAME,
                        reason: error.to_string(),
                    });
                }
                self.notifications = subscribe(&self.client, &self.topic).await?;
            }
        })
    }
}

fn subscribe(client: &Client, topic: &Topic) -> Answer<'static, mpsc::Receiver<Box<RawValue>>> {
    let (listener, notifications) = mpsc::channel(NOTIFICATIONS_WAITING);
    let asked = client.ask_and_take(&Subscribe { to: topic.clone() }, Taker::Listener(listener));
    asked.map(|_| notifications)
}
