//! The plan of a run of the suite, the run, and its report.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use tokio::time::timeout;

use crate::server::address::{Address, Unreachable};
use crate::server::checks::{Check, checks, checks_of_hosts};
use crate::server::frames::Frames;
use crate::server::stage::Stage;
use crate::server::stop::{Checked, Stop};

/// How many answers a check may wait for in vain before it is given up as a whole.
const ANSWERS: u32 = 8;

/// The plan of a run of the suite: the server, the rights, and the checks.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where the server is.
    pub address: Address,
    /// A token with the right to act, if the server wants one.
    pub token: Option<String>,
    /// A token with the right to manage, if the server wants one. With it, each check makes an environment of its own.
    pub manager_token: Option<String>,
    /// Only the checks whose names begin so; none means all.
    pub only: Vec<String>,
    /// The kind of which environments are made; by default the first that the server lists.
    pub kind: Option<String>,
    /// The environment of a host that is checked, rather than the server: everything takes place in it, and only what hosts
    /// can do wrong is looked at.
    pub hosted: Option<String>,
    /// How long an answer may take.
    pub patience: Duration,
}

impl Plan {
    /// All checks, without tokens.
    pub fn new(address: Address) -> Self {
        let patience = Duration::from_secs(5);
        Self { address, token: None, manager_token: None, only: Vec::new(), kind: None, hosted: None, patience }
    }
}

/// The results of the checks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// In the order in which they were made.
    pub checks: Vec<Verified>,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Its name.
    pub name: &'static str,
    /// The rule: what must be true.
    pub rule: &'static str,
    /// The section of the protocol's page that says so.
    pub section: &'static str,
    /// Whether it is.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// Whether it is as it must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "camelCase")]
pub enum Verdict {
    /// It is.
    Passed,
    /// It is not.
    Failed {
        /// What should have been.
        expected: String,
        /// The value found.
        got: String,
        /// The last frames that were exchanged: the number of the connection, `→` to or `←` from the server, the frame.
        frames: Vec<String>,
    },
    /// It cannot be seen here.
    Skipped {
        /// The reason.
        reason: String,
    },
}

impl Report {
    /// Whether nothing has failed.
    pub fn passed(&self) -> bool {
        !self.checks.iter().any(|check| matches!(check.verdict, Verdict::Failed { .. }))
    }

    /// How many checks have passed, failed, and been skipped, in words.
    pub fn summary(&self) -> String {
        let count = |word| self.checks.iter().filter(|check| check.verdict.word() == word).count();
        format!("{} passed, {} failed, {} skipped", count("passed"), count("FAILED"), count("skipped"))
    }
}

impl Verdict {
    /// The verdict in a word: `passed`, `FAILED` or `skipped`.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Failed { .. } => "FAILED",
            Verdict::Skipped { .. } => "skipped",
        }
    }
}

impl Verified {
    /// The rule, with the reason if the check was skipped.
    pub fn explanation(&self) -> String {
        match &self.verdict {
            Verdict::Skipped { reason } => format!("{} Skipped: {reason}.", self.rule),
            _ => self.rule.to_owned(),
        }
    }

    /// The expectation, the answer and the last frames of a check that has failed; empty for any other.
    pub fn details(&self) -> String {
        let Verdict::Failed { expected, got, frames } = &self.verdict else { return String::new() };
        let Self { name, rule, section, .. } = self;
        let frames: String = frames.iter().map(|frame| format!("    {frame}\n")).collect();
        format!("\n{name}: {rule} ({section})\n  expected: {expected}\n  got: {got}\n  frames:\n{frames}")
    }
}

/// Goes through the checks of a plan, and says of each what it has come to, as soon as it is known.
///
/// # Errors
/// When there is nothing to be checked: nobody is there, or there is no check of that name.
pub async fn run(plan: &Plan, mut verified: impl FnMut(&Verified)) -> Result<Report, Unreachable> {
    let selected = select(plan)?;
    let connect = |reason: String| Unreachable::Connect { address: plan.address.clone(), reason };
    match timeout(plan.patience, Frames::open(&plan.address)).await {
        Ok(opened) => drop(opened.map_err(|error| connect(error.to_string()))?),
        Err(_) => return Err(connect("nobody answers".into())),
    }
    let mut report = Report::default();
    for (number, check) in selected.into_iter().enumerate() {
        let one = verify(plan, check, &format!("check-{}-{number}", unique())).await;
        verified(&one);
        report.checks.push(one);
    }
    Ok(report)
}

fn select(plan: &Plan) -> Result<Vec<&'static Check>, Unreachable> {
    let is_wanted = |check: &&Check| plan.only.is_empty() || plan.only.iter().any(|one| check.name.starts_with(one));
    let checks = if plan.hosted.is_some() { checks_of_hosts() } else { checks() };
    for only in &plan.only {
        if !checks.iter().any(|check| check.name.starts_with(only)) {
            return Err(Unreachable::Check(only.clone()));
        }
    }
    Ok(checks.iter().filter(is_wanted).collect())
}

async fn verify(plan: &Plan, check: &Check, prefix: &str) -> Verified {
    let mut stage = Stage::new(plan, prefix);
    let checked = match timeout(plan.patience * ANSWERS, (check.run)(&mut stage)).await {
        Ok(checked) => checked,
        Err(_) => Err(Stop::failed("an end", "none, although every answer came")),
    };
    // A failed check reports its first failure; clearing up belongs to a passed check.
    let cleared = stage.clear().await;
    let verdict = verdict(checked.and(cleared), &stage);
    Verified { name: check.name, rule: check.rule, section: check.section, verdict }
}

fn verdict(checked: Checked, stage: &Stage<'_>) -> Verdict {
    match checked {
        Ok(()) => Verdict::Passed,
        Err(Stop::Skipped(reason)) => Verdict::Skipped { reason },
        Err(Stop::Failed { expected, got }) => Verdict::Failed { expected, got, frames: stage.frames() },
    }
}

/// What nobody else on the server is called, not even those who check it at the same time.
fn unique() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{:x}{:x}", std::process::id(), now.as_nanos() & 0xffff_ffff)
}
