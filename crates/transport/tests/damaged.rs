//! Damaged messages of other platforms.

#[path = "../../../fuzz/src/damage.rs"]
pub mod damage;
#[path = "../../../fuzz/src/transport.rs"]
pub mod transport;

use damage::try_damaged;
use situated_acl::{Message, Word};
use situated_transport::{Packed, Platform, bundle, pack};

#[test]
fn damaged_messages_are_rejected_or_read() {
    let market = Platform { name: "market".into(), address: "http://market.example/acc".into() };
    let message =
        Message::cfp().from("ada").to("bob@farm").to("cleo").reply_to("dan").content("<plums>").reply_with("r 1");
    let message = message.protocol(Word::new("fipa-query").expect("a word")).conversation_id("c1");
    let mut requests: Vec<Packed> = ["string", "xml", "bit-efficient", "jade"]
        .map(|form| pack(&market, "farm", &message, form.parse().expect("it is a form"), 0).expect("it has a form"))
        .into();
    let numbered: Vec<_> = requests.iter().cloned().enumerate().map(|(at, packed)| (at as u64, packed)).collect();
    requests.push(bundle(&numbered));
    let documents: Vec<_> =
        requests.iter().map(|packed| [packed.content_type.as_bytes(), b"\n", &packed.body].concat()).collect();
    try_damaged(&documents, 5000, transport::body);
}
