//! Random numbers that are the same on every platform, in every build and forever: ChaCha with 8 rounds, and sampling
//! functions whose values are part of this crate's contract (tests compare them with fixed values).
//!
//! Libraries of distributions may change their values between releases; recorded episodes must not.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The generator's name, as recordings contain it.
pub const GENERATOR: &str = "chacha8";

/// A generator of random numbers: a seed, one of 2^64 streams of it, and a position in that stream.
#[derive(Debug)]
pub struct Random {
    seed: u64,
    /// In a box, since it has more than 300 bytes, and the steps of many environments do not use it.
    generator: Box<ChaCha8Rng>,
}

/// A serialised generator.
#[derive(Serialize, Deserialize)]
struct SavedRandom {
    seed: u64,
    stream: u64,
    /// In words of 32 bits from the beginning of the stream.
    position: u64,
}

impl Random {
    /// Creates a generator at the beginning of stream 0 of this seed.
    pub fn new(seed: u64) -> Self {
        Self::stream(seed, 0)
    }

    /// Creates a generator at the beginning of a stream of this seed. Streams of one seed are independent of each
    /// other.
    pub fn stream(seed: u64, stream: u64) -> Self {
        let mut key = [0; 32];
        let mut state = seed;
        for word in key.chunks_exact_mut(8) {
            word.copy_from_slice(&split_mix(&mut state).to_le_bytes());
        }
        let mut generator = ChaCha8Rng::from_seed(key);
        generator.set_stream(stream);
        Self { seed, generator: Box::new(generator) }
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// Returns an integer from 0 to `bound - 1`, each equally likely; 0 if `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        // Lemire's method: the high half of a product, rejecting the few values that would be favoured.
        let mut product = u128::from(self.bits()) * u128::from(bound);
        if (product as u64) < bound {
            let favoured = bound.wrapping_neg() % bound;
            while (product as u64) < favoured {
                product = u128::from(self.bits()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// Returns an index into a list of that length; 0 if it is empty.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// Returns a float in [0, 1), a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Returns true with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Returns one of the items, each equally likely; `None` for an empty list.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.index(items.len()))
    }

    /// Puts the items into a random order, each equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }
}

/// Returns the seed that follows a seed, for the next episode. It has 53 bits, so that every JSON number can
/// represent it.
pub fn next_seed(seed: u64) -> u64 {
    let mut state = seed;
    split_mix(&mut state) >> 11
}

/// One step of SplitMix64 (Steele, Lea, Flood 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl Clone for Random {
    fn clone(&self) -> Self {
        Self::from(SavedRandom::from(self))
    }
}

impl PartialEq for Random {
    fn eq(&self, other: &Self) -> bool {
        self.seed == other.seed && self.generator == other.generator
    }
}

impl From<&Random> for SavedRandom {
    fn from(random: &Random) -> Self {
        // 2^64 words are more than any episode draws.
        let position = random.generator.get_word_pos() as u64;
        SavedRandom { seed: random.seed, stream: random.generator.get_stream(), position }
    }
}

impl From<SavedRandom> for Random {
    fn from(place: SavedRandom) -> Self {
        let mut random = Random::stream(place.seed, place.stream);
        random.generator.set_word_pos(place.position.into());
        random
    }
}

impl Serialize for Random {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SavedRandom::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Random {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        SavedRandom::deserialize(deserializer).map(Random::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded episodes depend on these values.
    #[test]
    fn the_values_never_change() {
        let mut random = Random::new(42);
        let bits: [u64; 3] = std::array::from_fn(|_| random.bits());
        assert_eq!(bits, [3536907876931541756, 1681417456739323905, 17856965759995586207]);
        let dice: [u64; 8] = std::array::from_fn(|_| random.below(6));
        assert_eq!(dice, [4, 0, 1, 4, 4, 5, 0, 1]);
        assert_eq!([random.unit(), random.unit()], [0.6131862381199014, 0.887946975546688]);
        let mut cards = [0, 1, 2, 3, 4, 5, 6, 7];
        random.shuffle(&mut cards);
        assert_eq!(cards, [7, 5, 1, 0, 3, 2, 4, 6]);
        assert_eq!(Random::stream(42, 1).bits(), 14589515635352196654);
        assert_eq!(next_seed(42), 6679422623415661);
    }

    #[test]
    fn the_generator_is_chacha8() {
        // The key is the seed through SplitMix64; the rest is ChaCha with 8 rounds, block 0.
        let mut expected = ChaCha8Rng::from_seed({
            let mut state = 7;
            let words: [u64; 4] = std::array::from_fn(|_| split_mix(&mut state));
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            bytes.try_into().expect("32 bytes")
        });
        assert_eq!(Random::new(7).bits(), expected.next_u64());
    }

    #[test]
    fn a_serialized_generator_continues() {
        let mut random = Random::stream(3, 9);
        for _ in 0..37 {
            random.bits();
        }
        let bytes = postcard::to_allocvec(&random).expect("serialisable");
        let read: Random = postcard::from_bytes(&bytes).expect("its own bytes");
        assert_eq!(read, random);
        assert_eq!(read.clone().bits(), random.bits());
    }

    #[test]
    fn each_value_is_equally_likely() {
        let mut random = Random::new(1);
        for bound in [1u64, 2, 3, 6, 10] {
            let mut counts = vec![0u32; bound as usize];
            for _ in 0..10_000 * bound {
                counts[random.below(bound) as usize] += 1;
            }
            assert!(counts.iter().all(|count| count.abs_diff(10_000) < 500), "{counts:?}");
        }
    }

    #[test]
    fn empty_ranges_have_no_values() {
        let mut random = Random::new(1);
        assert_eq!(random.below(0), 0);
        assert_eq!(random.choose::<u8>(&[]), None);
        random.shuffle::<u8>(&mut []);
    }
}
