//! Algorithms of the Java library that determine the original's maps: its random numbers, and the order of its hash
//! maps.

/// The generator of `java.util.Random`: linear congruential, with 48 bits.
pub(super) struct Generator {
    state: u64,
}

impl Generator {
    const MASK: u64 = (1 << 48) - 1;
    const FACTOR: u64 = 0x5_DEEC_E66D;

    /// Creates the generator for a seed.
    pub(super) fn new(seed: i64) -> Self {
        Self { state: (seed as u64 ^ Self::FACTOR) & Self::MASK }
    }

    /// Returns an integer from 0 to `bound - 1`, where `bound` is from 1 to 2^31 - 1.
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        if bound.is_power_of_two() {
            return ((u64::from(bound) * u64::from(self.bits(31))) >> 31) as u32;
        }
        loop {
            let bits = self.bits(31);
            let value = bits % bound;
            // The last 31-bit numbers would favour small values. In Java they are those where this overflows.
            if bits - value + (bound - 1) < 1 << 31 {
                return value;
            }
        }
    }

    /// Returns a float in [0, 1), a multiple of 2^-53.
    pub(super) fn unit(&mut self) -> f64 {
        let (high, low) = (u64::from(self.bits(26)), u64::from(self.bits(27)));
        ((high << 27) + low) as f64 / (1_u64 << 53) as f64
    }

    /// Returns this number of random bits, at most 32.
    fn bits(&mut self, count: u32) -> u32 {
        self.state = (self.state.wrapping_mul(Self::FACTOR) + 0xB) & Self::MASK;
        (self.state >> (48 - count)) as u32
    }
}

/// Returns the iteration order of a `java.util.HashMap` with keys that were inserted in the given order, as their
/// indices.
///
/// It is correct unless nine keys fall into one bucket of a table of 64 or more, where Java would use a tree.
pub(super) fn hash_order<'a>(keys: impl IntoIterator<Item = &'a str>) -> Vec<usize> {
    let hashes: Vec<usize> = keys.into_iter().map(|key| spread(hash(key)) as usize).collect();
    let buckets = buckets(&hashes);
    let mut order: Vec<usize> = (0..hashes.len()).collect();
    // A table that grows keeps the order within its buckets, like a stable sort.
    order.sort_by_key(|&key| hashes[key] % buckets);
    order
}

/// Returns the number of buckets of a table after keys with these hashes were inserted: 16, doubled whenever more
/// than three quarters are used and, below 64, whenever a ninth key enters a bucket.
fn buckets(hashes: &[usize]) -> usize {
    let mut buckets = 16;
    for (taken, hash) in hashes.iter().enumerate() {
        if buckets < 64 && hashes[..taken].iter().filter(|other| (*other ^ hash) % buckets == 0).count() >= 8 {
            buckets *= 2;
        }
        if (taken + 1) * 4 > buckets * 3 {
            buckets *= 2;
        }
    }
    buckets
}

/// `String.hashCode`.
fn hash(text: &str) -> u32 {
    text.encode_utf16().fold(0, |hash: u32, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)))
}

/// Spreads a hash as `HashMap` does, so that its high bits matter in small tables.
fn spread(hash: u32) -> u32 {
    hash ^ (hash >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of OpenJDK 17.
    #[test]
    fn draws_the_same_numbers_as_java() {
        let mut generator = Generator::new(1);
        let units: [f64; 3] = std::array::from_fn(|_| generator.unit());
        assert_eq!(units, [0.7308781907032909, 0.41008081149220166, 0.20771484130971707]);

        let mut generator = Generator::new(42);
        let sixteens: [u32; 6] = std::array::from_fn(|_| generator.below(16));
        assert_eq!(sixteens, [11, 0, 10, 0, 4, 15]);

        // Half of the numbers are rejected if the bound is slightly more than 2^30.
        let mut generator = Generator::new(-7);
        let bounds = [9, 1_000_000_007, 2_147_483_647, 1 << 30, (1 << 30) + 1, (1 << 30) + 1, (1 << 30) + 1];
        let drawn = bounds.map(|bound| generator.below(bound));
        assert_eq!(drawn, [4, 935951290, 1445645590, 1015593853, 314447087, 677675436, 184135245]);
        assert_eq!(generator.below((1 << 30) + 1), 425474944);
        assert_eq!(generator.unit(), 0.4602396713174489);
    }

    #[test]
    fn computes_the_same_hashes_as_java() {
        assert_eq!(hash(""), 0);
        assert_eq!(hash("DropZone") as i32, -367715493);
        // A character outside the basic plane counts as two.
        assert_eq!(hash("\u{1F600}"), 1772899);
    }

    #[test]
    fn orders_standard_rooms_like_the_original() {
        let rooms = ["A1", "A2", "A3", "B1", "B2", "B3", "C1", "C2", "C3"];
        let order = hash_order(rooms.map(|room| format!("Room{room}")).iter().map(String::as_str));
        let order: Vec<&str> = order.into_iter().map(|room| rooms[room]).collect();
        assert_eq!(order, ["A3", "A2", "B3", "C1", "A1", "B2", "C3", "B1", "C2"]);
    }

    /// Five rows of six rooms, in the order of OpenJDK 17.
    #[test]
    fn orders_more_rooms_like_a_larger_table() {
        let names: Vec<String> = ["A", "B", "C", "D", "E"]
            .iter()
            .flat_map(|row| (1..=6).map(move |room| format!("Room{row}{room}")))
            .collect();
        let order = [
            9, 23, 8, 22, 11, 10, 19, 18, 7, 21, 6, 20, 5, 2, 16, 1, 15, 29, 4, 3, 17, 12, 26, 25, 0, 14, 28, 13, 27,
            24,
        ];
        assert_eq!(hash_order(names.iter().map(String::as_str)), order);
    }

    #[test]
    fn a_table_grows_at_the_thirteenth_key() {
        // Each letter is its own hash: `P` is 80 and `@` is 64, which share a bucket of 16 but not of 32.
        let twelve = ["P", "@", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J"];
        assert_eq!(hash_order(twelve), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        assert_eq!(hash_order(twelve.into_iter().chain(["K"])), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0]);
    }

    #[test]
    fn a_small_table_grows_at_the_ninth_key_of_a_bucket() {
        let same = |key: usize| (0..4).map(|bit| if key >> bit & 1 == 0 { "Aa" } else { "BB" }).collect::<String>();
        let hashes = |keys| -> Vec<usize> { (0..keys).map(|key| spread(hash(&same(key))) as usize).collect() };
        assert_eq!([8, 9, 10, 11].map(|keys| buckets(&hashes(keys))), [16, 32, 64, 64]);
    }
}
