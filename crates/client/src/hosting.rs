//! Hosting: an environment that runs in this process, and whose agents connect to the server.

mod environment;

use situated::host::{HostAnswer, HostReport, HostUpdate};
use situated::interface::State;
use situated_wire::methods::{AnswerOfHost, EntityListed, Host, ListEntities, Status, UpdateHosted};
use situated_wire::rpc::{self, Id};
use situated_wire::{Code, Error as Refusal, Name};
use tokio::sync::Mutex;

use crate::calls::{Taker, call_line};
use crate::client::Client;
use crate::inbox::{Inbox, ToHost, inbox};
use crate::{Answer, Error};

pub use environment::{Hosting, host};

/// An environment that this process hosts. [`receive`](Self::receive) the requests of the server in order, perform
/// them, and [`say`](Self::say) the results. Dropping this ends the environment.
///
/// It survives a lost connection, as long as the server waits for it. Requests and answers that were on their way are
/// lost: agents get a timeout, and the host receives [`ToHost::Resumed`]. If the first episode has not begun, the server
/// then asks for it again.
pub struct Hosted {
    client: Client,
    name: Name,
    inbox: Mutex<Inbox>,
}

/// The state of a hosted environment on the server.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusAnswer {
    /// Its state.
    pub state: State,
    /// Its entities and their agents.
    pub entities: Vec<EntityListed>,
}

impl Client {
    /// Announces an environment that this client hosts. Needs the role of a host. For an ordinary
    /// [`Environment`](situated::environment::Environment), there is [`host`](crate::host()).
    pub fn host(&self, announced: Host) -> Answer<'static, Hosted> {
        let (line, inbox) = inbox();
        let client = self.clone();
        self.call_and_take(&announced, Taker::Host(line)).map(|hosting| Hosted {
            name: hosting.environment,
            client,
            inbox: Mutex::new(inbox),
        })
    }
}

impl Hosted {
    /// Its name on the server.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The next message of the server. Dropping this answer loses no message.
    ///
    /// # Errors
    /// The answer is an error when the session has ended.
    pub fn receive(&self) -> Answer<'_, ToHost> {
        Answer::new(async {
            let Inbox { calls, notices } = &mut *self.inbox.lock().await;
            let received = tokio::select! {
                biased;
                Some(notice) = notices.recv() => Some(notice),
                call = calls.recv() => call.map(ToHost::Call),
            };
            received.ok_or_else(|| self.client.ended())
        })
    }

    /// Sends an answer to a call, or an update. The server receives reports in this order.
    ///
    /// # Errors
    /// The answer is an error when the session has ended, when the report is too long, or when the server discards an update.
    pub fn say(&self, report: HostReport) -> Answer<'static, ()> {
        match report {
            HostReport::Update(update) => self.tell(update),
            HostReport::Answer { number, answer, update } => {
                let (client, limit) = (self.client.clone(), self.client.greeting().limits.frame_bytes);
                let lines = answer_lines(&self.name, number, answer, update, limit);
                Answer::new(async move { client.deliver(lines?).await })
            }
        }
    }

    /// Sends an update.
    ///
    /// # Errors
    /// The same as for [`say`](Self::say).
    pub fn tell(&self, update: HostUpdate) -> Answer<'static, ()> {
        self.client.call(UpdateHosted { environment: self.name.clone(), update }).map(drop)
    }

    /// Asks for the state of the environment on the server after all reports; `None` if it has ended. Discards
    /// refusals of earlier updates, since the caller can compare the states.
    pub fn standing(&self) -> Answer<'_, Option<StatusAnswer>> {
        let status = self.client.call(Status { environment: self.name.clone() });
        let entities = self.client.call(ListEntities { environment: self.name.clone() });
        Answer::new(async {
            let known = async { Ok((status.await?.status.state, entities.await?.entities)) };
            let known: Result<_, Error> = known.await;
            self.take_notices();
            match known {
                Ok((State::Killed, _)) => Ok(None),
                Ok((state, entities)) => Ok(Some(StatusAnswer { state, entities })),
                Err(error) if error.code() == Some(Code::NoSuchEnvironment) => Ok(None),
                Err(error) => Err(error),
            }
        })
    }

    /// Takes the notices that wait. Returns whether one of them says that the connection has been restored.
    fn take_notices(&self) -> bool {
        // If the inbox is locked, a pending receive has emptied it.
        let Ok(mut inbox) = self.inbox.try_lock() else { return false };
        let mut resumed = false;
        while let Ok(notice) = inbox.notices.try_recv() {
            resumed |= notice == ToHost::Resumed;
        }
        resumed
    }
}

impl Drop for Hosted {
    fn drop(&mut self) {
        let update = HostUpdate { state: Some(State::Killed), ..HostUpdate::default() };
        // If too many messages are waiting, the environment ends with the session.
        let _ = self.client.notify(&UpdateHosted { environment: self.name.clone(), update });
    }
}

/// Returns the lines of an answer to a request. The changes of a failed task are sent before it as an update.
fn answer_lines(
    environment: &Name,
    number: u64,
    answer: HostAnswer,
    update: HostUpdate,
    limit: usize,
) -> Result<String, Error> {
    let id = Id::Text(format!("{environment}/{number}"));
    let (mut lines, mut line) = (String::new(), Vec::new());
    let written = match answer {
        HostAnswer::Failed { reason, tried } => {
            if !update.is_empty() {
                lines = call_line(None, &UpdateHosted { environment: environment.clone(), update })?;
            }
            let code = if tried { Code::Failure } else { Code::NoSuchMethod };
            rpc::write_error(&mut line, Some(&id), &Refusal::new(code, reason))
        }
        HostAnswer::Done => rpc::write_answer(&mut line, &id, &AnswerOfHost { update, ..AnswerOfHost::default() }),
        HostAnswer::Found(percepts) => {
            rpc::write_answer(&mut line, &id, &AnswerOfHost { percepts, update, ..AnswerOfHost::default() })
        }
        HostAnswer::Entity(entity) => {
            let entity = Some(entity.into());
            rpc::write_answer(&mut line, &id, &AnswerOfHost { entity, update, ..AnswerOfHost::default() })
        }
    };
    let unwritten = |reason: String| Refusal::new(Code::InvalidHost, format!("the answer cannot be written: {reason}"));
    written.map_err(|error| unwritten(error.to_string()))?;
    let length = line.len().max(lines.len());
    if length > limit {
        return Err(Error::TooLong { method: "answer", length, limit });
    }
    lines += &String::from_utf8(line).map_err(|error| unwritten(error.to_string()))?;
    lines.push('\n');
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sends_changes_of_a_failed_task_before_its_answer() {
        let update = HostUpdate { step: Some(3), ..HostUpdate::default() };
        let failed = HostAnswer::Failed { reason: "a wall".into(), tried: false };
        let lines = answer_lines(&"e".into(), 4, failed, update.clone(), 1000).expect("short");
        let lines: Vec<&str> = lines.lines().collect();
        assert!(lines[0].contains(r#""method":"update""#) && lines[0].contains(r#""step":3"#), "{}", lines[0]);
        assert!(lines[1].contains(r#""id":"e/4""#) && lines[1].contains("-32601"), "{}", lines[1]);
        let long = answer_lines(&"e".into(), 4, HostAnswer::Done, update, 10);
        assert!(matches!(long, Err(Error::TooLong { .. })), "{long:?}");
    }
}
