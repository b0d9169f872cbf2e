//! The names by which users know the parts of the data.

use situated_store::{Damage, JOURNAL};

use super::documents::{
    AGENT, CORRESPONDENT, ENVIRONMENT, LAST_LETTER, LETTER, MAILBOX, SERVICES, SESSION, STREAM, SUBSCRIPTION, WATCHING,
};

/// Describes a damaged part of the data, for users.
pub fn described(damage: &Damage) -> String {
    match damage {
        Damage::Document { kind, key } => format!("{}: it differs from what was written", named(kind, key)),
        Damage::Journal { key, reason } => {
            // The key ends with the time at which the environment was created.
            let name = key.rsplit_once('/').map_or(key.as_str(), |(name, _)| name);
            format!("environment `{name}`: {reason}")
        }
        Damage::Missing { kind, missing, written } => format!("{}: {missing} of {written} missing", counted(kind)),
        Damage::Earlier { .. } | Damage::File { .. } => damage.to_string(),
    }
}

fn named(kind: &str, key: &str) -> String {
    match kind {
        AGENT => match key.split_once('/').and_then(|(length, names)| names.split_at_checked(length.parse().ok()?)) {
            Some((environment, agent)) => {
                format!("agent `{}` in environment `{environment}`", agent.trim_start_matches('/'))
            }
            None => format!("agent `{key}`"),
        },
        SUBSCRIPTION => match key.split_once('/') {
            Some((session, number)) => format!("subscription {number} of session {session}"),
            None => format!("subscription `{key}`"),
        },
        SESSION => format!("session {key}"),
        CORRESPONDENT => format!("agent `{key}`, which has a mailbox"),
        MAILBOX => format!("mailbox of agent `{key}`"),
        LETTER => format!("message {key} between agents"),
        SERVICES => format!("services of agent `{key}` in the directory"),
        WATCHING => format!("subscription {key} to the directory"),
        STREAM => "number of the first message to other platforms".into(),
        LAST_LETTER => "number of the last message between agents".into(),
        _ => format!("{kind} `{key}`"),
    }
}

fn counted(kind: &str) -> &str {
    match kind {
        ENVIRONMENT => "environments",
        JOURNAL => "checkpoints and groups of records of environments",
        SESSION => "sessions",
        AGENT => "agents in environments",
        CORRESPONDENT => "agents with a mailbox",
        SUBSCRIPTION => "subscriptions",
        MAILBOX => "mailboxes",
        LETTER => "messages between agents",
        SERVICES => "services of agents in the directory",
        WATCHING => "subscriptions to the directory",
        STREAM => "number of the first message to other platforms",
        LAST_LETTER => "number of the last message between agents",
        _ => kind,
    }
}
