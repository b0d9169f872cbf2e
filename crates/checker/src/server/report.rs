//! A run of the suite, and its report.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use tokio::time::timeout;

use crate::server::address::Unreachable;
use crate::server::checks::{Check, checks, checks_of_hosts};
use crate::server::frames::Frames;
use crate::server::plan::Plan;
use crate::server::stage::Stage;
use crate::server::stop::{Checked, Stop};

/// Number of timeouts after which a check is stopped.
const ANSWERS: u32 = 8;

/// The results of the checks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The checks, in the order in which they were made.
    pub checks: Vec<Verified>,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Its name.
    pub name: &'static str,
    /// The rule: what must be true.
    pub rule: &'static str,
    /// The section of the protocol's page that contains the rule.
    pub section: &'static str,
    /// Whether the server follows it.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// Whether a server follows a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "camelCase")]
pub enum Verdict {
    /// It does.
    Passed,
    /// It does not.
    Failed {
        /// The expectation.
        expected: String,
        /// The value found.
        got: String,
        /// The last frames, each with the number of its connection and `→` (to the server) or `←` (from the server).
        frames: Vec<String>,
    },
    /// The rule cannot be tested here.
    Skipped {
        /// The reason.
        reason: String,
    },
}

impl Report {
    /// Whether no check has failed.
    pub fn passed(&self) -> bool {
        !self.checks.iter().any(|check| matches!(check.verdict, Verdict::Failed { .. }))
    }

    /// The numbers of checks that have passed, failed and been skipped, in words.
    pub fn summary(&self) -> String {
        let count = |word| self.checks.iter().filter(|check| check.verdict.word() == word).count();
        format!("{} passed, {} failed, {} skipped", count("passed"), count("FAILED"), count("skipped"))
    }
}

impl Verdict {
    /// The verdict in one word: `passed`, `FAILED` or `skipped`.
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

    /// The expectation, the answer and the last frames of a failed check; empty for any other.
    pub fn details(&self) -> String {
        let Verdict::Failed { expected, got, frames } = &self.verdict else { return String::new() };
        let Self { name, rule, section, .. } = self;
        let frames: String = frames.iter().map(|frame| format!("    {frame}\n")).collect();
        format!("\n{name}: {rule} ({section})\n  expected: {expected}\n  got: {got}\n  frames:\n{frames}")
    }
}

/// Makes the checks of a plan, and reports each verdict as soon as it is known.
///
/// # Errors
/// Returns an error if nothing can be checked: no server answers, it requires another token, or there is no check with
/// this name.
pub async fn run(plan: &Plan, mut verified: impl FnMut(&Verified)) -> Result<Report, Unreachable> {
    let selected = select(plan)?;
    let connect = |reason: String| Unreachable::Connect { address: plan.address.clone(), reason };
    match timeout(plan.patience, Frames::open(&plan.address)).await {
        Ok(opened) => drop(opened.map_err(|error| connect(error.to_string()))?),
        Err(_) => return Err(connect("no server answers".into())),
    }
    check_tokens(plan).await?;
    let mut report = Report::default();
    for (number, check) in selected.into_iter().enumerate() {
        let one = verify(plan, check, &format!("check-{}-{number}", unique())).await;
        verified(&one);
        report.checks.push(one);
    }
    Ok(report)
}

/// Checks that the server accepts the tokens of a plan. Otherwise nearly all checks would fail.
async fn check_tokens(plan: &Plan) -> Result<(), Unreachable> {
    let mut stage = Stage::new(plan, "tokens");
    let manager = plan.manager_token.as_deref().map(|token| ("--manager-token", "observer", Some(token)));
    for (option, role, token) in [Some(("--token", "platform", plan.token.as_deref())), manager].into_iter().flatten() {
        if let Some(reason) = stage.refusal(role, token).await {
            return Err(Unreachable::Token { address: plan.address.clone(), reason, option });
        }
    }
    // Checks find other problems.
    let _ = stage.clear().await;
    Ok(())
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
        Err(_) => Err(Stop::failed("an end of the check", "none, although every answer arrived")),
    };
    // A failed check reports its first failure. Failures while cleaning up count only for passed checks.
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

/// Returns a name that is unique on the server, even among simultaneous checkers.
fn unique() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{:x}{:x}", std::process::id(), now.as_nanos() & 0xffff_ffff)
}
