//! Calls that wait for their answers, and which of them can be repeated after a lost connection.

use std::any::Any;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;
use situated::interface::Since;
use situated_wire::methods::{
    Acknowledge, AcknowledgeMail, Act, AskDirectory, Describe, DescribeKind, Examine, GetMenu, GetOutcome, GetScene,
    ListEntities, ListEnvironments, OpenMailbox, Perceive, Ping, Query, SendMessage, Status, Step, Subscribe, Turn,
    Unregister, Wait,
};
use situated_wire::rpc::{self, Id};
use situated_wire::{self as wire, Method};
use tokio::sync::{mpsc, oneshot};

use crate::inbox::Line;
use crate::{End, Error};

/// Maximum number of calls that wait for their answers, and of those that wait to be sent without a connection. Further
/// calls fail at once ([`Error::Busy`]).
pub const CALLS_WAITING: usize = 1024;

/// The result of a call.
pub(crate) type Answered = Result<Box<RawValue>, Error>;

/// A call or notification to send.
pub(crate) struct Order {
    /// Its line, and the lines before it.
    pub(crate) lines: String,
    /// `None` for a notification.
    pub(crate) call: Option<Call>,
}

/// A call that waits for its answer.
pub(crate) struct Call {
    pub(crate) number: i64,
    pub(crate) method: &'static str,
    pub(crate) repeatable: bool,
    pub(crate) answer: oneshot::Sender<Answered>,
    pub(crate) taker: Option<Taker>,
}

/// The sender of notifications to a subscription.
pub(crate) type Listener = mpsc::Sender<Box<RawValue>>;

/// The receiver of later messages that follow from a call.
pub(crate) enum Taker {
    /// The new subscription.
    Listener(Listener),
    /// The announced host.
    Host(Line),
}

/// The calls that wait, in the order in which they were sent.
#[derive(Default)]
pub(crate) struct Calls {
    waiting: BTreeMap<i64, Waiting>,
}

struct Waiting {
    call: Call,
    lines: String,
    sent: u32,
}

impl Calls {
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Adds a call that was sent with these lines.
    pub(crate) fn begin(&mut self, call: Call, lines: String) {
        let lines = if call.repeatable { lines } else { String::new() };
        self.waiting.insert(call.number, Waiting { call, lines, sent: 1 });
    }

    /// Completes a call. Returns the answer and the receiver of later messages, if there is one.
    pub(crate) fn answer<'a>(
        &mut self,
        number: i64,
        answered: Result<&'a RawValue, wire::Error>,
    ) -> Option<(&'a RawValue, Taker)> {
        let Waiting { call, .. } = self.waiting.remove(&number)?;
        let taker = answered.as_ref().ok().copied().zip(call.taker);
        // The receiver of the answer may have been dropped.
        let _ = call.answer.send(answered.map(RawValue::to_owned).map_err(Error::from));
        taker
    }

    /// Handles a lost connection: calls that cannot be repeated fail, and abandoned ones are removed.
    pub(crate) fn interrupt(&mut self, reason: &str) {
        let fails = |_: &i64, one: &mut Waiting| {
            !one.call.repeatable || one.sent >= ASKED_AT_MOST || one.call.answer.is_closed()
        };
        for (_, Waiting { call, .. }) in self.waiting.extract_if(.., fails) {
            let _ = call.answer.send(Err(Error::Uncertain { method: call.method, reason: reason.into() }));
        }
    }

    /// Returns the lines of all calls to repeat.
    pub(crate) fn repeat(&mut self) -> String {
        let mut lines = String::new();
        for one in self.waiting.values_mut() {
            one.sent += 1;
            lines.push_str(&one.lines);
        }
        lines
    }

    /// Fails all calls, since the session has ended.
    pub(crate) fn end(&mut self, end: &End) {
        for Waiting { call, .. } in std::mem::take(&mut self.waiting).into_values() {
            let _ = call.answer.send(Err(Error::Ended(end.clone())));
        }
    }
}

/// Returns the line of a call; without a number, that of a notification.
pub(crate) fn call_line<M: Method>(number: Option<i64>, call: &M) -> Result<String, Error> {
    line(number, M::NAME, call)
}

/// Returns the line of a call of this method.
pub(crate) fn line(number: Option<i64>, method: &str, params: &impl Serialize) -> Result<String, Error> {
    let mut line = Vec::new();
    let written = rpc::write_call(&mut line, number.map(Id::Number).as_ref(), method, params);
    line.push(b'\n');
    // JSON is UTF-8.
    let line = written
        .map_err(|error| error.to_string())
        .and_then(|()| String::from_utf8(line).map_err(|error| error.to_string()));
    line.map_err(|reason| {
        wire::Error::new(wire::Code::InvalidParameters, format!("`{method}` cannot be written: {reason}")).into()
    })
}

/// Number of times that a call is sent, if the connection is lost each time.
pub const ASKED_AT_MOST: u32 = 10;

/// Methods that can be repeated without harm. A duplicate subscription is cancelled at its first notification, and agents
/// expect that they are already unregistered.
const HARMLESS: [&str; 18] = [
    Acknowledge::NAME,
    AcknowledgeMail::NAME,
    AskDirectory::NAME,
    GetMenu::NAME,
    GetOutcome::NAME,
    Describe::NAME,
    DescribeKind::NAME,
    Examine::NAME,
    ListEntities::NAME,
    ListEnvironments::NAME,
    GetScene::NAME,
    OpenMailbox::NAME,
    Ping::NAME,
    Query::NAME,
    Status::NAME,
    Subscribe::NAME,
    Unregister::NAME,
    Wait::NAME,
];

/// Whether a call of this method with these parameters can be repeated after a lost connection, because executing it
/// twice has the same effect as executing it once.
pub(crate) fn is_repeatable(method: &str, params: &dyn Any) -> bool {
    if let Some(act) = params.downcast_ref::<Act>() {
        act.number.is_some()
    } else if let Some(send) = params.downcast_ref::<SendMessage>() {
        send.number.is_some()
    } else if let Some(perceive) = params.downcast_ref::<Perceive>() {
        perceive.since == Since::Acknowledged
    } else if let Some(step) = params.downcast_ref::<Step>() {
        // A repeated pass would count for the next step.
        let once = |turn: &Turn| turn.action.is_some() && turn.number.is_some();
        step.agents.iter().all(once) && (!step.perceive || step.since == Since::Acknowledged)
    } else {
        HARMLESS.contains(&method)
    }
}

#[cfg(test)]
mod tests {
    use situated::iil::Action;
    use situated::interface::Form;
    use situated_wire::methods::{Associate, Pass};

    use super::*;

    fn is_repeatable<M: Method>(call: &M) -> bool {
        super::is_repeatable(M::NAME, call)
    }

    #[test]
    fn repeats_numbered_actions_and_calls_that_only_read() {
        let (environment, agent) = (|| "maze".into(), || "ada".into());
        let act = |number| Act { environment: environment(), agent: agent(), action: wait(), entities: vec![], number };
        let perceive = |since| {
            let form = Form::Update;
            Perceive { form, since, ..Perceive::new(environment(), agent()) }
        };
        assert!(is_repeatable(&act(Some(1))) && !is_repeatable(&act(None)));
        assert!(is_repeatable(&perceive(Since::Acknowledged)) && !is_repeatable(&perceive(Since::LastCall)));
        assert!(is_repeatable(&Status { environment: environment() }));
        assert!(!is_repeatable(&Pass { environment: environment(), agent: agent(), entities: vec![] }));
        assert!(!is_repeatable(&Associate { environment: environment(), agent: agent(), entity: "red".into() }));
    }

    #[test]
    fn repeats_steps_of_numbered_actions() {
        let step = |action, number, since| Step {
            environment: "maze".into(),
            agents: vec![Turn { number, ..Turn::new("ada".into(), action) }],
            form: Form::Update,
            since,
            perceive: true,
        };
        assert!(is_repeatable(&step(Some(wait()), Some(1), Since::Acknowledged)));
        assert!(!is_repeatable(&step(Some(wait()), Some(1), Since::LastCall)));
        assert!(!is_repeatable(&step(Some(wait()), None, Since::Acknowledged)));
        assert!(!is_repeatable(&step(None, None, Since::Acknowledged)));
    }

    fn wait() -> Action {
        Action::new("wait", [])
    }
}
