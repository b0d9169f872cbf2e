//! The constraints of a search (SC00023, section 6.1.6).

use situated_acl::Expression;

use super::reading::{arguments, slot, word};
use super::reason::Reason;

/// Maximum number of results.
const RESULTS: usize = 1000;

/// Maximum size of the results in bytes.
pub(crate) const RESULT_BYTES: usize = 64 << 10;

/// Maximum number of directories one after another in which a search goes on.
const DEPTH: u32 = 8;

/// Maximum size of the identifier of a search in bytes. The directory remembers those of the last searches.
const ID_BYTES: usize = 256;

/// The constraints of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Constraints {
    /// Maximum number of results.
    pub(crate) results: usize,
    /// The number of directories one after another in which the search goes on, after this one.
    pub(crate) depth: u32,
    /// What distinguishes the search from all others.
    pub(crate) id: Option<String>,
}

impl Constraints {
    /// All results, in directories up to this depth.
    pub(crate) fn all(depth: u32) -> Self {
        Self { results: RESULTS, depth: depth.min(DEPTH), id: None }
    }

    /// Reads the constraints of a search. Without any, a search has one result, from this directory. Negative numbers
    /// mean as many as there are.
    pub(crate) fn read(value: Option<&Expression<'static>>) -> Result<Self, Reason> {
        let given = value.and_then(|value| arguments(value, "search-constraints")).unwrap_or_default();
        let id = slot(given, "search-id").and_then(Expression::as_text);
        if id.is_some_and(|id| id.len() > ID_BYTES) {
            return Err(Reason::unrecognised_parameter_value("search-constraints", "search-id"));
        }
        Ok(Self {
            results: number(given, "max-results", RESULTS, 1)?,
            depth: number(given, "max-depth", DEPTH, 0)?,
            id: id.map(str::to_owned),
        })
    }
}

/// Reads a number that is at most `most`. A negative one means `most`.
fn number<T: Copy + Ord + TryFrom<i64>>(
    given: &[Expression<'static>],
    name: &'static str,
    most: T,
    otherwise: T,
) -> Result<T, Reason> {
    let Some(value) = slot(given, name) else { return Ok(otherwise) };
    match value.as_text().map(str::parse::<i64>) {
        Some(Ok(number)) => Ok(T::try_from(number).map_or(most, |number| number.min(most))),
        _ => Err(Reason::unrecognised_parameter_value("search-constraints", name)),
    }
}

impl From<&Constraints> for Expression<'static> {
    fn from(Constraints { results, depth, id }: &Constraints) -> Self {
        let results = if *results == RESULTS { -1 } else { i64::try_from(*results).unwrap_or(-1) };
        let mut written = vec![word("search-constraints"), word(":max-results"), results.into()];
        if *depth > 0 || id.is_some() {
            written.extend([word(":max-depth"), i64::from(*depth).into()]);
        }
        if let Some(id) = id {
            written.extend([word(":search-id"), Expression::String(id.clone().into())]);
        }
        written.into()
    }
}
