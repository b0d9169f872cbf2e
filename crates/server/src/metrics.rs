//! Metrics for Prometheus.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
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
        let by_method = Family::<Labels, Counter>::default();
        let metrics = Self {
            connections: Gauge::default(),
            connections_begun: Counter::default(),
            connections_refused: Counter::default(),
            sessions: Gauge::default(),
            connection_bytes: Gauge::default(),
            kept_bytes: Gauge::default(),
            failed_recordings: Gauge::default(),
            data_failed: Gauge::default(),
            received_bytes: Counter::default(),
            sent_bytes: Counter::default(),
            messages: Counter::default(),
            violations: Counter::default(),
            // Looked up once, not at every call.
            calls: Call::NAMES
                .iter()
                .map(|name| (*name, by_method.get_or_create(&[("method", (*name).to_owned())]).clone()))
                .collect(),
            errors: Family::default(),
            agents: Family::default(),
            entities: Family::default(),
            steps: Family::default(),
            registry: Registry::default(),
        };
        registry.register("connections", "Open connections", metrics.connections.clone());
        registry.register("connections_begun", "Connections since the start", metrics.connections_begun.clone());
        registry.register("connections_refused", "Connections beyond the limit", metrics.connections_refused.clone());
        registry.register("sessions", "Sessions, including those whose connection is lost", metrics.sessions.clone());
        let failed = metrics.failed_recordings.clone();
        registry.register("failed_recordings", "Recordings that are incomplete because a write failed", failed);
        let failed = metrics.data_failed.clone();
        registry.register("data_failed", "1 while the data cannot be written and changes are rejected", failed);
        let connection = "Bytes of connections: unfinished frames, unread answers, waiting calls";
        registry.register_with_unit("connection", connection, Unit::Bytes, metrics.connection_bytes.clone());
        let kept = "Bytes that the server keeps for clients: environments, mail, the directory";
        registry.register_with_unit("kept", kept, Unit::Bytes, metrics.kept_bytes.clone());
        let (received, sent) = (metrics.received_bytes.clone(), metrics.sent_bytes.clone());
        registry.register_with_unit("received", "Frames received", Unit::Bytes, received);
        registry.register_with_unit("sent", "Frames sent", Unit::Bytes, sent);
        registry.register("messages", "Messages that agents have sent", metrics.messages.clone());
        let violations = "Rules of interaction protocols that messages have broken";
        registry.register("protocol_violations", violations, metrics.violations.clone());
        registry.register("calls", "Calls, by method", by_method);
        registry.register("errors", "Calls that failed, by kind of error", metrics.errors.clone());
        registry.register("agents", "Registered agents, by environment", metrics.agents.clone());
        registry.register("entities", "Entities, by environment", metrics.entities.clone());
        registry.register("episode_steps", "The step of the current episode, by environment", metrics.steps.clone());
        Self { registry, ..metrics }
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
