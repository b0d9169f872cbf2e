//! Damaged messages to the directory, damaged descriptions, and damaged messages of other platforms.

#[path = "../../../fuzz/src/damage.rs"]
pub mod damage;
#[path = "../../../fuzz/src/directory.rs"]
pub mod directory;
#[path = "../../../fuzz/src/transport.rs"]
pub mod transport;

use damage::try_damaged;
use situated_acl::{Message, Word};
use situated_platform::transport::{Packed, Platform, bundle, pack};

const REGISTER: &[u8] = b"((action (agent-identifier :name df) (register (df-agent-description \
    :name (agent-identifier :name ada) :languages (set fipa-sl \"two words\") :lease-time +00000000T000005000 \
    :services (set (service-description :name plums :type trade \
    :properties (set (property :name price :value 12) (property :name sizes :value (set 1 2))))))))";

const SUBSCRIBE: &[u8] = b"((iota ?x (result (action (agent-identifier :name df) (search (df-agent-description \
    :services (set (service-description :type trade))) (search-constraints :max-results -1))) ?x)))";

const SEARCH_ELSEWHERE: &[u8] = b"((action (agent-identifier :name df) (search (df-agent-description) \
    (search-constraints :max-results 5 :max-depth 2 :search-id s1))))";

const FOUND: &[u8] = b"((result (action (agent-identifier :name df@market) (search (df-agent-description))) (sequence \
    (df-agent-description :name (agent-identifier :name eve@market :addresses (sequence http://market/acc))))))";

const SEARCH: &[u8] = b"((action (agent-identifier :name df) (search (df-agent-description :languages (set fipa-sl)) \
    (search-constraints :max-results 3))))";

#[test]
fn damaged_messages_are_answered() {
    let part = |selected: u8, content: &[u8]| [&[selected, 20], content, &[0]].concat();
    // The first bytes select Ada or Bob, and the acts `request`, `subscribe` and `cancel`.
    let (register, search) = (part(16, REGISTER), part(17, SEARCH));
    let subscribe = part(5, SUBSCRIBE);
    let registered_and_found = [&*subscribe, &register, &search, &part(9, b""), &search].concat();
    let elsewhere = [&*register, &part(17, SEARCH_ELSEWHERE), &part(76, FOUND), &part(80, SEARCH_ELSEWHERE)].concat();
    let documents = [registered_and_found, [subscribe, register].concat(), search, elsewhere];
    try_damaged(&documents, 3000, directory::contents);
}

#[test]
fn damaged_descriptions_are_read_as_they_are_written() {
    let description = REGISTER.windows(21).position(|part| part == b"(df-agent-description").expect("it is there");
    let service = REGISTER.windows(20).position(|part| part == b"(service-description").expect("it is there");
    let documents = [&REGISTER[description..REGISTER.len() - 3], &REGISTER[service..REGISTER.len() - 5]];
    try_damaged(&documents, 20_000, directory::descriptions);
}

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
