//! What users of the crate can rely on.

mod building;
mod monitor;
mod protocol_tables;
mod random_messages;
mod traces;
