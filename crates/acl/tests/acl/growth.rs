//! Running time is linear in the size of a message: in its receivers, addresses, values, and the participants of a
//! conversation.

use std::fs;
use std::time::{Duration, Instant};

use situated_acl::envelope::{Envelope, Layer};
use situated_acl::{
    AgentIdentifier, Conversation, Dialect, Encoding, Expression, Message, Monitor, Performative, Phase, Profile,
    Protocol, Role, UserParameter, Word,
};

/// Number of small inputs that are compared with one large input of the same total size.
const FACTOR: usize = 16;

/// CPU time of this thread, where the system measures it; otherwise elapsed time.
fn computed(since: Instant) -> Duration {
    let schedule = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = schedule.as_deref().and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

/// Compares the work on one large input with that on many small ones of the same total size. Quadratic work would
/// take 16 times as long.
fn assert_linear<Input>(what: &str, size: usize, prepare: impl Fn(usize) -> Input, work: impl Fn(&mut Input)) {
    let fastest = |count: usize, size: usize| {
        let run = |_| {
            let mut inputs: Vec<Input> = (0..count).map(|_| prepare(size)).collect();
            let now = Instant::now();
            let begin = computed(now);
            inputs.iter_mut().for_each(&work);
            computed(now) - begin
        };
        (0..2).map(run).min().expect("it has run")
    };
    let (several, one) = (fastest(FACTOR, size), fastest(1, FACTOR * size));
    let most = 4 * several + Duration::from_millis(40);
    assert!(one < most, "{what}: {one:?} for one, {several:?} for {FACTOR} of the same total size");
}

fn agent(index: usize) -> AgentIdentifier<'static> {
    AgentIdentifier::new(format!("agent-{index}@platform"))
}

/// Messages that are large in one respect.
fn long_messages(size: usize) -> [(&'static str, Message<'static>); 5] {
    let agents: Vec<_> = (0..size).map(agent).collect();
    let urls = (0..size).map(|index| format!("http://host-{index}:7778/acc").into()).collect();
    let words: Vec<Expression<'static>> = (0..size).map(|index| format!("word-{index}").into()).collect();
    [
        ("receivers", Message { receivers: agents.clone(), ..Message::inform() }),
        ("addresses", Message::inform().to(AgentIdentifier { addresses: urls, ..agent(0) })),
        ("resolvers", Message::inform().to(AgentIdentifier { resolvers: agents, ..agent(0) })),
        ("values", Message::inform().ontology(words)),
        ("content", Message::inform().content("a \"b\" <c> & (d) ".repeat(size))),
    ]
}

#[test]
fn encodings_take_linear_time() {
    for encoding in Encoding::ALL {
        for (place, (what, _)) in long_messages(0).into_iter().enumerate() {
            let message = |size| long_messages(size).into_iter().nth(place).expect("it is one of them").1;
            let data = |size| encoding.encode(&message(size)).expect("it has a form");
            assert_linear(&format!("{encoding} encode {what}"), 400, message, |message| {
                encoding.encode(message).expect("it has a form");
            });
            assert_linear(&format!("{encoding} decode {what}"), 400, data, |data| {
                encoding.decode(data).expect("it is a message");
            });
            assert_linear(&format!("{encoding} decode leniently {what}"), 400, data, |data| {
                encoding.decode_prefix_leniently(data).expect("it is a message");
            });
        }
    }
}

#[test]
fn decoding_messages_of_jade_takes_linear_time() {
    for encoding in Encoding::ALL {
        for (place, (what, _)) in long_messages(0).into_iter().enumerate() {
            let message = |size| long_messages(size).into_iter().nth(place).expect("it is one of them").1;
            let data = |size| Dialect::Jade.encode(encoding, &message(size)).expect("it has a form");
            assert_linear(&format!("{encoding} of JADE {what}"), 200, data, |data| {
                Dialect::Jade.decode(encoding, data).expect("it is a message");
            });
        }
    }
    for part in ["</content>", "</content> <", "<![CDATA[]]>", "\" ", "=\"&", "\\\" )", "<sender>", "#9\""] {
        let hostile = |size: usize| part.repeat(size);
        assert_linear(part, 2_000, hostile, |hostile| {
            for document in [
                format!("<fipa-message act=\"CFP\"><content>{hostile}</content></fipa-message>"),
                format!("<fipa-message act=\"CFP\"><sender><agent-identifier><name id=\"{hostile}\"/>"),
            ] {
                let _ = Dialect::Jade.decode(Encoding::Xml, document.as_bytes());
            }
            let _ = Dialect::Jade.decode(Encoding::String, format!("(cfp :content \"{hostile}").as_bytes());
        });
    }
}

#[test]
fn repairing_takes_linear_time() {
    let bare = |size: usize| {
        let names: String = (0..size).map(|index| format!(" a{index}")).collect();
        format!("(inform :receiver (set{names}) :content{})", names.replace(' ', " :")).into_bytes()
    };
    assert_linear("names alone", 1_000, bare, |data| {
        let read = Encoding::String.decode_leniently(data).expect("it can be repaired");
        assert_eq!(read.message.receivers.len() + 1, read.repairs.len());
    });
    let nested = |size: usize| format!("(inform :content {} )", "(a :sender \"b)\") ".repeat(size)).into_bytes();
    assert_linear("messages in a content", 1_000, nested, |data| {
        Encoding::String.decode_leniently(data).expect("it can be repaired");
    });
}

#[test]
fn an_auction_takes_time_linear_in_its_bidders() {
    // The last bidder leads. Accepting all other bids is also judged for each of them.
    let auction = |size: usize| {
        let mut auction = Conversation::new(Protocol::EnglishAuction, Profile::Standard, Role::Initiator, "c1");
        let message = |act| Message::new(act).protocol(Protocol::EnglishAuction).conversation_id("c1");
        let to_all = |act| Message { receivers: (0..size).map(agent).collect(), ..message(act) };
        auction.sent(&to_all(Performative::Inform), 0);
        auction.sent(&to_all(Performative::Cfp), 0);
        for bidder in 0..size {
            auction.received(&message(Performative::Propose).from(agent(bidder)), 1);
        }
        let accept = message(Performative::AcceptProposal).to(agent(size - 1));
        assert!(!auction.sent(&accept, 2).is_violation());
        assert_eq!(auction.in_phase(Phase::Leading).count(), 1);
        (auction, to_all(Performative::AcceptProposal))
    };
    assert_linear("an auction", 500, auction, |(auction, accept)| {
        assert!(auction.sent(accept, 3).is_violation());
        assert_eq!(auction.in_phase(Phase::Leading).count(), 1);
    });
}

#[test]
fn a_monitor_takes_time_linear_in_receivers_and_names() {
    let cfp = |size: usize| {
        let id: Vec<Expression<'static>> = (0..size.min(100)).map(|index| format!("w{index}").into()).collect();
        let receivers = (0..size).map(agent).collect();
        let cfp = Message::cfp().from("A").protocol(Protocol::ContractNet).conversation_id(id);
        Message { receivers, ..cfp }
    };
    assert_linear("a call to many", 1_000, cfp, |cfp| {
        let mut monitor = Monitor::new(Profile::Standard);
        assert!(monitor.observe(cfp, 0).is_empty());
        assert_eq!(monitor.sessions(), cfp.receivers.len());
    });
    let long_name = |size: usize| {
        let id: Vec<Expression<'static>> = (0..size).map(|index| format!("word-{index}").into()).collect();
        Message::cfp().from("A").to("B").protocol(Protocol::ContractNet).conversation_id(id)
    };
    assert_linear("a long name", 2_000, long_name, |cfp| {
        assert_eq!(Monitor::new(Profile::Standard).observe(cfp, 0).len(), 1);
    });
}

#[test]
fn envelopes_take_time_linear_in_their_layers() {
    let envelope = |size: usize| {
        let parameter =
            |index| UserParameter { name: Word::new(format!("X-{index}")).expect("a word"), value: "x".into() };
        let layer = |index| Layer { user_parameters: vec![parameter(index)], ..Layer::default() };
        Envelope { base: layer(0), added: (1..size).map(layer).collect() }
    };
    assert_linear("layers", 250, envelope, |envelope| {
        assert_eq!(envelope.effective().user_parameters.len(), 1 + envelope.added.len());
    });
}
