//! The messages of the server that wait for a host.

use serde_json::value::RawValue;
use situated::host::HostRequest;
use situated::reading::{self, Unreadable};
use situated_wire::methods::CallToHost;
use situated_wire::rpc::Id;
use situated_wire::{Code, Error as Refusal, Name};
use tokio::sync::mpsc;

/// Maximum number of requests that wait for a host. The client rejects further requests.
pub const CALLS_OF_HOST: usize = 8192;

/// Maximum number of other messages that wait for a host. Further ones would contain nothing new.
const NOTICES: usize = 16;

/// A message of the server to the host of an environment.
#[derive(Clone, Debug, PartialEq)]
pub enum ToHost {
    /// A request, which the host answers with the same number.
    Call(HostRequest),
    /// The connection was lost and has been restored. The last reports may not have arrived, and requests may be
    /// missing.
    Resumed,
    /// The server has discarded an update.
    Refused(Refusal),
}

/// Messages of the server to a host.
pub(crate) struct Inbox {
    pub(crate) calls: mpsc::Receiver<HostRequest>,
    pub(crate) notices: mpsc::Receiver<ToHost>,
}

/// The other end of an [`Inbox`].
pub(crate) struct Line {
    calls: mpsc::Sender<HostRequest>,
    notices: mpsc::Sender<ToHost>,
}

/// Creates an empty inbox.
pub(crate) fn inbox() -> (Line, Inbox) {
    let (call_sender, calls) = mpsc::channel(CALLS_OF_HOST);
    let (notice_sender, notices) = mpsc::channel(NOTICES);
    (Line { calls: call_sender, notices: notice_sender }, Inbox { calls, notices })
}

impl Line {
    /// Passes a call to the host.
    pub(crate) fn call(&self, call: HostRequest) -> Result<(), Refusal> {
        self.calls.try_send(call).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => {
                Refusal::new(Code::Busy, format!("{CALLS_OF_HOST} calls already wait for the host; retry later"))
            }
            mpsc::error::TrySendError::Closed(_) => {
                Refusal::new(Code::EnvironmentEnded, "the host has ended its environment")
            }
        })
    }

    /// Passes another message to the host. Returns whether the host still exists.
    pub(crate) fn notify(&self, notice: ToHost) -> bool {
        !matches!(self.notices.try_send(notice), Err(mpsc::error::TrySendError::Closed(_)))
    }
}

/// Parses a request of the server, whose id is `ENVIRONMENT/NUMBER`.
pub(crate) fn read_call(id: &Id, method: &str, params: Option<&RawValue>) -> Result<(Name, HostRequest), Refusal> {
    let number = match id {
        Id::Text(text) => text.rsplit_once('/').and_then(|(_, number)| number.parse().ok()),
        Id::Number(_) => None,
    };
    let number = number
        .ok_or_else(|| Refusal::new(Code::InvalidRequest, "the id of a call to a host must be ENVIRONMENT/NUMBER"))?;
    let params = reading::json(params.map_or("{}", RawValue::get))
        .map_err(|error: Unreadable| Refusal::new(Code::InvalidParameters, error.to_string()))?;
    let CallToHost { environment, call } = CallToHost::from_rpc(method, params)?;
    Ok((environment, HostRequest { number, task: call }))
}

#[cfg(test)]
mod tests {
    use situated::host::HostTask;

    use super::*;

    #[test]
    fn reads_calls_with_their_numbers() {
        let id = Id::Text("a/b/7".into());
        let params: Box<RawValue> = serde_json::from_str(r#"{"environment":"a/b","entity":"red"}"#).expect("JSON");
        let task = HostTask::Perceive { entity: "red".into() };
        assert_eq!(read_call(&id, "perceive", Some(&params)), Ok(("a/b".into(), HostRequest { number: 7, task })));
        assert!(read_call(&Id::Number(7), "perceive", Some(&params)).is_err());
        assert!(read_call(&id, "perceive", None).is_err());
        assert!(read_call(&id, "dance", Some(&params)).is_err());
    }
}
