//! Names that come from outside: how long they may be, and what a wrong one may have meant.

/// How many names are compared with a wrong one at the most, so that an error costs little.
const COMPARED: usize = 256;

/// How many bytes a name may have to be compared.
const COMPARABLE: usize = 64;

/// The name that is most like `name`, if any is like enough for a typing error. Of many names only the first 256 are
/// looked at, and for names of more than 64 bytes none.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let short = |name: &str| name.len() <= COMPARABLE;
    let wanted = Some(name).filter(|name| short(name))?.to_lowercase();
    let candidates = known.into_iter().take(COMPARED).filter(|candidate| short(candidate));
    let score = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        // In a short word, two letters in the wrong order leave little that is alike.
        let is_slip = wanted.len() > 2 && strsim::osa_distance(&wanted, &candidate) == 1;
        strsim::jaro_winkler(&wanted, &candidate).max(if is_slip { 0.9 } else { 0.0 })
    };
    let scored = candidates.map(|candidate| (score(candidate), candidate));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 > 0.8).then_some(best.1)
}

/// `; did you mean ..?`, if something is near.
pub fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// How many bytes the name of an agent can have, that of an entity which is asked for, and every name that a host says.
pub const NAME_LENGTH: usize = 256;

/// Why nothing is called so.
pub(crate) fn fault_of_name(name: &str) -> Option<&'static str> {
    match name.len() {
        0 => Some("a name has at least one letter"),
        1..=NAME_LENGTH => None,
        _ => Some("a name has 256 bytes at the most"),
    }
}
