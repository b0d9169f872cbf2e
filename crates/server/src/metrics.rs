//! Metrics for Prometheus.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Metric, Registry, Unit};
use situated_hub::Hub;
use situated_wire::{Call, Code, Error};

type Labels = [(&'static str, String); 1];

/// The metrics of a server.
pub(crate) struct Metrics {
    registry: Registry,
    pub(crate) connections: Gauge,
    pub(crate) connections_begun: Counter,
    pub(crate) connections_refused: Counter,
    sessions: Gauge,
    connection_bytes: Gauge,
    kept_bytes: Gauge,
    failed_recordings: Gauge,
    data_failed: Gauge,
    pub(crate) received_bytes: Counter,
    pub(crate) sent_bytes: Counter,
    messages: Counter,
    violations: Counter,
    calls: HashMap<&'static str, Counter>,
    errors: Family<Labels, Counter>,
    agents: Family<Labels, Gauge>,
    entities: Family<Labels, Gauge>,
    steps: Family<Labels, Gauge>,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("situated");
        let all = &mut registry;
        let kept = "Bytes that the server keeps for clients: environments, mail, the directory";
        let connection = "Bytes of connections: unfinished frames, unread answers, waiting calls";
        let failed_recordings = "Recordings that are incomplete because a write failed";
        let data_failed = "1 while the data cannot be written and changes are rejected";
        Self {
            connections: add(all, "connections", "Open connections"),
            connections_begun: add(all, "connections_begun", "Connections since the start"),
            connections_refused: add(all, "connections_refused", "Connections beyond the limit"),
            sessions: add(all, "sessions", "Sessions, including those whose connection is lost"),
            failed_recordings: add(all, "failed_recordings", failed_recordings),
            data_failed: add(all, "data_failed", data_failed),
            connection_bytes: add_bytes(all, "connection", connection),
            kept_bytes: add_bytes(all, "kept", kept),
            received_bytes: add_bytes(all, "received", "Frames received"),
            sent_bytes: add_bytes(all, "sent", "Frames sent"),
            messages: add(all, "messages", "Messages that agents have sent"),
            violations: add(all, "protocol_violations", "Rules of interaction protocols that messages have broken"),
            calls: {
                let by_method: Family<Labels, Counter> = add(all, "calls", "Calls, by method");
                // Looked up once, not at every call.
                let counter = |name: &str| by_method.get_or_create(&[("method", name.to_owned())]).clone();
                Call::NAMES.iter().map(|name| (*name, counter(name))).collect()
            },
            errors: add(all, "errors", "Calls that failed, by kind of error"),
            agents: add(all, "agents", "Registered agents, by environment"),
            entities: add(all, "entities", "Entities, by environment"),
            steps: add(all, "episode_steps", "The step of the current episode, by environment"),
            registry,
        }
    }

    pub(crate) fn count_call(&self, call: &Call) {
        if let Some(calls) = self.calls.get(call.name()) {
            calls.inc();
        }
    }

    pub(crate) fn count_error(&self, error: &Error) {
        let kind = error.code().map_or("unknown", Code::kind);
        self.errors.get_or_create(&[("kind", kind.to_owned())]).inc();
    }

    /// Returns the metrics as text, with the current state of the environments.
    pub(crate) fn text(&self, hub: &Hub) -> String {
        for family in [&self.agents, &self.entities, &self.steps] {
            family.clear();
        }
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.sessions.set(number(hub.session_count()));
        self.failed_recordings.set(i64::try_from(hub.failed_recordings()).unwrap_or(i64::MAX));
        self.data_failed.set(i64::from(hub.data_failure().is_some()));
        self.connection_bytes.set(number(hub.budget().connections()));
        self.kept_bytes.set(number(hub.budget().kept()));
        // The hub counts them.
        self.messages.inner().store(hub.conversations().messages(), Ordering::Relaxed);
        self.violations.inner().store(hub.conversations().violations(), Ordering::Relaxed);
        for known in hub.statuses() {
            let labels = [("environment", known.environment.to_string())];
            self.agents.get_or_create(&labels).set(number(known.agents));
            self.entities.get_or_create(&labels).set(number(known.entities));
            self.steps.get_or_create(&labels).set(i64::try_from(known.moment.step).unwrap_or(i64::MAX));
        }
        let mut text = String::new();
        // Writing to memory cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// Adds a metric.
fn add<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    let metric = M::default();
    registry.register(name, help, metric.clone());
    metric
}

/// Adds a metric in bytes.
fn add_bytes<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    let metric = M::default();
    registry.register_with_unit(name, help, Unit::Bytes, metric.clone());
    metric
}
