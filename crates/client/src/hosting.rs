//! Hosting: a world that is run on this side, in which others live through the server.

mod environment;

use situated::host::{HostReport, HostRequest, HostUpdate};
use situated::interface::State;
use situated_wire::methods::{EntityListed, Host, ListEntities, Status, UpdateHosted};
use situated_wire::{Code, Name};
use tokio::sync::{Mutex, mpsc};

use crate::calls::Taker;
use crate::client::Client;
use crate::line::{Line, ToHost, answer_lines};
use crate::{Answer, Error};

pub use environment::{Hosting, host};

/// An environment that is run on this side. [`receive`](Self::receive) what the server calls for, in order, do it, and
/// [`say`](Self::say) what has come of it. When this is dropped, the world is over.
///
/// It outlives the connection, as long as the server waits for it. Calls and answers that were on their way are lost then:
/// whoever has asked for something is told so in time, and [`ToHost::Resumed`] says that it may have been.
pub struct Hosted {
    client: Client,
    name: Name,
    inbox: Mutex<Inbox>,
}

/// Messages of the server to a host.
struct Inbox {
    calls: mpsc::Receiver<HostRequest>,
    news: mpsc::Receiver<ToHost>,
}

/// How a hosted world stands, as far as the server knows.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusAnswer {
    /// Its state.
    pub state: State,
    /// Its entities, and the agents that they have.
    pub entities: Vec<EntityListed>,
}

impl Client {
    /// Announces an environment whose calls this side answers. It needs the role of a host. A world that is an ordinary
    /// [`Environment`](situated::environment::Environment) is hosted by [`host`](crate::host()).
    pub fn host(&self, announced: Host) -> Answer<'static, Hosted> {
        let (line, calls, news) = Line::new();
        let (client, asked) = (self.clone(), self.call_and_take(&announced, Taker::Host(line)));
        Answer::new(async move {
            let inbox = Mutex::new(Inbox { calls, news });
            Ok(Hosted { name: asked.await?.environment, client, inbox })
        })
    }
}

impl Hosted {
    /// Its name on the server.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the server says next. Whoever drops this answer has missed nothing.
    ///
    /// # Errors
    /// The answer is an error when the session has ended.
    pub fn receive(&self) -> Answer<'_, ToHost> {
        Answer::new(async {
            let Inbox { calls, news } = &mut *self.inbox.lock().await;
            let heard = tokio::select! {
                biased;
                Some(news) = news.recv() => Some(news),
                call = calls.recv() => call.map(ToHost::Call),
            };
            heard.ok_or_else(|| self.client.ended())
        })
    }

    /// Answers a call, or tells what has changed by itself. What is said is heard in this order.
    ///
    /// # Errors
    /// The answer is an error when the session has ended, when it is too long, or, if it tells of a change, when that cannot be.
    pub fn say(&self, says: HostReport) -> Answer<'static, ()> {
        match says {
            HostReport::Update(update) => self.tell(update),
            HostReport::Answer { number, answer, update } => {
                let (client, limit) = (self.client.clone(), self.client.greeting().limits.frame_bytes);
                let lines = answer_lines(&self.name, number, answer, update, limit);
                Answer::new(async move { client.deliver(lines?).await })
            }
        }
    }

    /// Tells what has changed by itself.
    ///
    /// # Errors
    /// As [`say`](Self::say).
    pub fn tell(&self, update: HostUpdate) -> Answer<'static, ()> {
        let asked = self.client.call(UpdateHosted { environment: self.name.clone(), update });
        Answer::new(async { asked.await.map(|_| ()) })
    }

    /// How its world stands on the server, now that all is heard that was said; none if it is over. What was refused until then
    /// is not received any more, since whoever asks this can tell what is missing.
    pub fn standing(&self) -> Answer<'_, Option<StatusAnswer>> {
        let status = self.client.call(Status { environment: self.name.clone() });
        let entities = self.client.call(ListEntities { environment: self.name.clone() });
        Answer::new(async {
            let known = async { Ok((status.await?.status.state, entities.await?.entities)) };
            let known: Result<_, Error> = known.await;
            // If the inbox is locked, a pending receive has emptied it.
            if let Ok(mut inbox) = self.inbox.try_lock() {
                while inbox.news.try_recv().is_ok() {}
            }
            match known {
                Ok((State::Killed, _)) => Ok(None),
                Ok((state, entities)) => Ok(Some(StatusAnswer { state, entities })),
                Err(error) if error.code() == Some(Code::NoSuchEnvironment) => Ok(None),
                Err(error) => Err(error),
            }
        })
    }
}

impl Drop for Hosted {
    fn drop(&mut self) {
        let update = HostUpdate { state: Some(State::Killed), ..HostUpdate::default() };
        // If there is no room to say so, it is over when the session ends.
        let _ = self.client.say(&UpdateHosted { environment: self.name.clone(), update });
    }
}
