//! Mailboxes.

mod failures;
mod simulation;
