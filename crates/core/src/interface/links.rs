//! One side of the relation between agents and entities. Most have exactly one partner, which is stored without an
//! allocation; any number is possible, in order of creation.

use std::collections::BTreeMap;

/// Partners by number, with a value for each.
#[derive(Debug)]
pub(crate) enum Links<K, V> {
    None,
    One(K, V),
    Many(BTreeMap<K, V>),
}

impl<K: Ord + Copy, V> Links<K, V> {
    pub(crate) fn get(&self, key: K) -> Option<&V> {
        match self {
            Links::One(only, value) if *only == key => Some(value),
            Links::Many(all) => all.get(&key),
            _ => None,
        }
    }

    pub(crate) fn get_mut(&mut self, key: K) -> Option<&mut V> {
        match self {
            Links::One(only, value) if *only == key => Some(value),
            Links::Many(all) => all.get_mut(&key),
            _ => None,
        }
    }

    pub(crate) fn contains(&self, key: K) -> bool {
        match self {
            Links::None => false,
            Links::One(only, _) => *only == key,
            Links::Many(all) => all.contains_key(&key),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Links::None)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        *self = match std::mem::replace(self, Links::None) {
            Links::None => Links::One(key, value),
            Links::One(only, _) if only == key => Links::One(key, value),
            Links::One(only, old) => Links::Many(BTreeMap::from([(only, old), (key, value)])),
            Links::Many(mut all) => {
                all.insert(key, value);
                Links::Many(all)
            }
        };
    }

    pub(crate) fn remove(&mut self, key: K) -> Option<V> {
        match self {
            Links::One(only, _) if *only == key => match std::mem::replace(self, Links::None) {
                Links::One(_, value) => Some(value),
                _ => None,
            },
            Links::Many(all) => {
                let value = all.remove(&key);
                if all.is_empty() {
                    *self = Links::None;
                }
                value
            }
            _ => None,
        }
    }

    /// Returns the partners, in order of creation.
    pub(crate) fn keys(&self) -> impl Iterator<Item = K> {
        let (one, many) = match self {
            Links::None => (None, None),
            Links::One(only, _) => (Some(*only), None),
            Links::Many(all) => (None, Some(all.keys().copied())),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }
}
