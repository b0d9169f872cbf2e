//! What users of the crate can rely on.

mod building;
mod random_messages;
