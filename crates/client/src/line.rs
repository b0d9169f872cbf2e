//! The line between a host and the server: calls that come in, and answers as they are written.

use serde_json::value::RawValue;
use situated::host::{HostAnswer, HostRequest, HostUpdate};
use situated_wire::methods::{AnswerOfHost, CallToHost, UpdateHosted};
use situated_wire::rpc::{self, Id};
use situated_wire::{Code, Error as Refusal, Name};
use tokio::sync::mpsc;

use crate::Error;
use crate::door::call_line;

/// How many calls can wait for a host. One more is refused.
pub const CALLS_OF_HOST: usize = 8192;

/// How much else can wait to be heard by it; what is beyond would tell it nothing new.
const NEWS: usize = 16;

/// What the host of a world hears from the server.
#[derive(Clone, Debug, PartialEq)]
pub enum ToHost {
    /// It is called for something, and says the answer under its number.
    Call(HostRequest),
    /// The connection was lost, and is there again. What was last said has perhaps not been heard, and calls may be missing.
    Resumed,
    /// Something that it has said cannot be, and was not taken over.
    Refused(Refusal),
}

/// Where a host is reached.
pub(crate) struct Line {
    calls: mpsc::Sender<HostRequest>,
    news: mpsc::Sender<ToHost>,
}

impl Line {
    pub(crate) fn new() -> (Self, mpsc::Receiver<HostRequest>, mpsc::Receiver<ToHost>) {
        let (calls, called) = mpsc::channel(CALLS_OF_HOST);
        let (news, heard) = mpsc::channel(NEWS);
        (Self { calls, news }, called, heard)
    }

    /// Calls the host.
    pub(crate) fn call(&self, call: HostRequest) -> Result<(), Refusal> {
        self.calls.try_send(call).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => {
                Refusal::new(Code::Busy, format!("{CALLS_OF_HOST} calls wait for the host already"))
            }
            mpsc::error::TrySendError::Closed(_) => {
                Refusal::new(Code::EnvironmentEnded, "the host has let go of its world")
            }
        })
    }

    /// Tells the host something; whether it is still there.
    pub(crate) fn tell(&self, news: ToHost) -> bool {
        !matches!(self.news.try_send(news), Err(mpsc::error::TrySendError::Closed(_)))
    }
}

/// Reads a call of the server, which it numbers `ENVIRONMENT/NUMBER`.
pub(crate) fn read_call(id: &Id, method: &str, params: Option<&RawValue>) -> Result<(Name, HostRequest), Refusal> {
    let number = match id {
        Id::Text(text) => text.rsplit_once('/').and_then(|(_, number)| number.parse().ok()),
        Id::Number(_) => None,
    };
    let number = number.ok_or_else(|| Refusal::new(Code::InvalidRequest, "this is no number of a call to a host"))?;
    let params = serde_json::from_str(params.map_or("{}", RawValue::get))
        .map_err(|error| Refusal::new(Code::InvalidParameters, error.to_string()))?;
    let CallToHost { environment, call } = CallToHost::from_rpc(method, params)?;
    Ok((environment, HostRequest { number, task: call }))
}

/// The lines of an answer to a call. Where it was not done, what has changed all the same is told before.
pub(crate) fn answer_lines(
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
        HostAnswer::Found(found) => {
            rpc::write_answer(&mut line, &id, &AnswerOfHost { percepts: found, update, ..AnswerOfHost::default() })
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
    use situated::host::HostTask;

    use super::*;

    #[test]
    fn a_call_is_read_with_its_number() {
        let id = Id::Text("a/b/7".into());
        let params: Box<RawValue> = serde_json::from_str(r#"{"environment":"a/b","entity":"red"}"#).expect("JSON");
        let call = HostTask::Perceive { entity: "red".into() };
        assert_eq!(
            read_call(&id, "perceive", Some(&params)),
            Ok(("a/b".into(), HostRequest { number: 7, task: call }))
        );
        assert!(read_call(&Id::Number(7), "perceive", Some(&params)).is_err());
        assert!(read_call(&id, "perceive", None).is_err());
        assert!(read_call(&id, "dance", Some(&params)).is_err());
    }

    #[test]
    fn what_changes_by_a_failure_is_told_before_it() {
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
