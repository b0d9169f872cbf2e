//! Damaged documents, for the tests that try the properties on a fixed set of cases.

use std::panic::catch_unwind;

/// Checks a property of these documents and of damaged ones; panics with the seed of the first document without the
/// property.
pub fn try_damaged(documents: &[impl AsRef<[u8]>], cases: u64, property: fn(&[u8])) {
    for document in documents {
        property(document.as_ref());
    }
    for seed in 1..=cases {
        let data = Damage { state: seed }.damaged(documents);
        if catch_unwind(|| property(&data)).is_err() {
            panic!("seed {seed}: {:?}", String::from_utf8_lossy(&data));
        }
    }
}

/// A generator of damage: xorshift64*. The same seed gives the same damage on every platform.
struct Damage {
    state: u64,
}

impl Damage {
    fn damaged(&mut self, documents: &[impl AsRef<[u8]>]) -> Vec<u8> {
        let mut data = documents[self.below(documents.len())].as_ref().to_vec();
        for _ in 0..=self.below(4) {
            self.damage(&mut data, documents);
        }
        data
    }

    fn damage(&mut self, data: &mut Vec<u8>, documents: &[impl AsRef<[u8]>]) {
        let at = self.below(data.len() + 1);
        let end = (at + 1 + self.below(8)).min(data.len());
        match self.below(5) {
            0 if at < data.len() => data[at] ^= 1 << self.below(8),
            1 if at < data.len() => data[at] = self.below(128) as u8,
            2 => drop(data.drain(at..end)),
            3 => data.extend_from_within(at..end),
            _ => {
                let other = documents[self.below(documents.len())].as_ref();
                let from = self.below(other.len());
                let length = self.below(other.len() - from + 1);
                data.splice(at..end, other[from..from + length].iter().copied());
            }
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }
}
