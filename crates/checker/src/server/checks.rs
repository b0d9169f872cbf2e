//! The checks. Each has a name, a rule, and the section of the protocol's page that contains the rule.

/// The checks of a group: name, section, rule, and the function that makes the check.
macro_rules! group {
    ($($name:literal $section:literal $rule:literal $run:ident;)*) => {
        pub(super) fn checks() -> Vec<$crate::server::checks::Check> {
            vec![$($crate::server::checks::Check {
                name: $name,
                rule: $rule,
                section: $section,
                run: |stage| Box::pin($run(stage)),
            }),*]
        }
    };
}

mod acting;
mod describing;
mod envelope;
mod greeting;
mod hosting;
mod limits;
mod mail;
mod management;
mod perceiving;
mod registering;
mod rights;
mod sessions;
mod stepping;
mod subscriptions;

use std::future::Future;
use std::pin::Pin;
use std::sync::LazyLock;

use crate::server::stage::Stage;
use crate::server::stop::Checked;

/// A check.
pub struct Check {
    /// The name: the group and the topic.
    pub name: &'static str,
    /// The rule: what must be true.
    pub rule: &'static str,
    /// The section of the protocol's page that contains the rule.
    pub section: &'static str,
    pub(crate) run: Run,
}

pub(crate) type Run = for<'a> fn(&'a mut Stage<'_>) -> Pin<Box<dyn Future<Output = Checked> + Send + 'a>>;

/// All checks, in the order in which they are made.
pub fn checks() -> &'static [Check] {
    static ALL: LazyLock<Vec<Check>> = LazyLock::new(|| {
        let groups = [
            greeting::checks(),
            envelope::checks(),
            describing::checks(),
            registering::checks(),
            acting::checks(),
            perceiving::checks(),
            stepping::checks(),
            subscriptions::checks(),
            mail::checks(),
            management::checks(),
            sessions::checks(),
            limits::checks(),
            rights::checks(),
        ];
        groups.into_iter().flatten().collect()
    });
    &ALL
}

/// The checks of hosts: their own, and those of acting and perceiving in their environments.
pub fn checks_of_hosts() -> &'static [Check] {
    static ALL: LazyLock<Vec<Check>> = LazyLock::new(|| {
        let groups = [hosting::checks(), acting::checks(), perceiving::checks()];
        groups.into_iter().flatten().collect()
    });
    &ALL
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = checks().iter().map(|check| check.name).collect();
        assert_eq!(names.len(), checks().len());
    }

    #[test]
    fn sections_exist_on_the_page() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference/protocol.md");
        let page = fs::read_to_string(page).expect("the book has the page");
        for check in checks() {
            let heading = page.lines().filter(|line| line.starts_with('#')).any(|line| {
                let heading = line.trim_start_matches('#').replace('`', "");
                heading.trim() == check.section
            });
            assert!(heading, "{}: {}", check.name, check.section);
        }
    }
}
