//! The comparison of descriptions with templates (SC00023, section 4.2).

use situated_acl::Expression;

use super::reading::{agent_name, slot, slots, term};

/// Maximum number of comparisons for a search. A template is compared with each element of each set.
pub(crate) const EFFORT: u32 = 1_000_000;

/// Maximum number of comparisons of a template with one entry, which does not match beyond that. It suffices for a
/// template of a few services and the largest entry, so that entries made for it cannot use up a search.
pub(crate) const ENTRY_EFFORT: u32 = 20_000;

/// Maximum number of comparisons for a subscription when an entry changes. All subscriptions are compared then, while
/// questions wait.
pub(crate) const SUBSCRIPTION_EFFORT: u32 = 2_000;

/// Whether a description has everything that a template has. Each comparison takes from `effort`; if nothing is left,
/// nothing matches any more.
pub(crate) fn matches(template: &Expression<'static>, value: &Expression<'static>, effort: &mut u32) -> bool {
    if *effort == 0 {
        return false;
    }
    *effort -= 1;
    let (Some((name, wanted)), Some((found, arguments))) = (term(template), term(value)) else {
        return template.says_same(value);
    };
    if !name.eq_ignore_ascii_case(found) {
        return false;
    }
    if name.eq_ignore_ascii_case("agent-identifier") {
        let (one, other) = (agent_name(template), agent_name(value));
        return one.zip(other).is_some_and(|(one, other)| one.eq_ignore_ascii_case(&other));
    }
    if is_collection(name) {
        return wanted.iter().all(|one| arguments.iter().any(|other| matches(one, other, effort)));
    }
    match slots(wanted) {
        Some(mut wanted) => wanted.all(|(name, one)| match slot(arguments, name) {
            Some(other) => matches(one, other, effort),
            None => term(one).is_some_and(|(name, elements)| is_collection(name) && elements.is_empty()),
        }),
        None => {
            wanted.len() == arguments.len()
                && wanted.iter().zip(arguments).all(|(one, other)| matches(one, other, effort))
        }
    }
}

fn is_collection(name: &str) -> bool {
    name.eq_ignore_ascii_case("set") || name.eq_ignore_ascii_case("sequence")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directory::reading::read;

    #[test]
    fn a_template_matches_what_has_all_its_parts() {
        let value = "(df-agent-description :name (agent-identifier :name ada) :languages (set fipa-sl0 kif)
            :services (set (service-description :name one :type trade) (service-description :name two :type \"a b\"
            :properties (set (property :name price :value 12)))))";
        let value = read(value).expect("it is SL0");
        let is_match = |parts: &str| {
            let template = read(&format!("(df-agent-description {parts})")).expect("it is SL0");
            matches(&template, &value, &mut EFFORT.clone())
        };
        assert!(is_match(""));
        assert!(is_match(":name (agent-identifier :name Ada :addresses (sequence http://elsewhere))"));
        assert!(is_match(":languages (set kif) :services (set (service-description :type trade))"));
        assert!(is_match(":services (set (service-description :properties (set (property :name price :value 12))))"));
        assert!(is_match(":protocols (set)"));
        assert!(!is_match(":protocols (set fipa-request)"));
        assert!(!is_match(":services (set (service-description :name one :type \"a b\"))"));
        assert!(!is_match(":languages (set kif xml)"));
        assert!(!is_match(":name (agent-identifier :name bob)"));
    }

    #[test]
    fn an_expensive_template_ends() {
        let set = format!("(set {})", "(set a b c d) ".repeat(2000));
        let (template, value) = (set.replace('d', "e"), set);
        let mut effort = EFFORT;
        assert!(!matches(&read(&template).expect("it is SL0"), &read(&value).expect("it is SL0"), &mut effort));
    }
}
