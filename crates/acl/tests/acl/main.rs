//! What users of the crate can rely on.

mod bit_efficient_cases;
mod building;
mod hexadecimal;
mod random_messages;
