//! What users of the crate can rely on.

#[path = "../../../../fuzz/src/acl.rs"]
pub mod fuzz;

mod allocations;
mod anything;
mod auctions;
mod building;
mod document;
mod leniency;
mod monitor;
mod protocol_tables;
mod random_messages;
mod responder;
mod string_cases;
mod string_properties;
mod traces;
