//! Recordings as text for other programs: JSON, a line for each message, or a table for statistics.

use std::io::{self, Write};

use situated::environment::{Ending, Measure};
use situated::host::HostReport;
use situated::iil::{EcoString, Parameter, Percept};
use situated::interface::Perception;
use situated_acl::json::{AclAgent, AclMessage, AclValue};
use situated_runtime::Input;

use crate::{Acted, Entry, InputGiven, Recording, RecordingError};

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// A JSON object on a line for each message, in order: its channel first, then its fields. States are left out.
    Jsonl,
    /// A table with a header and the [`CSV_COLUMNS`].
    Csv,
}

/// The columns of the table, with their meanings.
pub const CSV_COLUMNS: [(&str, &str); 9] = [
    ("episode", "the number of the episode"),
    ("step", "the number of steps so far"),
    ("time", "milliseconds since the beginning of 1970, UTC"),
    (
        "kind",
        "parameter, seed (of an episode); act, failed (one row for each entity that acts); input (all other inputs); \
         resync, add, delete, event, lost (what an agent was told); remark; message, violation (of its protocol); \
         progress (a measure at a checkpoint); result, ending (of an episode); crash",
    ),
    ("agent", "the agent that acted, perceived or sent a message"),
    ("entity", "the entity of the action or percept, the subject of the measure, or the conversation of the message"),
    ("name", "of the action, percept, input, parameter or measure; the act of a message"),
    ("arguments", "of the action, percept or input, or the receivers of a message, separated by commas"),
    (
        "value",
        "the value of the measure or parameter; the percepts or the error of an action; the number of lost events",
    ),
];

/// Writes a recording as text. Returns the number of messages.
///
/// # Errors
/// Returns an error if the recording cannot be read to its end, or the text cannot be written. Text that was already
/// written remains.
pub fn export(recording: &mut Recording, format: ExportFormat, out: &mut dyn Write) -> Result<u64, RecordingError> {
    match format {
        ExportFormat::Jsonl => export_lines(recording, out),
        ExportFormat::Csv => export_table(recording, out),
    }
}

fn export_lines(recording: &mut Recording, out: &mut dyn Write) -> Result<u64, RecordingError> {
    let mut entries = 0;
    let mut line = Vec::new();
    for recorded in recording.entries()? {
        let mut entry = recorded?.entry;
        if let Entry::Checkpoint(checkpoint) = &mut entry {
            checkpoint.state.clear();
        }
        line.clear();
        serde_json::to_writer(&mut line, &entry).map_err(|error| RecordingError::Export(error.into()))?;
        line.push(b'\n');
        out.write_all(&line).map_err(RecordingError::Export)?;
        entries += 1;
    }
    out.flush().map_err(RecordingError::Export)?;
    Ok(entries)
}

fn export_table(recording: &mut Recording, out: &mut dyn Write) -> Result<u64, RecordingError> {
    let mut entries = 0;
    let mut table = Table { out: csv::Writer::from_writer(out), moment: Default::default() };
    table.write(CSV_COLUMNS.map(|(name, _)| name))?;
    for recorded in recording.entries()? {
        table.write_entry(&recorded?.entry)?;
        entries += 1;
    }
    table.out.flush().map_err(RecordingError::Export)?;
    Ok(entries)
}

/// A table that is written row by row.
struct Table<'a> {
    out: csv::Writer<&'a mut dyn Write>,
    /// The first three columns of the rows of one message.
    moment: [String; 3],
}

/// The other columns of a row.
#[derive(Clone, Copy, Default)]
struct Row<'a> {
    kind: &'static str,
    agent: &'a str,
    entity: &'a str,
    name: &'a str,
    arguments: &'a str,
    value: &'a str,
}

impl Table<'_> {
    fn write_entry(&mut self, entry: &Entry) -> Result<(), RecordingError> {
        let (episode, step, time) = entry.moment();
        self.moment = [episode, step, time].map(|number| number.to_string());
        match entry {
            Entry::Episode(begun) => {
                for (name, value) in &begun.parameters {
                    self.row(Row { kind: "parameter", name, value: &plain(value), ..Row::default() })?;
                }
                self.row(Row { kind: "seed", name: "seed", value: &begun.seed.to_string(), ..Row::default() })
            }
            Entry::Input(given) => self.write_input(given),
            Entry::Percepts(told) => self.write_percepts(&told.agent, &told.entity, &told.perception),
            Entry::Checkpoint(checkpoint) => self.write_measures("progress", &checkpoint.results),
            Entry::Outcome(outcome) => {
                self.write_measures("result", &outcome.results)?;
                let name = match outcome.ending {
                    Some(Ending::Terminated) => "terminated",
                    Some(Ending::Truncated) => "truncated",
                    None => "brokenOff",
                };
                self.row(Row { kind: "ending", name, ..Row::default() })
            }
            Entry::Remark(made) => {
                self.row(Row { kind: "remark", agent: &made.agent, value: &made.remark.to_string(), ..Row::default() })
            }
            Entry::Message(sent) => {
                let AclMessage { performative, sender, receivers, conversation_id, .. } = &*sent.message;
                let sender = sender.as_ref().map(AclAgent::name).unwrap_or_default();
                let receivers: Vec<&str> = receivers.iter().map(AclAgent::name).collect();
                let conversation = conversation_id.as_ref().and_then(AclValue::text).unwrap_or_default();
                let (agent, arguments) = (sender, receivers.join(","));
                let row =
                    Row { agent, entity: conversation, name: performative, arguments: &arguments, ..Row::default() };
                self.row(Row { kind: "message", ..row })?;
                let mut violations = sent.violations.iter();
                violations.try_for_each(|violation| self.row(Row { kind: "violation", value: violation, ..row }))
            }
            Entry::Crash(crash) => self.row(Row { kind: "crash", value: &crash.reason, ..Row::default() }),
            // Shapes have no columns.
            Entry::Scene(_) => Ok(()),
        }
    }

    fn write_input(&mut self, given: &InputGiven) -> Result<(), RecordingError> {
        let none = EcoString::new();
        let (name, agent, entity) = match &given.input {
            Input::Act { agent, action, .. } => {
                let arguments = listed(&action.parameters);
                return match &given.results {
                    Some(results) => self.write_act(agent, &action.name, &arguments, results),
                    // The host reports the result later.
                    None => self.row(Row {
                        kind: "input",
                        agent,
                        name: &action.name,
                        arguments: &arguments,
                        ..Row::default()
                    }),
                };
            }
            Input::Manage(command) => {
                return self.row(Row { kind: "input", name: &command.to_string(), ..Row::default() });
            }
            Input::Register { agent } => ("register", agent, &none),
            Input::Unregister { agent } => ("unregister", agent, &none),
            Input::Associate { agent, entity } => ("associate", agent, entity),
            Input::FreePair { agent, entity } => ("freePair", agent, entity),
            Input::FreeEntity { entity } => ("freeEntity", &none, entity),
            Input::FreeAgent { agent } => ("freeAgent", agent, &none),
            Input::RequestEntity { agent, entity_type, .. } => {
                let entity = given.entity.as_ref().unwrap_or(&none);
                let row =
                    Row { kind: "input", agent, entity, name: "requestEntity", arguments: entity_type, value: "" };
                return self.row(row);
            }
            Input::ActByDefault { entity } => ("actByDefault", &none, entity),
            Input::Step => ("step", &none, &none),
            Input::Host(says) => match &**says {
                HostReport::Answer { number, .. } => {
                    let results = given.results.as_deref().unwrap_or_default();
                    return self.write_act("", "answer", &number.to_string(), results);
                }
                HostReport::Update(_) => ("update", &none, &none),
            },
        };
        self.row(Row { kind: "input", agent, entity, name, ..Row::default() })
    }

    fn write_act(&mut self, agent: &str, name: &str, arguments: &str, results: &[Acted]) -> Result<(), RecordingError> {
        for Acted { entity, found, error } in results {
            let (kind, value) = match error {
                Some(error) => ("failed", error.clone()),
                None => ("act", found.iter().flatten().map(Percept::to_string).collect::<Vec<_>>().join(",")),
            };
            self.row(Row { kind, agent, entity, name, arguments, value: &value })?;
        }
        if results.is_empty() {
            // The environment crashed on this input.
            self.row(Row { kind: "failed", agent, name, arguments, ..Row::default() })?;
        }
        Ok(())
    }

    fn write_percepts(&mut self, agent: &str, entity: &str, perception: &Perception) -> Result<(), RecordingError> {
        let whole = Row { agent, entity, ..Row::default() };
        if perception.resync {
            self.row(Row { kind: "resync", ..whole })?;
        }
        let Perception { delete, add, events, lost, .. } = perception;
        for (kind, percepts) in [("delete", delete), ("add", add), ("event", events)] {
            for percept in percepts {
                self.row(Row { kind, name: &percept.name, arguments: &listed(&percept.parameters), ..whole })?;
            }
        }
        if *lost > 0 {
            self.row(Row { kind: "lost", value: &lost.to_string(), ..whole })?;
        }
        Ok(())
    }

    fn write_measures(&mut self, kind: &'static str, measures: &[Measure]) -> Result<(), RecordingError> {
        for Measure { of, name, value } in measures {
            self.row(Row { kind, entity: of, name, value: &plain(value), ..Row::default() })?;
        }
        Ok(())
    }

    fn row(&mut self, row: Row<'_>) -> Result<(), RecordingError> {
        let [episode, step, time] = std::mem::take(&mut self.moment);
        let Row { kind, agent, entity, name, arguments, value } = row;
        let written = self.write([&*episode, &*step, &*time, kind, agent, entity, name, arguments, value]);
        self.moment = [episode, step, time];
        written
    }

    fn write(&mut self, row: [&str; CSV_COLUMNS.len()]) -> Result<(), RecordingError> {
        self.out.write_record(row).map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(error) => RecordingError::Export(error),
            other => RecordingError::Export(io::Error::other(format!("{other:?}"))),
        })
    }
}

/// Formats parameters in the interface intermediate language.
fn listed(parameters: &[Parameter]) -> String {
    parameters.iter().map(Parameter::to_string).collect::<Vec<_>>().join(",")
}

/// Formats a value for a table: identifiers without quotes.
fn plain(value: &Parameter) -> String {
    match value {
        Parameter::Identifier(name) => name.to_string(),
        other => other.to_string(),
    }
}
