//! The beliefs of an agent about one entity, updated as the protocol's page describes.

use serde_json::{Value, json};

use crate::server::stop::{Checked, ensure, ensure_equal};

/// The beliefs of an agent about one entity, up to a version.
#[derive(Debug, Default)]
pub(crate) struct Beliefs {
    holding: Vec<Value>,
    version: Value,
    /// Events, in order.
    pub(crate) events: Vec<Value>,
}

impl Beliefs {
    /// Applies an update since the last version.
    pub(crate) fn update(&mut self, told: &Value) -> Checked {
        if !self.version.is_null() {
            ensure_equal("the update begins at the last version", &self.version, &told["since"])?;
        }
        self.update_from_anywhere(told)
    }

    /// Applies an update since any version.
    pub(crate) fn update_from_anywhere(&mut self, told: &Value) -> Checked {
        for number in 0..2 {
            let (since, version) = (&told["since"][number], &told["version"][number]);
            ensure(since.as_u64() <= version.as_u64() && version.is_u64(), "versions that grow", told)?;
        }
        if told["resync"] == true {
            self.holding.clear();
        }
        let gone = list(&told["delete"]);
        self.holding.retain(|belief| !gone.contains(belief));
        self.holding.extend(list(&told["add"]));
        self.events.extend(list(&told["events"]));
        self.version = told["version"].clone();
        Ok(())
    }

    /// Checks that the beliefs match a snapshot.
    pub(crate) fn ensure_snapshot(&self, snapshot: &Value) -> Checked {
        let (expected, got) = (sorted(list(&snapshot["add"])), sorted(self.holding.clone()));
        ensure(expected == got, format!("the updates add up to the snapshot {}", json!(expected)), json!(got))
    }

    /// The version of the last update.
    pub(crate) fn version(&self) -> &Value {
        &self.version
    }
}

/// Checks that the number of events between two versions equals the number of received and lost events.
pub(crate) fn ensure_events_are_counted(told: &Value) -> Checked {
    let number = |version: &str| told[version][1].as_u64().unwrap_or_default();
    let counted = number("version").saturating_sub(number("since"));
    let given = list(&told["events"]).len() as u64 + told["lost"].as_u64().unwrap_or_default();
    ensure(counted == given, format!("{counted} events, received or lost"), told)
}

/// The elements of a list; empty if the list was left out.
pub(crate) fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn sorted(mut percepts: Vec<Value>) -> Vec<Value> {
    percepts.sort_by_key(Value::to_string);
    percepts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(since: u64, until: u64, add: &[&str], delete: &[&str]) -> Value {
        json!({ "entity": "red", "since": [since, 0], "version": [until, 0], "add": add, "delete": delete })
    }

    #[test]
    fn updates_add_up_to_the_snapshot() {
        let mut beliefs = Beliefs::default();
        beliefs.update(&told(0, 1, &["a", "b"], &[])).expect("it is the first");
        beliefs.update(&told(1, 2, &["c"], &["a"])).expect("it continues");
        beliefs.ensure_snapshot(&json!({ "add": ["c", "b"] })).expect("that is what holds");
        assert!(beliefs.ensure_snapshot(&json!({ "add": ["a"] })).is_err());
        assert!(beliefs.update(&told(1, 3, &[], &[])).is_err(), "something is missing");
        assert!(beliefs.update(&told(2, 1, &[], &[])).is_err(), "it goes back");
    }
}
