//! Wrong tokens, by the address from which they came. Each wrong token delays the response to the next one from the
//! same address, up to a limit. Valid tokens are never delayed.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::admission::network;

/// The delay of the first wrong token. Each further one doubles it.
const FIRST: Duration = Duration::from_millis(50);

/// The longest delay.
const LONGEST: Duration = Duration::from_secs(10);

/// The time after the last wrong token in which an address is remembered.
const REMEMBERED: Duration = Duration::from_secs(600);

/// The maximum number of addresses that are remembered.
const ADDRESSES: usize = 4096;

/// Wrong tokens, by the address from which they came.
#[derive(Default)]
pub(crate) struct Guesses(Mutex<HashMap<IpAddr, Guessed>>);

/// The wrong tokens of one address.
struct Guessed {
    count: u32,
    last: Instant,
}

impl Guesses {
    /// Notes a wrong token from a peer, and returns the delay of the response.
    pub(crate) fn note(&self, peer: IpAddr, now: Instant) -> Duration {
        let mut guesses = self.0.lock();
        let address = network(peer);
        guesses.retain(|_, guessed| now.saturating_duration_since(guessed.last) < REMEMBERED);
        if guesses.len() >= ADDRESSES
            && !guesses.contains_key(&address)
            && let Some(oldest) = guesses.iter().min_by_key(|(_, guessed)| guessed.last).map(|(address, _)| *address)
        {
            guesses.remove(&oldest);
        }
        let guessed = guesses.entry(address).or_insert(Guessed { count: 0, last: now });
        let delay = FIRST.saturating_mul(1 << guessed.count.min(16)).min(LONGEST);
        (guessed.count, guessed.last) = (guessed.count.saturating_add(1), now);
        delay
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(number: u32) -> IpAddr {
        IpAddr::V4(number.into())
    }

    #[test]
    fn delays_grow_for_each_address_up_to_a_limit() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        let delays: Vec<u128> = (0..10).map(|_| guesses.note(address(1), now).as_millis()).collect();
        assert_eq!(delays, [50, 100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
        assert_eq!(guesses.note(address(2), now), FIRST);
    }

    #[test]
    fn forgets_wrong_tokens_after_a_while() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        guesses.note(address(1), now);
        assert_eq!(guesses.note(address(1), now + REMEMBERED / 2), 2 * FIRST);
        assert_eq!(guesses.note(address(1), now + REMEMBERED), 4 * FIRST);
        assert_eq!(guesses.note(address(1), now + 2 * REMEMBERED), FIRST);
    }

    #[test]
    fn limits_the_number_of_addresses_and_forgets_the_oldest() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        for number in 0..=4096 {
            guesses.note(address(number), now + Duration::from_millis(number.into()));
        }
        let later = now + Duration::from_secs(10);
        assert_eq!(guesses.0.lock().len(), ADDRESSES);
        assert_eq!(guesses.note(address(4096), later), 2 * FIRST);
        assert_eq!(guesses.note(address(0), later), FIRST);
    }
}
