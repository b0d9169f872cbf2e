//! Errors on the wire: a stable code, a message for people, and details for programs.

use serde::Serialize;
use serde_json::{Value, json};
use situated::data;
use situated::interface::{self, ErrorKind};

/// The reason why a request failed. A request that fails changes nothing.
#[data(thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// A stable number for the kind of error.
    pub code: i32,
    /// A message for people: who, what, why, and what to do.
    pub message: String,
    /// The name of the code (`kind`), and the message's facts as data (`details`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

macro_rules! codes {
    ($($(#[doc = $documentation:literal])+ $Code:ident = $number:literal $kind:literal;)*) => {
        /// Kinds of errors, with stable numbers and names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(i32)]
        pub enum Code {
            $($(#[doc = $documentation])+ $Code = $number,)*
        }

        impl Code {
            /// All kinds.
            pub const ALL: &'static [Code] = &[$(Code::$Code),*];

            /// Returns the name.
            pub fn kind(self) -> &'static str {
                match self {
                    $(Code::$Code => $kind,)*
                }
            }

            /// Returns the description.
            pub fn documentation(self) -> &'static str {
                match self {
                    $(Code::$Code => concat!($($documentation),+),)*
                }
            }
        }
    };
}

codes! {
    /// The frame is not JSON.
    Parse = -32700 "parse";
    /// It is JSON, but neither a request nor a response of JSON-RPC 2.0.
    InvalidRequest = -32600 "invalidRequest";
    /// There is no such method.
    NoSuchMethod = -32601 "noSuchMethod";
    /// The parameters do not match the method.
    InvalidParameters = -32602 "invalidParameters";
    /// The server has a defect.
    Internal = -32603 "internal";
    /// The first request must be `hello`.
    HelloRequired = -32000 "helloRequired";
    /// The other side uses another version of the protocol.
    Version = -32001 "version";
    /// The token is missing or unknown.
    Unauthorized = -32002 "unauthorized";
    /// The role or the token does not allow it, or the agent belongs to another session.
    Forbidden = -32003 "forbidden";
    /// A limit of the server is exceeded.
    Limit = -32004 "limit";
    /// There is no session with this resume token, or it has ended.
    SessionEnded = -32005 "sessionEnded";
    /// The server is shutting down.
    ShuttingDown = -32006 "shuttingDown";
    /// Another connection resumed this session.
    TakenOver = -32007 "takenOver";
    /// There is no such environment.
    NoSuchEnvironment = 2001 "noSuchEnvironment";
    /// The name of the environment is taken or not a valid name.
    EnvironmentName = 2002 "environmentName";
    /// There is no such kind of environment.
    NoSuchKind = 2003 "noSuchKind";
    /// Another session has an agent with this name in the environment, or with this address on the server.
    AgentTaken = 2004 "agentTaken";
    /// There is no such subscription.
    NoSuchSubscription = 2005 "noSuchSubscription";
    /// A host announced or reported something invalid.
    InvalidHost = 2006 "invalidHost";
    /// The state of the environment does not allow it.
    WrongState = 1001 "wrongState";
    /// The agent is not registered.
    NotRegistered = 1002 "notRegistered";
    /// The agent has no entities.
    NoEntities = 1003 "noEntities";
    /// The entity does not exist, or the agent does not control it.
    WrongEntity = 1004 "wrongEntity";
    /// No entity of this environment can do this.
    NotSupportedByEnvironment = 1005 "notSupportedByEnvironment";
    /// No entity of this type can do this.
    NotSupportedByType = 1006 "notSupportedByType";
    /// This entity cannot do this.
    NotSupportedByEntity = 1007 "notSupportedByEntity";
    /// The action was tried and failed.
    Failure = 1008 "failure";
    /// The agent cannot be registered: its name is taken or not a valid name.
    NotRegistrable = 1009 "notRegistrable";
    /// The relation between agents and entities does not allow it, or there is no such association.
    Relation = 1010 "relation";
    /// The parameters of the episode are wrong.
    Management = 1011 "management";
    /// The server never sent this version.
    UnknownVersion = 1012 "unknownVersion";
    /// The environment or the entity has no such property.
    NoSuchProperty = 1013 "noSuchProperty";
    /// The environment crashed.
    Crashed = 1101 "crashed";
    /// The entity already has an action for this step.
    AlreadyChosen = 1102 "alreadyChosen";
    /// A new episode began before the action was done.
    Superseded = 1103 "superseded";
    /// Too many requests are waiting; try again later.
    Busy = 1104 "busy";
    /// The number of the action was already used.
    NumberUsed = 1105 "numberUsed";
    /// The pace of the environment decides when steps are made.
    Paced = 1106 "paced";
    /// The environment has ended.
    EnvironmentEnded = 1107 "environmentEnded";
    /// The host of the environment did not respond in time.
    HostTimeout = 1108 "hostTimeout";
    /// The server cannot write it to its data, such as on a full disk, so that it could get lost; try again later.
    NotKept = 1109 "notKept";
}

impl Error {
    /// Creates an error of this kind.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code: code as i32, message: message.into(), data: Some(json!({ "kind": code.kind() })) }
    }

    /// Adds details for programs.
    pub fn with_details(mut self, details: impl Serialize) -> Self {
        if let (Some(Value::Object(data)), Ok(details)) = (&mut self.data, serde_json::to_value(details)) {
            data.insert("details".into(), details);
        }
        self
    }

    /// Returns the kind, if this version of the protocol knows it.
    pub fn code(&self) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| *code as i32 == self.code)
    }
}

impl From<&interface::Error> for Error {
    fn from(error: &interface::Error) -> Self {
        Error::new(error.kind().into(), error.to_string()).with_details(error)
    }
}

impl From<ErrorKind> for Code {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::WrongState => Code::WrongState,
            ErrorKind::NotRegistered => Code::NotRegistered,
            ErrorKind::NoEntities => Code::NoEntities,
            ErrorKind::WrongEntity => Code::WrongEntity,
            ErrorKind::NotSupportedByEnvironment => Code::NotSupportedByEnvironment,
            ErrorKind::NotSupportedByType => Code::NotSupportedByType,
            ErrorKind::NotSupportedByEntity => Code::NotSupportedByEntity,
            ErrorKind::Failure => Code::Failure,
            ErrorKind::NotRegistrable => Code::NotRegistrable,
            ErrorKind::Relation => Code::Relation,
            ErrorKind::Management => Code::Management,
            ErrorKind::UnknownVersion => Code::UnknownVersion,
            ErrorKind::NoSuchProperty => Code::NoSuchProperty,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_unique() {
        for (index, code) in Code::ALL.iter().enumerate() {
            for other in &Code::ALL[..index] {
                assert!(*code as i32 != *other as i32 && code.kind() != other.kind(), "{code:?} and {other:?}");
            }
        }
    }

    #[test]
    fn an_error_has_a_message_a_kind_and_details() {
        let refused = interface::Error::NotRegistered { agent: "rde".into(), nearest: Some("red".into()) };
        let error = Error::from(&refused);
        let expected = json!({
            "code": 1002,
            "message": "agent `rde` is not registered; register it first; did you mean `red`?",
            "data": {
                "kind": "notRegistered",
                "details": { "notRegistered": { "agent": "rde", "nearest": "red" } },
            },
        });
        assert_eq!(serde_json::to_value(&error).expect("it is JSON"), expected);
        assert_eq!(error.code(), Some(Code::NotRegistered));
    }
}
