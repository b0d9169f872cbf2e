//! The contents of a store when it is opened.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;

use crate::error::Damaged;

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
    checkpoint: Vec<u8>,
    state: Option<Vec<u8>>,
    /// The records, one per line.
    records: Vec<u8>,
}

impl Contents {
    /// Takes the documents of a kind, by key.
    ///
    /// # Errors
    /// Returns an error if a document cannot be read as a `T`.
    pub fn take<T: DeserializeOwned>(&mut self, kind: &'static str) -> Result<BTreeMap<String, T>, Damaged> {
        let read = |(key, body): (String, Vec<u8>)| match serde_json::from_slice(&body) {
            Ok(document) => Ok((key, document)),
            Err(error) => Err(Damaged { what: kind, key, reason: error.to_string() }),
        };
        self.documents.remove(kind).into_iter().flatten().map(read).collect()
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
    pub fn checkpoint<T: DeserializeOwned>(&self, key: &str) -> Result<T, Damaged> {
        serde_json::from_slice(&self.checkpoint).map_err(|error| damaged(key, &error))
    }

    /// The state of the checkpoint.
    pub fn state(&self) -> Option<&[u8]> {
        self.state.as_deref()
    }

    /// Returns the records since the checkpoint, in order.
    ///
    /// # Errors
    /// Returns an error if a record cannot be read as a `T`.
    pub fn records<T: DeserializeOwned>(&self, key: &str) -> Result<Vec<T>, Damaged> {
        let lines = self.records.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_slice(line).map_err(|error| damaged(key, &error))).collect()
    }
}

fn damaged(key: &str, error: &serde_json::Error) -> Damaged {
    Damaged { what: "journal", key: key.into(), reason: error.to_string() }
}
