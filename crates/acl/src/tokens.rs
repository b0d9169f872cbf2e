//! Tokens that are not used twice.

use crate::Expression;

/// Makes values for `reply-with` and `conversation-id`, each of which is new: `buyer-1`, `buyer-2`.
///
/// Nothing about them is random, so that a run can be had again. They are unique among all agents if the prefix is, and
/// if whoever goes on with it after a restart goes on with the count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokens {
    prefix: String,
    used: u64,
}

impl Tokens {
    /// With this prefix, of which `used` are used.
    pub fn new(prefix: impl Into<String>, used: u64) -> Self {
        Self { prefix: prefix.into(), used }
    }

    /// How many are used.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// A new one.
    pub fn fresh(&mut self) -> Expression<'static> {
        self.used += 1;
        format!("{}-{}", self.prefix, self.used).into()
    }
}
