//! A run as lines of JSON, for other programs. [`SCHEMA`] describes them.
//!
//! The lines do not depend on wall-clock time: the same arguments give the same bytes.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Stdout, Write};
use std::time::Duration;

use serde::Serialize;
use situated::environment::Outcome;
use situated::iil::EcoString;
use situated::ontology::Ontology;
use situated::random::GENERATOR;

use super::audience::{Audience, Interrupt, sleep};
use super::stage::Stage;
use super::step::Step;
use crate::parameters::without_documents;
use crate::repeat::Subject;

/// Describes the lines, for the help.
pub(super) const SCHEMA: &str = "\
If the output is not a terminal, it has one JSON object per line; the same arguments give the same bytes:
  the run     {\"environment\", \"version\", \"generator\", \"parameters\": {NAME: VALUE}, \"pace\",
               \"agents\": {ENTITY: PROGRAM}, \"seed\"}
  each step   {\"step\", \"percepts\": {ENTITY: {\"add\", \"delete\", \"events\"}}, \"actions\": {ENTITY: ACTION}}
  the end     {\"steps\", \"outcome\": {\"ending\", \"results\": [{\"of\", \"name\", \"value\"}]},
               \"failures\": {ENTITY: COUNT}}
\"percepts\" are those that an agent got before it decided: what to add to and delete from its beliefs about the
entity, and the events since the last step. \"resync\": true deletes all earlier beliefs; \"lost\" counts events that
were dropped. A step also has \"found\": {ENTITY: [PERCEPT]} with the results of actions, \"errors\": {ENTITY: TEXT} for
actions that failed, and \"announcements\": [{\"name\", \"text\"}] for observers. Entities without anything to report
are left out. Actions and percepts are {\"name\": .., \"args\": [..]}; \"ending\" is \"terminated\", \"truncated\" or
null. With --quiet there is a single object, with the keys of the run and of the end. In place of a document, such as
the text of a map, \"parameters\" have its length and its hash.";

/// Description of the run.
#[derive(Serialize)]
pub(super) struct Header {
    #[serde(flatten)]
    pub(super) subject: Subject,
    seed: u64,
}

/// End of the run.
#[derive(Serialize)]
struct End {
    steps: u64,
    outcome: Outcome,
    failures: BTreeMap<EcoString, u64>,
}

/// A run without its steps.
#[derive(Serialize)]
struct Whole {
    #[serde(flatten)]
    header: Header,
    #[serde(flatten)]
    end: End,
}

/// An audience that gets each step as a line.
pub(super) struct Lines {
    out: BufWriter<Stdout>,
}

/// An audience that gets the run without its steps, on one line.
pub(super) struct Summary {
    pub(super) header: Header,
}

impl Header {
    pub(super) fn of(stage: &mut Stage) -> Self {
        let parameters = stage.read(|interface| interface.parameters()).unwrap_or_default();
        let Ontology { name, version, .. } = stage.ontology();
        let subject = Subject {
            environment: name.clone(),
            version: version.clone(),
            generator: GENERATOR.into(),
            parameters: without_documents(parameters, stage.ontology()),
            pace: stage.status().pace,
            agents: stage.members().into_iter().collect(),
        };
        Self { subject, seed: stage.seed() }
    }
}

impl End {
    fn of(stage: &mut Stage) -> Self {
        let failures = stage.failures().into_iter().map(|(entity, failures)| (entity, failures.count)).collect();
        Self { steps: stage.status().moment.step, outcome: stage.outcome(), failures }
    }
}

impl Lines {
    /// Prints the description of the run.
    pub(super) fn begin(header: &Header) -> io::Result<Self> {
        let mut out = BufWriter::new(io::stdout());
        write_line(&mut out, header)?;
        Ok(Self { out })
    }
}

impl Audience for Lines {
    fn tell(&mut self, _: &mut Stage, step: Step) -> io::Result<()> {
        write_line(&mut self.out, &step)
    }

    fn wait(&mut self, _: &mut Stage, rest: Option<Duration>, interrupt: &Interrupt) -> anyhow::Result<bool> {
        if rest != Some(Duration::ZERO) {
            self.out.flush()?;
            sleep(rest, interrupt);
        }
        Ok(true)
    }

    fn end(mut self: Box<Self>, stage: &mut Stage) -> io::Result<()> {
        write_line(&mut self.out, &End::of(stage))?;
        self.out.flush()
    }
}

impl Audience for Summary {
    fn end(self: Box<Self>, stage: &mut Stage) -> io::Result<()> {
        write_line(&mut io::stdout(), &Whole { header: self.header, end: End::of(stage) })
    }
}

fn write_line(out: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}
