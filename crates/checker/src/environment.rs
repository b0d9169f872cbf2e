//! A checker for environments. It plays seeded random episodes, and checks whether the environment follows the
//! [rules](Rule) that agents, learners, recordings, servers and pages rely on.

mod by_name;
mod choosing;
mod listing;
mod moment;
mod numbers;
mod playing;
mod repeating;
mod report;
mod seeing;
mod subject;
mod time;
mod typed;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use situated::encoding::Encode;
use situated::environment::Environment;
use situated::iil::Parameter;
use situated::interface::EnvironmentInterface;
use situated::ontology::typed::{InitParameters, Mismatch};

use by_name::ByName;
use playing::Player;
use report::Findings;
use time::TimeLimit;
use typed::Typed;

pub use choosing::is_declared;
pub use report::{Finding, Report, Rule, Verdict, Verified};
pub use subject::{Acted, Broken, Clock, Inside, Perceived, Row, Section, Subject, free_name};

/// The episodes that are played to check an environment.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The parameters of the episodes; those left out have their defaults.
    pub parameters: BTreeMap<String, Parameter>,
    /// The seeds of the episodes.
    pub seeds: RangeInclusive<u64>,
    /// The number of steps of an episode. An episode that ends is shorter.
    pub steps: u64,
    /// The time after which the check ends with what it has seen. With `None`, which is the default, the report depends
    /// on the environment and the other settings alone.
    pub time_limit: Option<Duration>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { parameters: BTreeMap::new(), seeds: 1..=10, steps: 100, time_limit: None }
    }
}

impl Settings {
    /// Sets a parameter.
    #[must_use]
    pub fn parameter(mut self, name: &str, value: impl Into<Parameter>) -> Self {
        self.parameters.insert(name.into(), value.into());
        self
    }

    /// Checks an environment.
    ///
    /// # Errors
    /// Returns an error if the environment rejects the parameters.
    pub fn check<E: Environment>(&self) -> Result<Report, Mismatch> {
        Ok(self.check_subject(&mut Typed::<E>::new(self.read::<E>()?)))
    }

    /// Checks an environment together with its encoding.
    ///
    /// # Errors
    /// Returns an error if the environment rejects the parameters.
    pub fn check_encoded<E: Encode>(&self) -> Result<Report, Mismatch> {
        Ok(self.check_subject(&mut Typed::<E>::new(self.read::<E>()?).encoded()))
    }

    /// Checks an environment of any kind in this process, for example one that is written in Python. `make` creates
    /// an interface to it, and another one if the environment has broken.
    ///
    /// # Errors
    /// Returns the error of `make` if it cannot create an environment.
    pub fn check_by_name<M>(&self, make: M) -> Result<Report, Broken>
    where
        M: FnMut() -> Result<Box<dyn EnvironmentInterface>, Broken> + 'static,
    {
        Ok(self.check_subject(&mut ByName::new(Box::new(make), self.parameters.clone())?))
    }

    /// Checks an environment of any kind, for example one that another process hosts. The subject determines the
    /// parameters of its episodes.
    pub fn check_subject(&self, subject: &mut dyn Subject) -> Report {
        let mut findings = Findings::default();
        let ontology = subject.ontology().clone();
        findings.count(Rule::Ontology, 1);
        if let Err(unsound) = ontology.check() {
            findings.add(Rule::Ontology, (*self.seeds.start(), 0), unsound.to_string());
        }
        let mut player = Player::new(subject, &mut findings, self.steps, TimeLimit::new(self.time_limit));
        for seed in self.seeds.clone() {
            if player.time.is_over() {
                break;
            }
            player.play(seed);
            // If episodes differ at random, comparing what they show has no meaning.
            if !player.findings.has(Rule::Determinism) {
                player.compare_views(seed);
            }
        }
        let (circumstances, notes) = player.finish(&self.seeds);
        findings.report(&ontology.name, circumstances, notes)
    }

    fn read<E: Environment>(&self) -> Result<E::Parameters, Mismatch> {
        E::Parameters::read(&self.parameters, &E::ontology())
    }
}

/// Checks an environment with its default parameters.
///
/// # Panics
/// Panics with a report if the environment breaks a rule, or if it has parameters without a default.
#[track_caller]
pub fn check_environment<E: Environment>() {
    assert_passed(Settings::default().check::<E>());
}

/// Checks an environment with its default parameters, together with its encoding.
///
/// # Panics
/// Panics with a report if the environment breaks a rule, or if it has parameters without a default.
#[track_caller]
pub fn check_encoded_environment<E: Encode>() {
    assert_passed(Settings::default().check_encoded::<E>());
}

#[track_caller]
fn assert_passed(checked: Result<Report, Mismatch>) {
    match checked {
        Ok(report) => report.assert_passed(),
        Err(mismatch) => panic!("the environment cannot begin with its default parameters: {mismatch}"),
    }
}
