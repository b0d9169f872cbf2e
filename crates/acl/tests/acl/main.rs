//! What users of the crate can rely on.

#[path = "../../../../fuzz/src/acl.rs"]
pub mod fuzz;

mod building;
mod document;
mod leniency;
mod random_messages;
mod string_cases;
mod string_properties;
