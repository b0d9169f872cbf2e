//! A run as lines of JSON, for other programs. [`SCHEMA`] describes them.
//!
//! Nothing in them depends on wall-clock time: the same arguments give the same bytes.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Stdout, Write};
use std::time::Instant;

use serde::Serialize;
use situated::environment::Outcome;
use situated::iil::{EcoString, Parameter};
use situated::ontology::Ontology;
use situated::random::GENERATOR;

use super::inhabited::Inhabited;
use super::step::Step;
use super::{Audience, pace};

/// What the lines are, for the help.
pub(super) const SCHEMA: &str = "\
Where the output is not a terminal, it has one JSON object a line; the same arguments give the same bytes:
  the run     {\"environment\", \"version\", \"seed\", \"generator\", \"parameters\": {NAME: VALUE},
               \"agents\": {ENTITY: PROGRAM}}
  each step   {\"step\", \"percepts\": {ENTITY: {\"add\", \"delete\", \"events\"}}, \"actions\": {ENTITY: ACTION}}
  the end     {\"steps\", \"outcome\": {\"ending\", \"results\": [{\"of\", \"name\", \"value\"}]},
               \"failures\": {ENTITY: COUNT}}
Percepts are what an agent was told before it decided: what to add to and delete from what it believes of the
entity, and the events since; \"resync\": true voids all that it believed, \"lost\" counts events that were not
kept. A step also has \"found\": {ENTITY: [PERCEPT]} for what actions found out and \"errors\": {ENTITY: TEXT} for
those that failed. Entities of which there is nothing to say are left out. Actions and percepts are
{\"name\": .., \"args\": [..]}; \"ending\" is \"terminated\", \"truncated\" or null.
With --quiet there is a single object, with the keys of the run and of the end.";

/// What the run is.
#[derive(Serialize)]
pub(super) struct Header<'a> {
    environment: &'a str,
    version: &'a str,
    seed: u64,
    generator: &'static str,
    parameters: BTreeMap<String, Parameter>,
    agents: BTreeMap<EcoString, String>,
}

/// How the run has ended.
#[derive(Serialize)]
struct End {
    steps: u64,
    outcome: Outcome,
    failures: BTreeMap<EcoString, u64>,
}

/// A run without its steps.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    header: Header<'a>,
    #[serde(flatten)]
    end: End,
}

/// An audience that is told each step as a line.
pub(super) struct Lines {
    out: BufWriter<Stdout>,
}

/// An audience that is told the run without its steps, on one line.
pub(super) struct Summary<'a> {
    pub(super) header: Header<'a>,
}

impl<'a> Header<'a> {
    pub(super) fn new(ontology: &'a Ontology, world: &Inhabited) -> Self {
        let program = world.program().to_string();
        Self {
            environment: &ontology.name,
            version: &ontology.version,
            seed: world.seed(),
            generator: GENERATOR,
            parameters: world.parameters(),
            agents: world.entities().map(|entity| (entity.clone(), program.clone())).collect(),
        }
    }
}

impl End {
    fn of(world: &Inhabited) -> Self {
        let failures = world.failures().iter();
        let failures = failures.map(|(entity, failures)| (entity.clone(), failures.count)).collect();
        Self { steps: world.steps(), outcome: world.outcome(), failures }
    }
}

impl Lines {
    /// Tells what the run is.
    pub(super) fn begin(header: &Header<'_>) -> io::Result<Self> {
        let mut out = BufWriter::new(io::stdout());
        write_line(&mut out, header)?;
        Ok(Self { out })
    }
}

impl Audience for Lines {
    fn tell(&mut self, _: &Inhabited, step: &Step) -> io::Result<()> {
        write_line(&mut self.out, step)
    }

    fn wait(&mut self, until: Instant) -> io::Result<bool> {
        if until > Instant::now() {
            self.out.flush()?;
        }
        pace::sleep_until(until);
        Ok(true)
    }

    fn end(mut self: Box<Self>, world: &Inhabited) -> io::Result<()> {
        write_line(&mut self.out, &End::of(world))?;
        self.out.flush()
    }
}

impl Audience for Summary<'_> {
    fn end(self: Box<Self>, world: &Inhabited) -> io::Result<()> {
        write_line(&mut io::stdout(), &Whole { header: self.header, end: End::of(world) })
    }
}

fn write_line(out: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}
