//! The results of a day.

use std::collections::BTreeMap;

use crate::books::Trade;
use crate::goods::Product;
use crate::market::{Agent, Market};
use crate::post::Written;

/// The possessions of an agent: coins, and boxes of each product.
type Possessions = [u32; 1 + Product::ALL.len()];

/// Returns the possessions of all agents.
pub(crate) fn possessions(market: &Market) -> BTreeMap<String, Possessions> {
    let owned = |agent: &dyn Agent| {
        let books = agent.books();
        [books.money, books.boxes(Product::Plums), books.boxes(Product::Peaches)]
    };
    market.agents().map(|agent| (agent.name().into(), owned(agent))).collect()
}

/// Prints all trades, the possessions before and after, the messages, and the findings of the monitor.
///
/// # Panics
/// Returns an error if goods or money appeared or disappeared, or if buyers and sellers disagree about their trades.
pub(crate) fn print(market: &Market, before: &BTreeMap<String, Possessions>) {
    print_trades(market);
    print_possessions(before, &possessions(market));
    print_written(market);
    print_findings(market);
}

fn print_trades(market: &Market) {
    let told_by = |is_buyer: bool| {
        let trades = |agent: &dyn Agent| {
            let name = agent.name().to_owned();
            let own = move |trade: &&Trade| (trade.buyer == name) == is_buyer;
            agent.books().trades.iter().filter(own).cloned().collect::<Vec<_>>()
        };
        let mut all: Vec<Trade> = market.agents().flat_map(trades).collect();
        all.sort();
        all
    };
    let trades = told_by(true);
    assert_eq!(trades, told_by(false), "what somebody has bought, somebody has sold");
    println!("\n{:8} {:8} {:20} {:>6}", "buyer", "seller", "goods", "coins");
    for Trade { buyer, seller, lot, price } in trades {
        println!("{buyer:8} {seller:8} {:20} {price:6}", lot.to_string());
    }
}

fn print_possessions(before: &BTreeMap<String, Possessions>, after: &BTreeMap<String, Possessions>) {
    println!("\n{:8} {:>14} {:>14} {:>14}", "", "coins", "plums", "peaches");
    let line = |name: &str, [before, after]: [&Possessions; 2]| {
        print!("{name:8}");
        before.iter().zip(after).for_each(|(before, after)| print!(" {before:5} -> {after:5}"));
        println!();
    };
    before.iter().for_each(|(name, owned)| line(name, [owned, &after[name]]));
    let sums = [before, after].map(|all| {
        all.values().fold(Possessions::default(), |sum, owned| std::array::from_fn(|kind| sum[kind] + owned[kind]))
    });
    line("all", [&sums[0], &sums[1]]);
    assert_eq!(sums[0], sums[1], "nothing is made, and nothing is lost");
}

fn print_written(market: &Market) {
    println!("\n{:28} {:>8} {:>8}", "encoding", "messages", "bytes");
    for (encoding, Written { messages, bytes }) in &market.post.written {
        println!("{encoding:28} {messages:8} {bytes:8}");
    }
}

/// Prints the findings of the monitor.
pub(crate) fn print_findings(market: &Market) {
    let findings = &market.post.findings;
    let followed = market.post.conversations();
    println!("\nConversations that the monitor has followed: {followed}; findings: {}", findings.len());
    findings.iter().for_each(|finding| println!("  {finding}"));
}
