//! Names from outside: their length, and suggestions for misspelled ones.

/// Maximum number of names that are compared with an unknown one, so that an error costs little.
const COMPARED: usize = 256;

/// Maximum number of bytes of a name that is compared.
const COMPARABLE: usize = 64;

/// Returns the name that is most similar to `name`, if it is similar enough for a typing error. Only the first 256
/// names are compared, and no names of more than 64 bytes.
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

/// Returns `; did you mean ..?` for a suggestion, or nothing.
pub fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// Maximum number of bytes in the name of an agent, of a requested entity, and in every name that a host reports.
pub const NAME_LENGTH: usize = 256;

/// Returns the problem of a name, if there is one.
pub(crate) fn fault_of_name(name: &str) -> Option<&'static str> {
    match name.len() {
        0 => Some("a name has at least one character"),
        1..=NAME_LENGTH => None,
        _ => Some("a name has at most 256 bytes"),
    }
}
