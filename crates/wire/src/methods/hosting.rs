//! Hosting: offering environments to a server, and what a server calls their hosts for.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use situated::host::{HostAnswer, HostTask, HostUpdate};
use situated::iil::{Parameter, Percept};
use situated::ontology::{Ontology, Pace};

use crate::{Code, Error, Name};

/// Parameters of `host`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Host {
    /// What the environment declares about itself.
    pub ontology: Ontology,
    /// The name that it is to have on this server; by default that of its ontology, with a number if there is one already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Name>,
    /// The parameters of its first episode; those left out have their defaults.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Parameter>,
    /// Its seed; by default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Who moves its time; by default as it declares. Where it has a clock of its own, it is never called for a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<Pace>,
    /// How many steps are made a second at the most; by default that of its real time, else as many as possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// In lockstep, for how many milliseconds a step waits for agents that have not chosen; by default 10 s for agents of clients
    /// without a heartbeat (see `hello`), and without end for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience_ms: Option<u64>,
    /// Whether time is to run as soon as the first episode has begun; otherwise it is paused.
    #[serde(default)]
    pub start: bool,
    /// For how many milliseconds the host may think about the beginning of an episode; by default 5000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begin_timeout_ms: Option<u64>,
    /// For how many milliseconds it may think about anything else; by default 1000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_timeout_ms: Option<u64>,
}

/// Answer to `host`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Hosting {
    /// The name of the environment on this server. It is not initialized yet: that is what the host is called for next.
    pub environment: Name,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// Parameters of `update`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct UpdateHosted {
    /// The environment.
    pub environment: Name,
    /// What has changed in it.
    pub update: HostUpdate,
}

/// A call of the server for the host of an environment: the method is the kind of the call, the parameters are its fields and
/// the name of the environment.
#[derive(Clone, Debug, PartialEq)]
pub struct CallToHost {
    /// The environment.
    pub environment: Name,
    /// What the host is called for.
    pub call: HostTask,
}

/// How a host answers a call; an empty object says that it is done. A host that does not do it answers with an error of
/// JSON-RPC, whose message is the reason: code -32601 says that the entity cannot do this at all, any other that it was
/// tried and failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AnswerOfHost {
    /// Percepts that an action returned (active sensing).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub percepts: Vec<Percept>,
    /// The name of the entity that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<Name>,
    /// What has changed by it, and since the host last said something.
    #[serde(skip_serializing_if = "HostUpdate::is_empty")]
    pub update: HostUpdate,
}

impl CallToHost {
    /// Method and parameters of the call.
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

    /// The call with this method and these parameters.
    ///
    /// # Errors
    /// When it is no call to a host.
    pub fn from_rpc(method: &str, mut params: Map<String, Value>) -> Result<Self, Error> {
        let wrong = |error: String| Error::new(Code::InvalidParameters, format!("the call `{method}`: {error}"));
        let environment = match params.remove("environment") {
            Some(Value::String(environment)) => Name::from(environment),
            _ => return Err(wrong("there is no name of an environment".into())),
        };
        let call = if params.is_empty() {
            Value::String(method.into())
        } else {
            Value::Object(Map::from_iter([(method.to_owned(), Value::Object(params))]))
        };
        let call = serde_json::from_value(call).map_err(|error| wrong(error.to_string()))?;
        Ok(Self { environment, call })
    }
}

impl AnswerOfHost {
    /// What a host that answers so has to say, and what has changed.
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
        let act = HostTask::Act { agent: "a".into(), entity: "b".into(), action };
        for (call, method, params) in [
            (HostTask::Step, "step", r#"{"environment":"e"}"#),
            (act, "act", r#"{"action":{"args":[1],"name":"walk"},"agent":"a","entity":"b","environment":"e"}"#),
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
