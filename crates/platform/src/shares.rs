//! The shares of those who use something limited: an account can use at most as much as it leaves free.

use std::collections::HashMap;

use ecow::EcoString;

/// A number of things, and their size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    pub(crate) things: usize,
    pub(crate) bytes: usize,
}

/// The things that are kept in one place, in total and for each account. All agents of one owner have the same account.
#[derive(Debug, Default)]
pub(crate) struct Shares {
    pub(crate) all: Amount,
    /// Without the accounts that use nothing.
    of: HashMap<EcoString, Amount>,
}

impl Shares {
    /// The things of an account.
    pub(crate) fn of(&self, account: &str) -> Amount {
        self.of.get(account).copied().unwrap_or_default()
    }

    /// Whether an account can use this much more, if all accounts together can use at most `limit`.
    pub(crate) fn allow(&self, account: &str, more: Amount, limit: Amount) -> bool {
        let (all, own) = (self.all, self.of(account));
        own.things + all.things + 2 * more.things <= limit.things
            && own.bytes + all.bytes + 2 * more.bytes <= limit.bytes
    }

    /// Counts a thing for an account, whether or not that is allowed.
    pub(crate) fn add(&mut self, account: &EcoString, bytes: usize) {
        let own = self.of.entry(account.clone()).or_default();
        for amount in [&mut self.all, own] {
            amount.things += 1;
            amount.bytes += bytes;
        }
    }

    /// No longer counts a thing that was added.
    pub(crate) fn remove(&mut self, account: &EcoString, bytes: usize) {
        let Some(own) = self.of.get_mut(account) else { return };
        for amount in [&mut self.all, &mut *own] {
            amount.things -= 1;
            amount.bytes -= bytes;
        }
        if own.things == 0 {
            self.of.remove(account);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_gets_as_much_as_it_leaves_free() {
        let mut shares = Shares::default();
        let allows = |shares: &Shares, account: &str, bytes| {
            shares.allow(account, Amount { things: 1, bytes }, Amount { things: 4, bytes: 100 })
        };
        assert!(allows(&shares, "ada", 50) && !allows(&shares, "ada", 51));
        shares.add(&"ada".into(), 50);
        assert!(!allows(&shares, "ada", 1));
        assert!(allows(&shares, "bob", 25) && !allows(&shares, "bob", 26));
        shares.add(&"bob".into(), 25);
        shares.remove(&"ada".into(), 50);
        assert_eq!(shares.of("ada"), Amount::default());
        assert!(!allows(&shares, "bob", 26) && allows(&shares, "bob", 25));
        shares.add(&"bob".into(), 0);
        assert!(!allows(&shares, "bob", 0), "it has two of four things");
        shares.remove(&"bob".into(), 25);
        shares.remove(&"bob".into(), 0);
        assert_eq!((shares.all, shares.of.len()), (Amount::default(), 0));
    }
}
