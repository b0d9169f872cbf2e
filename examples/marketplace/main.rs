//! A market day in FIPA ACL: agents ask for plums and peaches, subscribe to prices, and trade by contract net.
//! `cargo run -p situated-acl --example marketplace`
//!
//! Agents take messages and return messages (`buyer.rs`, `seller.rs`). The post office transports them as bytes, each
//! in the encoding that its sender prefers, and a monitor checks them (`post.rs`). In the last act, an agent breaks
//! the protocol.

mod books;
mod buyer;
mod call;
mod goods;
mod market;
mod post;
mod pusher;
mod report;
mod seller;
mod story;

use std::error::Error;

use situated_acl::Encoding::{BitEfficient, String, Xml};
use situated_acl::Profile;

use buyer::Buyer;
use buyer::Errand::{AskWhat, AskWhether, Buy, Subscribe, Unsubscribe};
use goods::Lot;
use goods::Product::{Peaches, Plums};
use market::Market;
use pusher::Pusher;
use seller::Seller;

/// The rules for all conversations: those of the tutorial *ACL & Protocols*.
const RULES: Profile = Profile::Tutorial;

/// This time of the day, which is simulated, in milliseconds since the beginning of 1970. It is 10 June 2000.
const fn at(hour: i64, minute: i64) -> i64 {
    960_595_200_000 + (hour * 60 + minute) * 60_000
}

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "Anna, Boris and Clara buy plums and peaches of Paula, Peter, Olga and Hugo. Olga and Hugo live far away."
    );
    let mut market = market_day();
    let before = report::possessions(&market);
    market.run()?;
    report::print(&market, &before);

    println!("\nThe last act: Quin comes to the market.");
    let mut market = last_act();
    market.run()?;
    report::print_findings(&market);
    Ok(())
}

/// Messages take three seconds between Olga and the post office, and six between Hugo and it. Buyers who do not wait
/// that long miss their offers.
fn market_day() -> Market {
    let sellers = ["Paula", "Peter", "Olga", "Hugo"];
    let plums = |boxes| Lot { product: Plums, boxes };
    let peaches = |boxes| Lot { product: Peaches, boxes };
    let mut market = Market::new();

    market.admit(Seller::new("Paula", &[(plums(120), 4)]), String, 200);
    market.admit(Seller::new("Peter", &[(plums(60), 5), (peaches(60), 5)]), Xml, 300);
    market.admit(Seller::new("Olga", &[(plums(100), 3)]), BitEfficient, 3_000);
    market.admit(Seller::new("Hugo", &[(peaches(80), 6)]), String, 6_000);

    let anna = [
        (at(8, 0), AskWhat("Peter")),
        (at(8, 5), AskWhether("Paula", Peaches)),
        (at(8, 10), Subscribe("Paula", Plums)),
        (at(9, 0), Buy(plums(50), 250)),
        (at(13, 30), Unsubscribe),
        (at(14, 0), Buy(plums(60), 320)),
        (at(16, 0), Buy(peaches(10), 100)),
    ];
    let boris = [
        (at(8, 20), AskWhether("Hugo", Peaches)),
        (at(10, 0), Buy(peaches(50), 300)),
        (at(13, 0), Buy(plums(100), 600)),
        (at(16, 30), Buy(plums(10), 60)),
    ];
    let clara = [
        (at(8, 30), Subscribe("Peter", Peaches)),
        (at(10, 0), Buy(peaches(50), 320)),
        (at(11, 0), Buy(plums(40), 160)),
        (at(17, 0), Unsubscribe),
    ];
    market.admit(Buyer::new("Anna", 1_000, 5_000, &sellers, anna), String, 200);
    market.admit(Buyer::new("Boris", 600, 2_000, &sellers, boris), BitEfficient, 100);
    market.admit(Buyer::new("Clara", 800, 20_000, &sellers, clara), Xml, 500);
    market
}

/// Quin does not keep to the protocol.
fn last_act() -> Market {
    let lot = Lot { product: Plums, boxes: 10 };
    let mut market = Market::new();
    market.admit(Seller::new("Paula", &[(lot, 4)]), String, 200);
    market.admit(Pusher::new("Quin"), String, 100);
    market.admit(Buyer::new("Anna", 100, 5_000, &["Paula", "Quin"], [(at(18, 0), Buy(lot, 60))]), String, 200);
    market
}
