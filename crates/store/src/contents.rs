//! The contents of a store when it is opened.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;

use crate::folder::Unreadable;

/// The contents of a store when it is opened.
#[derive(Debug, Default)]
pub struct Contents {
    /// The contents of documents, by kind and key.
    pub(crate) documents: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    pub(crate) journals: BTreeMap<String, Journaled>,
}

/// The contents of a journal.
#[derive(Debug, Default)]
pub struct Journaled {
    pub(crate) checkpoint: Vec<u8>,
    pub(crate) state: Option<Vec<u8>>,
    /// The records, one per line.
    pub(crate) records: Vec<u8>,
}

impl Contents {
    /// Takes the documents of a kind, in the order of their keys.
    ///
    /// # Errors
    /// Returns an error if a document cannot be read as a `T`.
    pub fn take<T: DeserializeOwned>(&mut self, kind: &'static str) -> Result<Vec<(String, T)>, Unreadable> {
        let mut documents = Vec::new();
        for (key, body) in self.documents.remove(kind).unwrap_or_default() {
            match read(&body) {
                Ok(document) => documents.push((key, document)),
                Err(error) => return Err(Unreadable { what: kind, key, reason: error.to_string() }),
            }
        }
        Ok(documents)
    }

    /// The keys of the journals.
    pub fn journals(&self) -> impl Iterator<Item = &str> {
        self.journals.keys().map(String::as_str)
    }

    /// Takes a journal.
    pub fn take_journal(&mut self, key: &str) -> Option<Journaled> {
        self.journals.remove(key)
    }
}

impl Journaled {
    pub(crate) fn begin(checkpoint: Vec<u8>, state: Option<Vec<u8>>) -> Self {
        Self { checkpoint, state, records: Vec::new() }
    }

    pub(crate) fn append(&mut self, records: &[u8]) {
        self.records.extend_from_slice(records);
    }

    /// The checkpoint.
    ///
    /// # Errors
    /// Returns an error if the checkpoint cannot be read as a `T`.
    pub fn checkpoint<T: DeserializeOwned>(&self, key: &str) -> Result<T, Unreadable> {
        read(&self.checkpoint).map_err(|error| unreadable(key, &error))
    }

    /// The state of the checkpoint.
    pub fn state(&self) -> Option<&[u8]> {
        self.state.as_deref()
    }

    /// Returns the records since the checkpoint, in order.
    ///
    /// # Errors
    /// Returns an error if a record cannot be read as a `T`.
    pub fn records<T: DeserializeOwned>(&self, key: &str) -> Result<Vec<T>, Unreadable> {
        let lines = self.records.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| read(line).map_err(|error| unreadable(key, &error))).collect()
    }
}

/// Returns the number of records in these lines.
pub(crate) fn count_records(records: &[u8]) -> u64 {
    records.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Reads JSON by way of a value, since a reader of text for each type takes long to compile.
fn read<T: DeserializeOwned>(json: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(json).and_then(serde_json::from_value)
}

fn unreadable(key: &str, error: &serde_json::Error) -> Unreadable {
    Unreadable { what: "journal", key: key.into(), reason: error.to_string() }
}
