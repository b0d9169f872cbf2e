//! The project's own server passes the suite.

use std::collections::BTreeSet;
use std::time::Duration;

use situated_checker::server::{Plan, Report, Transport, Verdict, Verified, run};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

use crate::server::{AGENT, MANAGER, Running, guarded, open, plan};

async fn passes(plan: &Plan) -> Report {
    let report = run(plan, |_| ()).await.expect("the server is there");
    let details: String = report.checks.iter().map(Verified::details).collect();
    assert!(report.passed(), "{details}");
    report
}

fn skipped(report: &Report) -> BTreeSet<&'static str> {
    let is_skipped = |check: &&Verified| matches!(check.verdict, Verdict::Skipped { .. });
    report.checks.iter().filter(is_skipped).map(|check| check.name).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn our_server_passes_with_all_transports_tokens_and_environments() {
    let (open, guarded) = (open().await, guarded().await);
    let mut never: Option<BTreeSet<&str>> = None;
    for (transport, kind) in [(Transport::Lines, "find-goals"), (Transport::WebSocket, "yard")] {
        let everybody = Plan { kind: Some(kind.into()), ..plan(open.address, transport) };
        let some = Plan {
            kind: Some(kind.into()),
            token: Some(AGENT.into()),
            manager_token: Some(MANAGER.into()),
            ..plan(guarded.address, transport)
        };
        for plan in [everybody, some] {
            let skipped = skipped(&passes(&plan).await);
            never = Some(never.map_or(skipped.clone(), |never| never.intersection(&skipped).copied().collect()));
        }
    }
    assert_eq!(never, Some(BTreeSet::new()), "these checks are skipped everywhere");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_suite_leaves_nothing_on_the_server() {
    let server = open().await;
    let before = standing(&server).await;
    let only = ["relation", "subscriptions", "management", "sessions-resume"].map(str::to_owned).to_vec();
    passes(&Plan { only, ..plan(server.address, Transport::Lines) }).await;
    let begin = Instant::now();
    // The server notices dropped connections a little later.
    while standing(&server).await != before {
        assert!(begin.elapsed() < Duration::from_secs(20), "{} instead of {before}", standing(&server).await);
        sleep(Duration::from_millis(20)).await;
    }
}

/// Returns what a server reports about its sessions, environments and agents.
async fn standing(server: &Running) -> String {
    let mut stream = TcpStream::connect(server.address).await.expect("it listens");
    let request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request).await.expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("it answers");
    let said = ["situated_sessions ", "situated_entities{", "situated_agents{"];
    let lines = answer.lines().filter(|line| said.iter().any(|one| line.starts_with(one)));
    lines.map(|line| format!("{line}\n")).collect()
}
