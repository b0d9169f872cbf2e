//! Repairs of data that deviate from the standard.

/// A value, and the repairs that were needed to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired<T, Kind> {
    /// The message.
    pub message: T,
    /// The repairs, in the order of the data; empty if the data conform to the standard.
    pub repairs: Vec<Repair<Kind>>,
}

/// A repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Repair<Kind> {
    /// Offset of the byte, from 0.
    pub at: usize,
    /// The problem.
    pub kind: Kind,
}

impl<T, Kind> Repaired<T, Kind> {
    /// Renames the kinds.
    pub(crate) fn map<Other>(self, name: fn(Kind) -> Other) -> Repaired<T, Other> {
        let repairs = self.repairs.into_iter().map(|Repair { at, kind }| Repair { at, kind: name(kind) });
        Repaired { message: self.message, repairs: repairs.collect() }
    }
}
