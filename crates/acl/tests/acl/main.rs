//! Tests of the public interface of the crate.

#[path = "../../../../fuzz/src/acl.rs"]
pub mod fuzz;

#[path = "../../../../fuzz/src/acl_encodings.rs"]
pub mod fuzz_encodings;

mod anything;
mod arrived;
mod auctions;
mod bit_efficient_cases;
mod building;
mod damaged_data;
mod document;
mod encodings;
mod envelope_cases;
mod growth;
mod jade;
mod jade_recorded;
mod leniency;
mod monitor;
mod protocol_tables;
mod random_messages;
mod responder;
mod string_cases;
mod traces;
mod xml_cases;
