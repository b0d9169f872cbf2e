//! `situated list`: a table of the environments.

use std::io::{self, Write};

use crate::environments::{self, Known};
use crate::table;

/// Prints the table.
pub(crate) fn list() -> anyhow::Result<()> {
    let heading = ["NAME", "ENTITIES", "SUMMARY"].map(str::to_owned);
    let rows = environments::all().into_iter().map(|known| row(&known));
    let rows: Vec<_> = [heading].into_iter().chain(rows).collect();
    io::stdout().write_all(table::render(&rows, 0, table::columns()).as_bytes())?;
    Ok(())
}

fn row(known: &Known) -> [String; 3] {
    let ontology = &known.ontology;
    let entity_types: Vec<&str> = ontology.entity_types.iter().map(|of| of.name.as_str()).collect();
    [ontology.name.clone(), entity_types.join(", "), ontology.summary().replace('\n', " ")]
}
