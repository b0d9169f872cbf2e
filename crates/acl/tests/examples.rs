//! Runs the marketplace example, and compares its beginning with the book.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The output of the marketplace.
fn market_day() -> String {
    let this = std::env::current_exe().expect("this test");
    let built = this.ancestors().nth(2).expect("the folder of the build");
    let example = built.join("examples").join(format!("marketplace{}", std::env::consts::EXE_SUFFIX));
    let run = Command::new(example).output().expect("cargo test builds the examples");
    let told = String::from_utf8(run.stdout).expect("text");
    assert!(run.status.success(), "{told}{}", String::from_utf8_lossy(&run.stderr));
    told
}

#[test]
fn every_market_day_is_the_same() {
    assert_eq!(market_day(), market_day());
}

#[test]
fn the_example_contains_all_kinds_of_events() {
    let told = market_day();
    for happening in [
        "Peter tells Anna: plums and peaches",
        "Paula tells Anna: no",
        "Paula offers Anna 50 boxes of plums for 200",
        "Hugo reads it too late, and does not answer",
        "Olga's offer is too late for Anna, who rejects it",
        "Paula tells Anna: a box of plums costs 5 now",
        "Paula has nothing to offer to Boris: sold-out",
        "Peter cannot deliver to Clara: sold-out",
        "Hugo delivers Clara 50 boxes of peaches for 300",
        "Boris takes no offer",
        "Peter tells Clara: peaches are sold out",
    ] {
        assert!(told.contains(happening), "{happening}: {told}");
    }
}

#[test]
fn agents_without_a_subscription_get_no_updates() {
    let told = market_day();
    let (_, afterwards) = told.split_once("Anna does not want to be told prices any more").expect("she says so");
    assert!(afterwards.contains("Paula delivers Anna 60 boxes of plums for 300"), "{told}");
    assert!(!afterwards.contains("Paula tells Anna"), "{told}");
}

#[test]
fn the_amounts_of_money_and_goods_are_constant() {
    let told = market_day();
    let owned = |line: &str| -> Vec<u32> { line.split(' ').filter_map(|word| word.parse().ok()).collect() };
    let (everybody, all): (Vec<_>, Vec<_>) =
        told.lines().filter(|line| line.contains("->")).partition(|line| !line.starts_with("all"));
    assert_eq!(everybody.len(), 7, "{told}");
    let mut sums = vec![0; 6];
    for line in everybody {
        sums.iter_mut().zip(owned(line)).for_each(|(sum, owned)| *sum += owned);
    }
    assert_eq!(vec![sums.clone()], all.into_iter().map(owned).collect::<Vec<_>>(), "{told}");
    assert!(sums.chunks(2).all(|now_and_then| now_and_then[0] == now_and_then[1] && now_and_then[0] > 0), "{told}");
}

#[test]
fn all_encodings_are_used() {
    let told = market_day();
    for encoding in ["fipa.acl.rep.string.std", "fipa.acl.rep.bitefficient.std", "fipa.acl.rep.xml.std"] {
        let line = told.lines().find(|line| line.starts_with(encoding)).expect(encoding);
        assert!(line.split(' ').filter_map(|word| word.parse().ok()).all(|count: u32| count > 0), "{line}");
    }
}

#[test]
fn the_monitor_reports_exactly_the_agent_that_breaks_the_protocol() {
    let told = market_day();
    let (day, last_act) = told.split_once("The last act").expect("there is one");
    assert!(day.trim_end().ends_with("findings: 0"), "{told}");
    let finding = "`Quin` in conversation `Anna-1`: fipa-contract-net, CfpSent: `inform` by the participant is out of \
                   sequence; legal acts are `not-understood`, `propose`, `refuse`";
    assert!(last_act.trim_end().ends_with(&format!("findings: 1\n  {finding}")), "{told}");
    assert!(last_act.contains("Paula delivers Anna"), "the others go on: {told}");
}

#[test]
fn the_book_shows_how_it_begins() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/how-to/messages.md");
    let page = fs::read_to_string(page).expect("the page");
    let (_, shown) = page.split_once("--example marketplace\n").expect("the command");
    let (shown, _) = shown.split_once("…\n").expect("it continues");
    assert!(market_day().starts_with(shown), "{shown}");
}
