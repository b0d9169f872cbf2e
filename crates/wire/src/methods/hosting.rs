//! Methods for hosting: offering environments to a server, and the calls of a server to their hosts.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use situated::data;
use situated::host::{HostAnswer, HostTask, HostUpdate};
use situated::iil::{Parameter, Percept};
use situated::ontology::{Ontology, Pace};
use situated::reading;

use crate::{Code, Error, Name};

/// Parameters of `host`.
#[data(deny_unknown_fields)]
pub struct Host {
    /// The ontology of the environment.
    pub ontology: Ontology,
    /// The name on this server; by default that of the ontology, with a number if it is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Name>,
    /// The parameters of the first episode; missing ones have their defaults.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Parameter>,
    /// The seed of the first episode; by default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The way in which time advances; by default as the ontology declares. An environment with its own clock is
    /// never called for a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<Pace>,
    /// The maximum number of steps per second; by default the environment's own rate in real time, otherwise
    /// unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// In lockstep, the milliseconds that a step waits for agents that have not acted; by default 10 s for agents of
    /// clients without a heartbeat (see `hello`), and without limit for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience_ms: Option<u64>,
    /// Whether time runs as soon as the first episode has begun; otherwise the environment is paused.
    #[serde(default)]
    pub start: bool,
    /// The milliseconds that the host has for the beginning of an episode; by default 5000, at most 600000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begin_timeout_ms: Option<u64>,
    /// The milliseconds that it has for any other call; by default 1000, at most 60000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_timeout_ms: Option<u64>,
    /// Whether a call of `act` may ask for the step after the action. Then an action in a reactive environment is usually one call
    /// instead of two.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steps_with_actions: bool,
}

impl Host {
    /// Offers an environment with this ontology, whose time runs as soon as the first episode has begun.
    pub fn new(ontology: Ontology) -> Self {
        Self {
            ontology,
            environment: None,
            parameters: BTreeMap::new(),
            seed: None,
            pace: None,
            speed: None,
            patience_ms: None,
            start: true,
            begin_timeout_ms: None,
            answer_timeout_ms: None,
            steps_with_actions: false,
        }
    }
}

/// Answer to `host`.
#[data]
pub struct Hosting {
    /// The name of the environment on this server. The environment is not initialized yet; the next call of the
    /// server initializes it.
    pub environment: Name,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// Parameters of `update`.
#[data(deny_unknown_fields)]
pub struct UpdateHosted {
    /// The environment.
    pub environment: Name,
    /// The changes.
    pub update: HostUpdate,
}

/// A call of the server to the host of an environment. The method is the kind of the call; the parameters are its
/// fields and the name of the environment.
#[derive(Clone, Debug, PartialEq)]
pub struct CallToHost {
    /// The environment.
    pub environment: Name,
    /// The task for the host.
    pub call: HostTask,
}

/// The response of a host to a call; an empty object means that the call is done. A host that refuses responds with
/// an error of JSON-RPC, whose message is the reason: code -32601 means that the entity cannot do this at all, any
/// other code that it tried and failed.
#[data(Default, default, deny_unknown_fields)]
pub struct AnswerOfHost {
    /// Percepts that an action returned (active sensing).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub percepts: Vec<Percept>,
    /// The name of the requested entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<Name>,
    /// Changes through the call, and since the last report of the host.
    #[serde(skip_serializing_if = "HostUpdate::is_empty")]
    pub update: HostUpdate,
}

impl CallToHost {
    /// Returns the method and the parameters of the call.
    pub fn to_rpc(&self) -> (String, Map<String, Value>) {
        let (method, mut params) = match serde_json::to_value(&self.call) {
            Ok(Value::String(method)) => (method, Map::new()),
            Ok(Value::Object(object)) => match object.into_iter().next() {
                Some((method, Value::Object(params))) => (method, params),
                Some((method, _)) => (method, Map::new()),
                None => (String::new(), Map::new()),
            },
            _ => (String::new(), Map::new()),
        };
        params.insert("environment".into(), Value::String(self.environment.to_string()));
        (method, params)
    }

    /// Reads the call with this method and these parameters.
    ///
    /// # Errors
    /// Returns an error if this is not a call to a host.
    pub fn from_rpc(method: &str, mut params: Map<String, Value>) -> Result<Self, Error> {
        let wrong = |error: String| Error::new(Code::InvalidParameters, format!("the call `{method}`: {error}"));
        let environment = match params.remove("environment") {
            Some(Value::String(environment)) => Name::from(environment),
            _ => return Err(wrong("the name of the environment is missing".into())),
        };
        let call = if params.is_empty() {
            Value::String(method.into())
        } else {
            Value::Object(Map::from_iter([(method.to_owned(), Value::Object(params))]))
        };
        let call = reading::json(&call.to_string()).map_err(|error| wrong(error.problem))?;
        Ok(Self { environment, call })
    }
}

impl AnswerOfHost {
    /// Returns the answer and the update.
    pub fn into_parts(self) -> (HostAnswer, HostUpdate) {
        let Self { percepts, entity, update } = self;
        let answer = match entity {
            Some(entity) => HostAnswer::Entity(entity.0),
            None if percepts.is_empty() => HostAnswer::Done,
            None => HostAnswer::Found(percepts),
        };
        (answer, update)
    }
}

impl From<Error> for HostAnswer {
    fn from(error: Error) -> Self {
        HostAnswer::Failed { tried: error.code() != Some(Code::NoSuchMethod), reason: error.message }
    }
}

#[cfg(test)]
mod tests {
    use situated::iil::Action;

    use super::*;

    #[test]
    fn calls_to_hosts_are_methods_with_parameters() {
        let action = Action::new("walk", [1.into()]);
        let act = |step| HostTask::Act { agent: "a".into(), entity: "b".into(), action: action.clone(), step };
        for (call, method, params) in [
            (HostTask::Step, "step", r#"{"environment":"e"}"#),
            (act(false), "act", r#"{"action":{"args":[1],"name":"walk"},"agent":"a","entity":"b","environment":"e"}"#),
            (
                act(true),
                "act",
                r#"{"action":{"args":[1],"name":"walk"},"agent":"a","entity":"b","environment":"e","step":true}"#,
            ),
            (HostTask::Taken { entity: "b".into() }, "taken", r#"{"entity":"b","environment":"e"}"#),
        ] {
            let call = CallToHost { environment: "e".into(), call };
            let (name, fields) = call.to_rpc();
            assert_eq!((name.as_str(), serde_json::to_string(&fields).ok().as_deref()), (method, Some(params)));
            assert_eq!(CallToHost::from_rpc(&name, fields), Ok(call));
        }
        assert!(CallToHost::from_rpc("step", Map::new()).is_err());
        let params = Map::from_iter([("environment".to_owned(), Value::from("e"))]);
        assert!(CallToHost::from_rpc("jump", params).is_err());
    }
}
