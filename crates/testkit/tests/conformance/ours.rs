//! The project's own server is as it must be.

use std::collections::BTreeSet;

use situated_testkit::{Plan, Report, Transport, Verdict, run};

use crate::server::{guarded, open, plan};

/// All that has failed, as text.
fn failures(report: &Report) -> String {
    let failed = |check: &situated_testkit::Verified| match &check.verdict {
        Verdict::Failed { expected, got, frames } => {
            let frames = frames.join("\n    ");
            Some(format!("{}: {}\n  expected {expected}\n  got {got}\n    {frames}\n", check.name, check.rule))
        }
        _ => None,
    };
    report.checks.iter().filter_map(failed).collect()
}

async fn passes(plan: &Plan) -> Report {
    let report = run(plan, |_| ()).await.expect("the server is there");
    assert!(report.passed(), "{}", failures(&report));
    report
}

fn skipped(report: &Report) -> BTreeSet<&'static str> {
    let is_skipped = |check: &&situated_testkit::Verified| matches!(check.verdict, Verdict::Skipped { .. });
    report.checks.iter().filter(is_skipped).map(|check| check.name).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn our_server_passes_over_lines_and_websockets_whether_or_not_it_wants_tokens_in_each_world() {
    let (open, guarded) = (open().await, guarded().await);
    let mut never: Option<BTreeSet<&str>> = None;
    for (transport, kind) in [(Transport::Lines, "find-goals"), (Transport::WebSocket, "yard")] {
        let everybody = Plan { kind: Some(kind.into()), ..plan(open.address, transport) };
        let some = Plan {
            kind: Some(kind.into()),
            token: Some("for agents".into()),
            manager_token: Some("for managers".into()),
            ..plan(guarded.address, transport)
        };
        for plan in [everybody, some] {
            let skipped = skipped(&passes(&plan).await);
            never = Some(never.map_or(skipped.clone(), |never| never.intersection(&skipped).copied().collect()));
        }
    }
    assert_eq!(never, Some(BTreeSet::new()), "these checks are skipped everywhere");
}
