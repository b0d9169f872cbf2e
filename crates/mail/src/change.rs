//! Changes of mailboxes that must be written, so that they survive the process.

use std::collections::BTreeSet;
use std::sync::Arc;

use ecow::EcoString;

use crate::mailbox::Letter;

/// A change of the mailboxes. The changes of each call are written together, in the order of the calls.
/// [`Mail::restore`](crate::Mail::restore) continues after the last call that was written: no accepted message is lost, and
/// none is accepted twice.
#[derive(Clone, Debug)]
pub enum Change {
    /// A message was accepted. It is written under its number.
    Accepted(Arc<Letter>),
    /// All receivers of the message with this number have acknowledged it.
    Done(u64),
    /// A mailbox was opened or has changed.
    Mailbox(EcoString, KeptMailbox),
    /// A mailbox was closed. The number of the last message of all agents is written with it, since its messages may have
    /// been the only ones with the highest numbers.
    Closed(EcoString, u64),
}

/// The part of a mailbox that is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptMailbox {
    /// The number of the last message of all agents when it was opened. Earlier messages concern earlier agents of this
    /// name.
    pub opened: u64,
    /// The number up to which its agent has acknowledged messages.
    pub acknowledged: u64,
    /// The last sending number of its agent.
    pub sent: u64,
    /// Earlier sending numbers of refused messages, which its agent may send again.
    pub refused: BTreeSet<u64>,
}
