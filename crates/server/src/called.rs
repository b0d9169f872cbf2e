//! How an environment is to be called.

use std::collections::BTreeMap;

use situated::iil::EcoString;
use situated_wire::Name;

/// How an environment is to be called.
pub(crate) enum Called {
    /// So, and not otherwise.
    So(EcoString),
    /// So, with a number if there is one of that name already.
    Like(EcoString),
}

impl Called {
    /// As somebody wants it, or else like its kind.
    pub(crate) fn new(wanted: Option<Name>, kind: &str) -> Self {
        wanted.map_or_else(|| Called::Like(kind.into()), |name| Called::So(name.0))
    }

    /// Its name among those that there are.
    pub(crate) fn among<T>(&self, others: &BTreeMap<EcoString, T>) -> EcoString {
        let name = match self {
            Called::So(name) => return name.clone(),
            Called::Like(name) => name,
        };
        let (mut numbered, mut number) = (name.clone(), 1);
        while others.contains_key(&numbered) {
            number += 1;
            numbered = format!("{name}-{number}").into();
        }
        numbered
    }
}
