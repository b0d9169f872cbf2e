//! Reports: the results of the checks of an environment.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};

use super::subject::Clock;

/// Maximum number of findings in a report for each rule.
const FINDINGS: usize = 3;

/// The results of the checks of an environment. They depend only on the environment and the settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The name of the environment.
    pub environment: String,
    /// The rules, in the order of [`Rule::ALL`].
    pub rules: Vec<Verified>,
    /// Reasons why the check has seen less than usual.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The result of the checks of one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// The rule.
    pub rule: Rule,
    /// The rule in a sentence.
    pub must: &'static str,
    /// Whether the environment follows it.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// Whether an environment follows a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "camelCase")]
pub enum Verdict {
    /// It does, in all checks.
    Passed {
        /// The number of checks.
        times: u64,
    },
    /// It does not.
    Failed {
        /// The first few findings.
        findings: Vec<Finding>,
        /// The number of further findings.
        more: u64,
    },
    /// The rule never came up.
    NotApplicable {
        /// The reason.
        reason: &'static str,
    },
}

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The seed of the episode.
    pub seed: u64,
    /// The step of the episode.
    pub step: u64,
    /// The event or state that breaks the rule.
    pub what: String,
    /// The way to correct it.
    pub remedy: &'static str,
}

macro_rules! rules {
    ($($(#[doc = $doc:literal])* $Rule:ident $name:literal $must:literal $remedy:literal $absent:literal;)*) => {
        /// A rule for environments.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Rule {
            $(#[doc = $must] $Rule,)*
        }

        impl Rule {
            /// All rules, in the order in which reports list them.
            pub const ALL: &'static [Rule] = &[$(Rule::$Rule),*];

            /// The name of the rule in reports.
            pub fn name(self) -> &'static str {
                match self { $(Rule::$Rule => $name),* }
            }

            /// The rule in a sentence.
            pub fn must(self) -> &'static str {
                match self { $(Rule::$Rule => $must),* }
            }

            /// The way to correct an environment that breaks the rule.
            pub fn remedy(self) -> &'static str {
                match self { $(Rule::$Rule => $remedy),* }
            }

            /// The usual reason why a rule was never applicable.
            fn usual_absence(self) -> &'static str {
                match self { $(Rule::$Rule => $absent),* }
            }
        }
    };
}

/// The circumstances of a check, which determine the reasons and the advice in its report.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circumstances {
    /// Whether the environment is one in Rust in this process.
    pub(super) inside: bool,
    pub(super) clock: Clock,
    /// Whether there was an entity for the checker.
    pub(super) has_entities: bool,
}

impl Rule {
    /// The reason why a rule was never applicable.
    fn absence(self, Circumstances { inside, clock, has_entities }: Circumstances) -> &'static str {
        let needs_entities = !matches!(self, Rule::Ontology | Rule::Runs | Rule::Determinism | Rule::Saving);
        match self {
            _ if needs_entities && !has_entities => NO_ENTITY,
            Rule::Saving | Rule::Sections | Rule::Relisting | Rule::Bounds | Rule::Masks | Rule::Observations
                if !inside =>
            {
                "this is checked only for environments in Rust, in this process"
            }
            Rule::Determinism | Rule::Scenes if clock == Clock::Own => {
                "time passes by itself there, so no episode can be repeated"
            }
            Rule::Refusals if clock == Clock::Own => {
                "time passes by itself there, so it also changes without an action"
            }
            _ => self.usual_absence(),
        }
    }

    /// The way to correct an environment that is accessed by names only, whose code may be in any language.
    fn remedy_by_name(self) -> &'static str {
        match self {
            Rule::Determinism => {
                "begin each episode with nothing but its parameters and its seed: reset everything else, and take random \
                 numbers only from a generator with that seed"
            }
            Rule::Actions => "let entities try every action that the ontology declares for their type",
            Rule::Forbidden => "reject every action that the ontology does not declare, before anything changes",
            _ => self.remedy(),
        }
    }
}

/// The reason why nothing can be said about entities.
pub(super) const NO_ENTITY: &str = "there was no free entity, and none for an agent that requested one";

rules! {
    Ontology "ontology" "Names, types and defaults of the ontology are consistent."
        "correct the declaration named in the finding" "";
    Runs "runs" "An episode begins with every seed, and no call breaks the environment."
        "return a failure with a reason for impossible actions, and handle every state that play can reach" "";
    Determinism "determinism" "The same parameters, seed and inputs give the same states."
        "take random numbers from the context only, keep all state in the environment, and use ordered collections"
        "no episode could be repeated";
    Saving "saving" "A saved and loaded episode continues like the original."
        "serialize the whole state: remove `serde(skip)`, or compute the skipped fields from the rest"
        "no saved episode was continued";
    Percepts "percepts" "The percepts of an entity are declared for its type."
        "declare the percept for this type of entity, or do not list it" "nothing was perceived";
    Duplicates "duplicates" "Each percept is listed once."
        "list the percept once, or give it a parameter that distinguishes its occurrences" "nothing was perceived";
    Sections "sections" "A section with the same revision lists the same percepts; a shared section does so for all entities."
        "increase the revision of the section whenever its percepts change"
        "no percepts are listed in sections";
    Relisting "relisting" "Unchanged percepts are not listed again."
        "increase the revision of a section only when its percepts change, and put percepts that seldom change in a section"
        "no percepts are listed in sections";
    Actions "actions" "An entity can try every action that the ontology allows."
        "make `from_parameter` accept everything that `declare` declares" "no entity has actions that the checker could generate";
    Forbidden "forbidden" "An action that the ontology forbids is rejected, and changes nothing."
        "make `from_parameter` accept only what `declare` declares" "the ontology forbids nothing that the checker could try";
    Refusals "refusals" "A rejected action changes nothing."
        "check all conditions before changing anything" "no action was rejected";
    Scenes "scenes" "The scene and the menu for an entity show no more than it perceives."
        "draw and offer only what follows from the percepts of this entity so far"
        "no entity with a scene or menu had the same percepts in two different episodes";
    Bounds "bounds" "Observations and rewards are written completely, and are within their bounds."
        "write every element of each row, and clamp it to the bounds of the encoding" "it has no encoding";
    Masks "masks" "A permitted action is accepted, and any other is rejected."
        "permit in the mask exactly the actions that `act` accepts now" "it has no encoding";
    Observations "observations" "Observation and mask of an entity show no more than it perceives."
        "encode only what follows from the percepts of this entity so far"
        "no entity with an encoding had the same percepts in two different episodes";
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The counts and findings so far.
#[derive(Debug, Default)]
pub(super) struct Findings(BTreeMap<Rule, Tally>);

#[derive(Debug, Default)]
struct Tally {
    times: u64,
    findings: Vec<Finding>,
    more: u64,
}

impl Findings {
    /// Counts checks of a rule.
    pub(super) fn count(&mut self, rule: Rule, times: u64) {
        self.0.entry(rule).or_default().times += times;
    }

    /// Notes a violation of a rule.
    pub(super) fn add(&mut self, rule: Rule, (seed, step): (u64, u64), what: String) {
        let tally = self.0.entry(rule).or_default();
        if tally.findings.iter().any(|known| known.what == what) || tally.findings.len() == FINDINGS {
            tally.more += 1;
        } else {
            tally.findings.push(Finding { seed, step, what, remedy: rule.remedy() });
        }
    }

    /// Whether there are findings for this rule.
    pub(super) fn has(&self, rule: Rule) -> bool {
        self.0.get(&rule).is_some_and(|tally| !tally.findings.is_empty())
    }

    pub(super) fn report(mut self, environment: &str, circumstances: Circumstances, notes: Vec<String>) -> Report {
        let verify = |rule: &Rule| {
            let Tally { times, mut findings, more } = self.0.remove(rule).unwrap_or_default();
            if !circumstances.inside {
                findings.iter_mut().for_each(|finding| finding.remedy = rule.remedy_by_name());
            }
            let verdict = match (findings.is_empty(), times) {
                (false, _) => Verdict::Failed { findings, more },
                (true, 0) => Verdict::NotApplicable { reason: rule.absence(circumstances) },
                (true, times) => Verdict::Passed { times },
            };
            Verified { rule: *rule, must: rule.must(), verdict }
        };
        Report { environment: environment.into(), rules: Rule::ALL.iter().map(verify).collect(), notes }
    }
}

impl Report {
    /// Whether there are no findings.
    pub fn passed(&self) -> bool {
        self.failed().is_empty()
    }

    /// The rules with findings.
    pub fn failed(&self) -> Vec<Rule> {
        let failed = self.rules.iter().filter(|one| matches!(one.verdict, Verdict::Failed { .. }));
        failed.map(|one| one.rule).collect()
    }

    /// Panics with the report if there are findings. For use in tests.
    ///
    /// # Panics
    /// Panics if there are findings.
    #[track_caller]
    pub fn assert_passed(&self) {
        assert!(self.passed(), "{self}");
    }
}

impl Verdict {
    /// The verdict in one word: `passed`, `FAILED` or `n/a`.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Passed { .. } => "passed",
            Verdict::Failed { .. } => "FAILED",
            Verdict::NotApplicable { .. } => "n/a",
        }
    }
}

impl Verified {
    /// The rule in a sentence, with the number of checks, or the reason why there were none.
    pub fn explanation(&self) -> String {
        match &self.verdict {
            Verdict::Passed { times: 1 } => format!("{} (seen once)", self.must),
            Verdict::Passed { times } => format!("{} (seen {times} times)", self.must),
            Verdict::Failed { .. } => self.must.into(),
            Verdict::NotApplicable { reason } => format!("{} (not seen: {reason})", self.must),
        }
    }

    /// Returns the findings as paragraphs; empty without findings.
    pub fn details(&self) -> String {
        let Verdict::Failed { findings, more } = &self.verdict else { return String::new() };
        let mut text = format!("\n{}: {}\n", self.rule.name(), self.must);
        for Finding { seed, step, what, .. } in findings {
            text += &format!("  seed {seed}, step {step}: {what}\n");
        }
        if *more > 0 {
            text += &format!("  and {more} more\n");
        }
        text + &format!("  what to do: {}\n", findings.first().map_or("", |finding| finding.remedy))
    }
}

impl Report {
    /// The numbers of rules that have passed, failed, and were not applicable, in words, with the notes.
    pub fn summary(&self) -> String {
        let count = |word| self.rules.iter().filter(|one| one.verdict.word() == word).count();
        let notes: String = self.notes.iter().map(|note| format!("; {note}")).collect();
        format!("{} passed, {} failed, {} not applicable{notes}", count("passed"), count("FAILED"), count("n/a"))
    }
}

/// A line for each rule, the findings, and a summary.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.environment)?;
        for one in &self.rules {
            writeln!(f, "{:6}  {:12}  {}", one.verdict.word(), one.rule.name(), one.explanation())?;
        }
        for one in &self.rules {
            f.write_str(&one.details())?;
        }
        write!(f, "\n{}", self.summary())
    }
}
