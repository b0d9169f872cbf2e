//! Names that come from outside: how long they may be.

/// How many bytes the name of an agent can have, that of a body which is asked for, and every name that a host says.
pub const NAME_LENGTH: usize = 256;

/// Why nothing is called so.
pub(crate) fn fault_of_name(name: &str) -> Option<&'static str> {
    match name.len() {
        0 => Some("a name has at least one letter"),
        1..=NAME_LENGTH => None,
        _ => Some("a name has 256 bytes at the most"),
    }
}
