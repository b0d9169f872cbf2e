//! Subscriptions: notifications, as somebody takes them.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use situated_wire::Method;
use situated_wire::methods::{Subscribe, Topic};
use situated_wire::notifications::EnvironmentsListed;
use tokio::sync::mpsc;

use crate::calls::Taker;
use crate::client::Client;
use crate::{Answer, Error};

/// How many notifications of a subscription can wait to be taken. Whoever is further behind gets these, and then is told anew
/// how things stand.
pub const NOTIFICATIONS_WAITING: usize = 256;

/// Notifications about something, in order, as the server tells them. When it is dropped, nothing is told any more.
///
/// It outlives the connection. When the connection was lost, what follows begins anew with how things stand, as it does for
/// whoever has left more than [`NOTIFICATIONS_WAITING`] waiting.
pub struct Subscription<N> {
    client: Client,
    topic: Topic,
    notifications: mpsc::Receiver<Box<RawValue>>,
    tells: PhantomData<fn() -> N>,
}

impl Client {
    /// From now on, tells all environments whenever one comes, goes, or changes its state.
    pub fn watch_environments(&self) -> Answer<'static, Subscription<EnvironmentsListed>> {
        self.subscribe(Topic::Environments {})
    }

    /// From now on, tells what happens; `N` is the type of the notifications about this topic, or `Box<RawValue>` for their
    /// text.
    pub fn subscribe<N>(&self, topic: Topic) -> Answer<'static, Subscription<N>>
    where
        N: DeserializeOwned + 'static,
    {
        let (client, asked) = (self.clone(), subscribe(self, &topic));
        Answer::new(async move { Ok(Subscription { notifications: asked.await?, client, topic, tells: PhantomData }) })
    }
}

impl<N: DeserializeOwned + 'static> Subscription<N> {
    /// The next notification, as soon as there is one.
    ///
    /// # Errors
    /// The answer is an error when the session has ended, or what was subscribed to is no more.
    pub fn receive(&mut self) -> Answer<'_, N> {
        Answer::new(async {
            loop {
                if let Some(notification) = self.notifications.recv().await {
                    return serde_json::from_str(notification.get())
                        .map_err(|error| Error::Misunderstood { about: Subscribe::NAME, reason: error.to_string() });
                }
                self.notifications = subscribe(&self.client, &self.topic).await?;
            }
        })
    }
}

fn subscribe(client: &Client, topic: &Topic) -> Answer<'static, mpsc::Receiver<Box<RawValue>>> {
    let (listener, notifications) = mpsc::channel(NOTIFICATIONS_WAITING);
    let asked = client.ask_and_take(&Subscribe { to: topic.clone() }, Taker::Listener(listener));
    Answer::new(async move { asked.await.map(|_| notifications) })
}
