//! The measured messages.

use situated_acl::{AgentIdentifier, Message, Time, UserParameter, Word};

/// All measured messages, with their names.
pub(crate) fn all() -> [(&'static str, Message<'static>); 3] {
    [("small inform", small_inform()), ("typical cfp", typical_cfp()), ("16 kB content", large_inform())]
}

fn small_inform() -> Message<'static> {
    Message::inform().from("alice@market").to("bob@market").content("sunny").language("fipa-sl").conversation_id("c1")
}

/// A message of a contract net: addresses, a content with quotation marks, and all parameters of the conversation.
fn typical_cfp() -> Message<'static> {
    let agent = |name: &'static str, address: &'static str| AgentIdentifier::new(name).address(address);
    let mut message = Message::cfp()
        .from(agent("buyer@market:1099/JADE", "http://buyer.example:7778/acc"))
        .to(agent("plums@market:1099/JADE", "http://plums.example:7778/acc"))
        .to(agent("fruit@market:1099/JADE", "http://fruit.example:7778/acc"))
        .content(concat!(
            "((action (agent-identifier :name plums@market:1099/JADE) ",
            "(sell (box :of plums :count 50 :label \"first class\"))) ",
            "(any ?p (< (price plums ?p) 200)))"
        ))
        .language("fipa-sl")
        .encoding("UTF-8")
        .ontology("fruit-market")
        .protocol(Word::new("fipa-contract-net").expect("a word"))
        .conversation_id("fruit-net-1a2b3c4d")
        .reply_with("cfp-0001-1761000000000")
        .in_reply_to("announcement-7")
        .reply_by(Time::at(1_900_000_000_000));
    message.user_parameters =
        vec![UserParameter { name: Word::new("X-priority").expect("a word"), value: "high".into() }];
    message
}

/// 16 kB of terms, some of them in quotation marks.
fn large_inform() -> Message<'static> {
    let terms: String =
        (0..).map(|index| format!("(sold (box \"plums {index}\") (price {index})) ")).take(800).collect();
    small_inform().content(terms[..16 * 1024].to_owned())
}
