//! The room in the directory, and the shares of those who use it.

use std::collections::HashMap;

use ecow::EcoString;

/// The memory of a directory in bytes. An account can use at most as much as it leaves free.
#[derive(Debug)]
pub(crate) struct Room {
    limit: usize,
    used: usize,
    /// Without those that use nothing.
    of: HashMap<EcoString, usize>,
}

/// The room that something takes in the directory, and the account for which it counts.
#[derive(Debug)]
pub(crate) struct Taken {
    account: EcoString,
    bytes: usize,
}

impl Room {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, used: 0, of: HashMap::new() }
    }

    /// The number of bytes that are taken.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// Whether an account may take this number of bytes, after it has given up some others.
    pub(crate) fn allows(&self, account: &str, bytes: usize, given_up: Option<&Taken>) -> bool {
        let given_up = given_up.map_or(0, |taken| taken.bytes);
        let own = self.of.get(account).copied().unwrap_or_default();
        // An entry that was restored counts for another account.
        let own = own.saturating_sub(given_up) + bytes;
        own + self.used - given_up + bytes <= self.limit
    }

    /// Takes room for an account, whether or not that is allowed.
    pub(crate) fn take(&mut self, account: &str, bytes: usize) -> Taken {
        self.used += bytes;
        *self.of.entry(account.into()).or_default() += bytes;
        Taken { account: account.into(), bytes }
    }

    pub(crate) fn give_back(&mut self, Taken { account, bytes }: &Taken) {
        self.used -= bytes;
        if let Some(own) = self.of.get_mut(account) {
            *own -= bytes;
            if *own == 0 {
                self.of.remove(account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_gets_as_much_as_it_leaves_free() {
        let mut room = Room::new(100);
        assert!(room.allows("ada", 50, None) && !room.allows("ada", 51, None));
        let large = room.take("ada", 50);
        assert!(!room.allows("ada", 1, None) && room.allows("ada", 50, Some(&large)));
        assert!(room.allows("bob", 25, None) && !room.allows("bob", 26, None));
        let small = room.take("bob", 25);
        room.give_back(&large);
        room.give_back(&small);
        assert_eq!((room.used, room.of.len()), (0, 0));
    }
}
