//! The parts of the data that are damaged.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The kind under which the rows of journals are counted. No kind of document has this name.
pub const JOURNAL: &str = "journal";

/// A damaged part of the data: changes that were written, and that the files no longer contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    /// A document differs from what was written.
    Document {
        /// Its kind.
        kind: String,
        /// Its key.
        key: String,
    },
    /// A journal differs from what was written.
    Journal {
        /// Its key.
        key: String,
        /// The fault.
        reason: String,
    },
    /// Documents or rows of journals are missing, and their keys are not known.
    Missing {
        /// The kind of document, or [`JOURNAL`].
        kind: String,
        /// The number that is missing.
        missing: u64,
        /// The number that was written.
        written: u64,
    },
    /// The database is in an earlier state: the last changes are missing.
    Earlier {
        /// The number of missing changes.
        changes: u64,
    },
    /// A file is damaged.
    File {
        /// Its name.
        name: &'static str,
        /// The fault.
        reason: String,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::Document { kind, key } => write!(f, "{kind} `{key}` differs from what was written"),
            Damage::Journal { key, reason } => write!(f, "{JOURNAL} `{key}`: {reason}"),
            Damage::Missing { kind, missing, written } => write!(f, "{missing} of {written} are missing: {kind}"),
            Damage::Earlier { changes: 1 } => f.write_str("the last change is missing"),
            Damage::Earlier { changes } => write!(f, "the last {changes} changes are missing"),
            Damage::File { name, reason } => write!(f, "{name} {reason}"),
        }
    }
}

/// Lists damaged parts in one line.
pub(crate) fn list(damages: &[Damage]) -> String {
    damages.iter().map(Damage::to_string).collect::<Vec<_>>().join("; ")
}

/// A record in a store that damaged parts were left out of it. It is there until it is [taken](crate::Contents::take)
/// and removed by those who know which of the other documents depend on the parts left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Whether all changes are there that concern none of these parts. Otherwise it is not known which are missing.
    pub is_rest_complete: bool,
}

/// The kind of the document with a [`LeftOut`].
pub const LEFT_OUT: &str = "left out";

/// The parts that were left out of a store.
#[derive(Debug)]
pub struct Discarded {
    /// The folder with a copy of the files from before.
    pub copy: PathBuf,
    /// The parts.
    pub damages: Vec<Damage>,
}
