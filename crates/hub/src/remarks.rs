//! The remarks of agents as observers see them: how a language model came to its actions, for example.

use serde_json::{Value, json};
use situated_wire::methods::RemarkFilter;
use situated_wire::notifications::RemarkSeen;

use crate::feed::{Feed, Item};
use crate::notifications::Notification;

/// Maximum size of a remark that observers see, in bytes as JSON. Of a longer one, they see its size only.
const LONGEST: usize = 128 << 10;

/// The remarks of all agents.
pub(crate) type Remarks = Feed<RemarkSeen>;

/// Returns a remark as observers see it: without its content if it is too long.
pub(crate) fn shown(remark: Value) -> Value {
    let bytes = size(&remark);
    if bytes <= LONGEST { remark } else { json!({ "omittedBytes": bytes }) }
}

impl Item for RemarkSeen {
    type Filter = RemarkFilter;
    const TEXT: &'static str = "bytes of a name in a filter of remarks";

    fn number(&self) -> u64 {
        self.number
    }

    fn bytes(&self) -> usize {
        size(&self.remark)
    }

    fn matches(&self, filter: &RemarkFilter) -> bool {
        filter.environment.as_ref().is_none_or(|environment| *environment == self.environment)
            && filter.entity.as_ref().is_none_or(|entity| self.entities.contains(entity))
    }

    fn texts(filter: &RemarkFilter) -> impl Iterator<Item = &str> {
        [&filter.environment, &filter.entity].into_iter().flatten().map(|name| name.as_str())
    }

    fn notification<'a>(subscription: u64, remarks: &'a [&'a Self], lost: u64) -> Notification<'a> {
        Notification::Remarks { subscription, remarks, lost }
    }
}

/// The approximate size of a remark as JSON, without the escapes of texts.
fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(all) => 2 + all.iter().map(|one| size(one) + 1).sum::<usize>(),
        Value::Object(all) => 2 + all.iter().map(|(key, one)| key.len() + 4 + size(one)).sum::<usize>(),
    }
}

#[cfg(test)]
mod tests {
    use situated::interface::Moment;

    use super::*;
    use crate::budget::Budget;

    fn remark(number: u64, remark: Value) -> RemarkSeen {
        let (environment, agent, entities) = ("maze".into(), "ada".into(), vec!["red".into()]);
        RemarkSeen { number, environment, moment: Moment::default(), agent, entities, remark: shown(remark), time: 7 }
    }

    #[test]
    fn old_remarks_are_forgotten_and_huge_ones_are_left_out() {
        let feed = Remarks::new(&Budget::new(usize::MAX));
        let huge = feed.add(|number| remark(number, json!({ "told": "x".repeat(LONGEST) })));
        assert_eq!(huge.remark, json!({ "omittedBytes": LONGEST + 12 }));
        let long = "x".repeat(LONGEST / 2);
        (0..100).for_each(|_| drop(feed.add(|number| remark(number, json!([long])))));
        let (count, bytes) = feed.remembered();
        assert!((60..64).contains(&count) && bytes <= 4 << 20, "{count} remarks with {bytes} bytes");
        (0..3000).for_each(|_| drop(feed.add(|number| remark(number, json!("yes")))));
        assert_eq!(feed.remembered().0, 1024);
    }

    #[test]
    fn a_feed_takes_a_part_of_the_budget() {
        let budget = Budget::new(16 << 20);
        let feed = Remarks::new(&budget);
        let long = "x".repeat(LONGEST / 2);
        for _ in 0..100 {
            feed.add(|number| remark(number, json!([long])));
            assert!(budget.kept() <= 1 << 20);
        }
        assert_eq!(budget.kept(), feed.remembered().1);
        drop(feed);
        assert_eq!(budget.kept(), 0);
    }

    #[test]
    fn a_filter_selects_an_environment_and_an_entity() {
        let fits = |environment: Option<&str>, entity: Option<&str>| {
            let filter = RemarkFilter { environment: environment.map(Into::into), entity: entity.map(Into::into) };
            remark(1, Value::Null).matches(&filter)
        };
        assert!(fits(None, None) && fits(Some("maze"), None) && fits(Some("maze"), Some("red")));
        assert!(!fits(Some("market"), None) && !fits(None, Some("blue")) && !fits(Some("market"), Some("red")));
    }
}
