//! What was understood although it did not keep to the standard.

/// A value, and what had to be mended to understand it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired<T, Kind> {
    /// What was understood.
    pub message: T,
    /// What was mended, in the order of the data; nothing if they keep to the standard.
    pub repairs: Vec<Repair<Kind>>,
}

/// Something that was mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Repair<Kind> {
    /// Offset of the byte, from 0.
    pub at: usize,
    /// What was wrong there.
    pub kind: Kind,
}

impl<T, Kind> Repaired<T, Kind> {
    /// The same, with other names for the kinds.
    pub(crate) fn map<Other>(self, name: fn(Kind) -> Other) -> Repaired<T, Other> {
        let repairs = self.repairs.into_iter().map(|Repair { at, kind }| Repair { at, kind: name(kind) });
        Repaired { message: self.message, repairs: repairs.collect() }
    }
}
