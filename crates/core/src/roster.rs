//! Collections with small numbers as keys. A number is never used twice, so an old one cannot come to mean something
//! else, and the order of numbers is the order of creation.

use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

/// Numbers per page. The memory of a page without items is freed.
const PAGE: usize = 64;

/// A number for an item of one kind.
pub(crate) trait Id: Copy + Debug + Ord + Hash {
    /// Creates the id with this number.
    fn new(number: u32) -> Self;

    /// Returns the number, which is the number of items created before it.
    fn index(self) -> usize;
}

macro_rules! id {
    ($(#[$documentation:meta])* $Name:ident) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $Name(u32);

        impl $Name {
            /// Returns the number, which is the number of items created before it in this episode or interface.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl Id for $Name {
            fn new(number: u32) -> Self {
                Self(number)
            }

            fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// An entity of an episode.
    EntityId
}
id! {
    /// An agent of an interface.
    AgentId
}

/// Items by number. All operations except iteration take constant time; iteration takes time for each item, and one
/// test for each freed page of 64 numbers.
#[derive(Clone, Debug)]
pub(crate) struct Roster<I, T> {
    pages: Vec<Page<T>>,
    next: u32,
    of: PhantomData<I>,
}

#[derive(Clone, Debug)]
struct Page<T> {
    /// As many as needed, since most rosters have few items.
    things: Vec<Option<T>>,
    count: usize,
}

impl EntityId {
    /// The smallest number.
    pub(crate) const FIRST: Self = Self(0);
    /// The largest number.
    pub(crate) const LAST: Self = Self(u32::MAX);
}

impl<I: Id, T> Roster<I, T> {
    pub(crate) fn new() -> Self {
        Self { pages: Vec::new(), next: 0, of: PhantomData }
    }

    /// Creates an empty roster whose next item gets this number.
    pub(crate) fn starting_at(next: I) -> Self {
        Self { next: next.index() as u32, ..Self::new() }
    }

    /// Returns the number that the next item gets.
    pub(crate) fn next_id(&self) -> I {
        I::new(self.next)
    }

    /// Adds an item under the next number, which is returned; `None` if all 2^32 numbers are used up.
    pub(crate) fn push(&mut self, thing: T) -> Option<I> {
        let id = self.next_id();
        self.next = self.next.checked_add(1)?;
        self.put(id, thing);
        Some(id)
    }

    /// Puts an item under its number, replacing the one that was there.
    pub(crate) fn put(&mut self, id: I, thing: T) {
        let (page, slot) = (id.index() / PAGE, id.index() % PAGE);
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, Page::default);
        }
        let page = &mut self.pages[page];
        if slot >= page.things.len() {
            page.things.resize_with(slot + 1, || None);
        }
        if page.things[slot].replace(thing).is_none() {
            page.count += 1;
        }
        self.next = self.next.max(id.index() as u32 + 1);
    }

    pub(crate) fn remove(&mut self, id: I) -> Option<T> {
        let page = self.pages.get_mut(id.index() / PAGE)?;
        let thing = page.things.get_mut(id.index() % PAGE)?.take()?;
        page.count -= 1;
        if page.count == 0 {
            *page = Page::default();
        }
        Some(thing)
    }

    pub(crate) fn get(&self, id: I) -> Option<&T> {
        self.pages.get(id.index() / PAGE)?.things.get(id.index() % PAGE)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.pages.get_mut(id.index() / PAGE)?.things.get_mut(id.index() % PAGE)?.as_mut()
    }

    /// Returns the items in order of creation.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.pages.iter().enumerate().flat_map(|(number, page)| {
            let slots = page.things.iter().enumerate();
            let id = move |slot| I::new((number * PAGE + slot) as u32);
            slots.filter_map(move |(slot, thing)| Some((id(slot), thing.as_ref()?))).take(page.count)
        })
    }
}

impl<T> Default for Page<T> {
    fn default() -> Self {
        Self { things: Vec::new(), count: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_never_used_twice() {
        let mut roster: Roster<EntityId, &str> = Roster::new();
        let ids: Vec<EntityId> = ["a", "b", "c"].into_iter().filter_map(|name| roster.push(name)).collect();
        assert_eq!(roster.remove(ids[1]), Some("b"));
        assert_eq!(roster.remove(ids[1]), None);
        let next = roster.push("d").expect("there are numbers left");
        assert!(!ids.contains(&next));
        assert_eq!(roster.iter().map(|(_, name)| *name).collect::<Vec<_>>(), ["a", "c", "d"]);
        assert_eq!(roster.get(ids[1]), None);
    }

    #[test]
    fn frees_empty_pages() {
        let mut roster: Roster<EntityId, u32> = Roster::new();
        let ids: Vec<EntityId> = (0..1_000).filter_map(|number| roster.push(number)).collect();
        for id in &ids[..999] {
            roster.remove(*id);
        }
        assert_eq!(roster.pages.iter().filter(|page| page.things.capacity() > 0).count(), 1);
        assert_eq!(roster.iter().collect::<Vec<_>>(), [(ids[999], &999)]);
    }
}
