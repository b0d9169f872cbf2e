//! The number of messages that an agent may send at present.

/// The number of messages that an agent may send at present. It grows with time, up to the messages of one second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    /// In thousandths of a message.
    left: u64,
    /// The time at which it was computed, in milliseconds.
    at: u64,
}

impl Allowance {
    /// Creates the allowance of an agent that has sent nothing.
    pub(crate) fn new(rate: u32, now: u64) -> Self {
        Self { left: u64::from(rate) * 1000, at: now }
    }

    /// Takes a number of messages from the allowance, if it is large enough.
    pub(crate) fn take(&mut self, messages: usize, rate: u32, now: u64) -> bool {
        let (rate, cost) = (u64::from(rate), messages as u64 * 1000);
        let grown = now.saturating_sub(self.at).saturating_mul(rate);
        // More receivers than one second allows are taken from a full allowance.
        let full = (rate * 1000).max(cost);
        self.left = self.left.saturating_add(grown).min(full);
        self.at = now;
        let suffices = self.left >= cost;
        if suffices {
            self.left -= cost;
        }
        suffices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allows_a_number_of_messages_per_second() {
        let mut allowance = Allowance::new(10, 0);
        assert!((0..10).all(|_| allowance.take(1, 10, 0)));
        assert!(!allowance.take(1, 10, 99));
        assert!(allowance.take(1, 10, 100));
        assert!(!allowance.take(1, 10, 100));
        assert!(allowance.take(10, 10, 60_000));
        assert!(!allowance.take(1, 10, 60_000));
    }
}
