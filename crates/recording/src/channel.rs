//! The channels of a recording, and the JSON Schemas of their messages, which files carry for other programs.

use serde_json::{Value, json};

/// A channel of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    Episode,
    Inputs,
    Percepts,
    Checkpoints,
    Outcome,
    Crash,
}

impl Channel {
    /// All of them, in order of their numbers.
    pub(crate) const ALL: [Channel; 6] =
        [Channel::Episode, Channel::Inputs, Channel::Percepts, Channel::Checkpoints, Channel::Outcome, Channel::Crash];

    /// Its topic in the file.
    pub(crate) fn topic(self) -> &'static str {
        match self {
            Channel::Episode => "/episode",
            Channel::Inputs => "/inputs",
            Channel::Percepts => "/percepts",
            Channel::Checkpoints => "/checkpoints",
            Channel::Outcome => "/outcome",
            Channel::Crash => "/crash",
        }
    }

    /// The channel with this topic.
    pub(crate) fn with_topic(topic: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.topic() == topic)
    }

    /// The name of its schema.
    pub(crate) fn schema_name(self) -> &'static str {
        match self {
            Channel::Episode => "situated.EpisodeBegun",
            Channel::Inputs => "situated.InputGiven",
            Channel::Percepts => "situated.PerceptsTold",
            Channel::Checkpoints => "situated.Checkpoint",
            Channel::Outcome => "situated.EpisodeOutcome",
            Channel::Crash => "situated.Crash",
        }
    }

    /// What its messages look like.
    pub(crate) fn schema(self) -> Value {
        match self {
            Channel::Episode => episode(),
            Channel::Inputs => inputs(),
            Channel::Percepts => percepts(),
            Channel::Checkpoints => checkpoints(),
            Channel::Outcome => outcome(),
            Channel::Crash => crash(),
        }
    }
}

fn episode() -> Value {
    message(
        "An episode has begun.",
        json!({
            "environment": text("The environment's name."),
            "version": text("The environment's version."),
            "situated": text("The version of situated."),
            "parameters": {
                "type": "object",
                "description": "The parameters with their values, in the interface intermediate language.",
                "additionalProperties": parameter(),
            },
            "seed": count("The seed."),
            "generator": text("The generator of random numbers."),
            "pace": { "description": "Who moves time, as the environment declares it: reactive, lockstep, realTime or own." },
            "hosted": { "type": "boolean", "description": "Whether it was run elsewhere, by a host; false if it is missing." },
        }),
        &["environment", "version", "situated", "parameters", "seed", "generator", "pace"],
    )
}

fn inputs() -> Value {
    let acted = json!({
        "type": "object",
        "properties": {
            "entity": text("The entity's name."),
            "found": list("What it found out.", term()),
            "error": text("Why it was not done."),
        },
        "required": ["entity"],
    });
    message(
        "An input was given to the environment.",
        json!({
            "input": {
                "description": "The word `step`, or an object with one key, the kind of input, such as `act` or `manage`.",
                "type": ["string", "object"],
            },
            "results": list("What an action has come to, for each entity.", acted),
            "entity": text("The name of the body that was requested."),
            "error": text("Why it was refused, although the world had its say."),
        }),
        &["input"],
    )
}

fn percepts() -> Value {
    let version = json!({ "type": "array", "prefixItems": [{ "type": "integer" }, { "type": "integer" }] });
    let perception = json!({
        "type": "object",
        "properties": {
            "moment": { "type": "object" },
            "since": version,
            "version": version,
            "resync": { "type": "boolean", "description": "All that was believed before is void." },
            "add": list("What to add.", term()),
            "delete": list("What to delete, before adding.", term()),
            "events": list("What has happened, in order.", term()),
            "lost": count("How many events could not be kept."),
        },
        "required": ["moment", "since", "version", "resync", "add", "delete", "events", "lost"],
    });
    message(
        "An agent was told percepts.",
        json!({
            "agent": text("The agent's name."),
            "entity": text("The entity's name."),
            "perception": perception,
        }),
        &["agent", "entity", "perception"],
    )
}

fn checkpoints() -> Value {
    message(
        "The whole state.",
        json!({
            "hash": hash(),
            "state": { "type": "string", "contentEncoding": "base64" },
            "results": results(),
        }),
        &["hash", "state", "results"],
    )
}

fn outcome() -> Value {
    message(
        "An episode is over, or was broken off.",
        json!({
            "ending": { "enum": ["terminated", "truncated", null], "description": "Null if it was broken off." },
            "results": results(),
            "hash": hash(),
        }),
        &["ending", "results", "hash"],
    )
}

fn crash() -> Value {
    message("The world has crashed.", json!({ "reason": text("What it said.") }), &["reason"])
}

/// An object that also says when it was.
fn message(description: &str, mut properties: Value, required: &[&str]) -> Value {
    properties["episode"] = count("The number of the episode, from 1.");
    properties["step"] = count("The number of steps so far.");
    properties["time"] = count("Milliseconds since the beginning of 1970, UTC.");
    let required: Vec<&str> = ["episode", "step", "time"].iter().chain(required).copied().collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "description": description,
        "properties": properties,
        "required": required,
    })
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn count(description: &str) -> Value {
    json!({ "type": "integer", "minimum": 0, "description": description })
}

fn list(description: &str, items: Value) -> Value {
    json!({ "type": "array", "description": description, "items": items })
}

fn hash() -> Value {
    json!({ "type": "string", "pattern": "^[0-9a-f]{16}$", "description": "The hash of the world's state." })
}

fn results() -> Value {
    let measure = json!({
        "type": "object",
        "properties": { "of": { "type": "string" }, "name": { "type": "string" }, "value": parameter() },
        "required": ["of", "name", "value"],
    });
    list("What has been achieved.", measure)
}

/// An action or percept.
fn term() -> Value {
    json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "args": { "type": "array", "items": parameter() } },
        "required": ["name"],
    })
}

/// A parameter of the interface intermediate language.
fn parameter() -> Value {
    json!({ "type": ["string", "number", "boolean", "array", "object"] })
}
