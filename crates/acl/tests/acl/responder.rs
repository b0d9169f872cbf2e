//! An agent with a responder, in the examples of the tutorial and by the standard.

use std::collections::BTreeMap;

use Performative::{Agree, Cancel, Confirm, Disconfirm, Failure, Inform, NotUnderstood, Refuse, Request, Subscribe};
use situated_acl::content::xml;
use situated_acl::{
    Abilities, AgentIdentifier, Clause, Content, Expression, Heard, Message, Monitor, Outcome, Performative, Profile,
    Protocol, Responder, TaskId, Truth, Understanding, string,
};

/// A market: the prices of goods, and tasks that take time.
#[derive(Default)]
struct Market {
    prices: BTreeMap<&'static str, u32>,
    auction: bool,
    slow: bool,
    stoppable: bool,
    begun: Vec<TaskId>,
    performed: u32,
    trusts: bool,
}

impl Market {
    fn selling(prices: &[(&'static str, u32)]) -> Self {
        Self { prices: prices.iter().copied().collect(), ..Self::default() }
    }
}

impl Abilities for Market {
    fn holds(&mut self, proposition: Clause<'_>) -> Truth {
        let known = |truth| if truth { Truth::True } else { Truth::False };
        let text = |name| xml::element(proposition.content, name);
        match (text("product"), text("price"), text("auction-state")) {
            (Some(product), None, None) => known(self.prices.contains_key(product)),
            (None, Some(price), None) => {
                known(self.prices.get("plums").is_some_and(|now| *now < price.parse().expect("a price")))
            }
            (None, None, Some("starting")) => known(self.auction),
            _ => Truth::Unknown,
        }
    }

    fn refers_to(&mut self, description: Clause<'_>) -> Option<Content<'static>> {
        let text = |name| xml::element(description.content, name);
        match (text("products"), text("product"), text("price")) {
            (Some(""), ..) => {
                let products = self.prices.keys().map(|product| format!("<product>{product}</product>"));
                Some(format!("<products>{}</products>", products.collect::<String>()).into())
            }
            (None, Some(""), None) => {
                self.prices.keys().next().map(|product| format!("<product>{product}</product>").into())
            }
            (None, Some(product), Some("")) => {
                let price = self.prices.get(product)?;
                Some(format!("<product>{product}</product><price>{price}</price>").into())
            }
            _ => None,
        }
    }

    fn perform(&mut self, action: Clause<'_>, task: TaskId) -> Outcome {
        self.performed += 1;
        match action.content.as_text() {
            _ if self.slow => {
                self.begun.push(task);
                Outcome::Begun
            }
            Some("sell") => Outcome::Done(Some("sold".into())),
            Some("break") => Outcome::Failed(xml::reason("broken")),
            _ => Outcome::Refused(xml::reason("insufficient-funds")),
        }
    }

    fn stop(&mut self, task: TaskId) -> bool {
        self.begun.retain(|begun| *begun != task);
        self.stoppable
    }

    fn statement(&mut self, proposition: Clause<'_>, truth: bool) -> Content<'static> {
        let text = proposition.content.as_text().unwrap_or_default();
        if truth { text.to_owned().into() } else { text.replace("forsale", "notforsale").into() }
    }

    fn may_say(&mut self, _: &Message<'_>, wanted_by: Option<&AgentIdentifier<'_>>) -> bool {
        self.trusts && wanted_by.is_some_and(|agent| agent.name == "A")
    }
}

/// A responder. A conversation judges each message that it sends.
struct Stage {
    responder: Responder,
    monitor: Monitor,
    market: Market,
}

impl Stage {
    fn new(profile: Profile, market: Market) -> Self {
        Self { responder: Responder::new("B", profile), monitor: Monitor::new(profile), market }
    }

    #[track_caller]
    fn judged(&mut self, messages: &[Message<'_>]) {
        for message in messages {
            let violation = self.monitor.observe(message, 0).into_iter().find(|finding| finding.is_violation());
            assert!(violation.is_none(), "{}", violation.expect("there is one"));
        }
    }

    #[track_caller]
    fn hear(&mut self, message: &Message<'_>) -> Vec<Message<'static>> {
        self.judged(std::slice::from_ref(message));
        let Heard::Answered(answers) = self.responder.hear(message, 0, &mut self.market) else { panic!("{message:?}") };
        self.judged(&answers);
        answers
    }

    #[track_caller]
    fn changed(&mut self) -> Vec<Message<'static>> {
        let messages = self.responder.changed(0, &mut self.market);
        self.judged(&messages);
        messages
    }
}

fn tutorial(text: &str) -> Message<'_> {
    string::decode_leniently(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}")).message
}

fn acts(messages: &[Message<'_>]) -> Vec<Performative> {
    messages.iter().map(|message| message.performative).collect()
}

#[track_caller]
fn only(messages: Vec<Message<'static>>, act: Performative, content: &str) -> Message<'static> {
    let [message] = <[_; 1]>::try_from(messages).unwrap_or_else(|all| panic!("{all:?}"));
    let text = message.content.as_ref().and_then(Content::as_text);
    assert_eq!((message.performative, text), (act, Some(content)));
    message
}

#[test]
fn a_query_is_confirmed_or_disconfirmed_in_the_tutorial() {
    let mut stage = Stage::new(Profile::Tutorial, Market::selling(&[("plums", 50)]));
    let ask = |product: &str| {
        let content = format!("<marketplace><product>{product}</product></marketplace>");
        format!("(query-if :sender A:receiver B :content {content} :language XML)")
    };
    let answer = stage.hear(&tutorial(&ask("plums")));
    assert_eq!(only(answer, Confirm, "<marketplace><product>plums</product></marketplace>").receivers, ["A".into()]);
    let answer = stage.hear(&tutorial(&ask("pears")));
    only(answer, Disconfirm, "<marketplace><product>pears</product></marketplace>");
    let unknown = tutorial("(query-if :sender A :receiver B :content <weather/>)");
    only(stage.hear(&unknown), Refuse, "<reason>unknown</reason>");
}

#[test]
fn a_query_is_answered_by_inform_in_the_standard() {
    let mut stage = Stage::new(Profile::Standard, Market::selling(&[]));
    let content = "<product>plums</product><status>forsale</status>";
    let query = Message::query_if().from("A").to("B").protocol(Protocol::Query).conversation_id("q1").reply_with("r1");
    let answer = stage.hear(&query.content(content));
    let answer = only(answer, Inform, "<product>plums</product><status>notforsale</status>");
    assert_eq!(answer.in_reply_to, Some("r1".into()));
}

#[test]
fn performs_inform_if_and_inform_ref_with_inform() {
    let mut stage = Stage::new(Profile::Tutorial, Market::selling(&[("peaches", 60)]));
    let question = tutorial(
        "(request :sender A :receiver B :content (inform-if :sender B :receiver A :content <product>plums</product> \
         <status>forsale</status> :language xml) :reply-with query1 :language sl)",
    );
    let answer = stage.hear(&question);
    let answer = only(answer, Inform, "<product>plums</product> <status>notforsale</status>");
    assert_eq!((answer.language, answer.in_reply_to), (Some("xml".into()), Some("query1".into())));

    let question = tutorial(
        "(request :sender A :receiver B :content (inform-ref :sender B :receiver A :content <product></product> \
         :language xml) :reply-with query2 :language sl)",
    );
    only(stage.hear(&question), Inform, "<product>peaches</product>");

    let mut strict = Stage::new(Profile::Standard, Market::selling(&[("peaches", 60)]));
    let nested = r#"(inform-ref :content "<product/>" :language xml)"#;
    let request =
        Message::request().from("A").to("B").protocol(Protocol::Request).conversation_id("c1").reply_with("r");
    only(strict.hear(&request.content(nested)), Inform, "<product>peaches</product>");
}

#[test]
fn a_subscription_informs_at_once_and_on_change_until_it_is_cancelled() {
    let mut stage = Stage::new(Profile::Tutorial, Market::selling(&[("plums", 50)]));
    let subscription = tutorial(
        "(subscribe :sender A :receiver B :content <products></products> :language xml \
         :conversation-id 2000-06-11-908)",
    );
    let first = only(stage.hear(&subscription), Inform, "<products><product>plums</product></products>");
    assert_eq!(first.conversation_id, Some(Expression::String("2000-06-11-908".into())));
    assert_eq!(stage.changed(), []);

    stage.market = Market::selling(&[("apples", 1), ("peaches", 2)]);
    only(stage.changed(), Inform, "<products><product>apples</product><product>peaches</product></products>");
    stage.market.prices.insert("apples", 7);
    assert_eq!(stage.changed(), []);

    let cancel = tutorial("(cancel :sender A :receiver B :language xml :conversation-id 2000-06-11-908)");
    assert_eq!(stage.hear(&cancel), []);
    stage.market.prices.clear();
    assert_eq!((stage.changed(), stage.responder.commitments()), (vec![], 0));
}

#[test]
fn a_subscription_by_the_standard_is_agreed_to_and_its_cancel_answered() {
    let mut stage = Stage::new(Profile::Standard, Market::selling(&[("plums", 50)]));
    let subscription = Message::subscribe().from("A").to("B").protocol(Protocol::Subscribe).conversation_id("s1");
    let subscription = subscription.reply_with("r1").content("<products/>");
    assert_eq!(acts(&stage.hear(&subscription)), [Agree, Inform]);
    assert!(matches!(stage.responder.hear(&subscription, 0, &mut stage.market), Heard::OutOfSequence));
    let cancel = Message::new(Cancel).from("A").to("B").protocol(Protocol::Subscribe).conversation_id("s1");
    let answers = stage.hear(&cancel.clone().reply_with("r2"));
    assert_eq!((acts(&answers), &answers[0].in_reply_to), (vec![Inform], &Some("r2".into())));
    assert_eq!(stage.responder.commitments(), 0);
    let Heard::Answered(again) = stage.responder.hear(&cancel, 0, &mut stage.market) else { panic!() };
    only(again, Failure, "<reason>unknown-conversation</reason>");
}

#[test]
fn a_cancel_without_reply_with_ends_a_commitment() {
    for (act, content) in [(Subscribe, "<products/>"), (Request, "sell")] {
        for reply_with in [None, Some("r1".into())] {
            let mut stage = Stage::new(Profile::Standard, Market { slow: true, ..Market::selling(&[("plums", 50)]) });
            stage.market.stoppable = true;
            let protocol = Protocol::opened_by(act).expect("it begins a conversation");
            let message = |act| Message::new(act).from("A").to("B").protocol(protocol).conversation_id("s1");
            stage.hear(&Message { reply_with: reply_with.clone(), ..message(act).content(content) });
            assert_eq!(stage.responder.commitments(), 1);
            let cancel = Message { in_reply_to: reply_with, ..message(Cancel) };
            assert_eq!(acts(&stage.hear(&cancel)), [Inform]);
            stage.market.prices.clear();
            assert_eq!((stage.changed(), stage.responder.commitments()), (vec![], 0));
        }
    }
}

#[test]
fn request_when_is_performed_once() {
    for profile in [Profile::Standard, Profile::Tutorial] {
        let mut stage = Stage::new(profile, Market::default());
        let content = "<message> (inform :content \"<auction-state>starting</auction-state>\") </message>\
                       <condition> <auction-state>starting</auction-state> </condition>";
        let request = Message::request_when().from("A").to("B").protocol(Protocol::RequestWhen).conversation_id("w1");
        let answers = stage.hear(&request.reply_with("r1").content(content));
        assert_eq!(acts(&answers), if profile == Profile::Standard { vec![Agree] } else { vec![] });
        assert_eq!(stage.changed(), []);
        stage.market.auction = true;
        only(stage.changed(), Inform, "<auction-state>starting</auction-state>");
        assert_eq!((stage.changed(), stage.responder.commitments()), (vec![], 0));
    }
}

#[test]
fn request_whenever_is_performed_each_time() {
    let mut stage = Stage::new(Profile::Tutorial, Market::selling(&[("plums", 60)]));
    let request = tutorial(
        "(request-whenever :sender A :receiver B :content <message> (inform :sender B :receiver A :content \
         <product>plums</product> <price></price>) </message> <condition> <price>50</price> </condition> \
         :language xml :conversation-id 2000-06-12-768)",
    );
    assert_eq!(stage.hear(&request), []);
    let mut received = Vec::new();
    for price in [55, 50, 49, 45, 50, 48, 47, 70, 20] {
        stage.market.prices.insert("plums", price);
        received.extend(stage.changed().into_iter().filter_map(|inform| inform.content));
    }
    let informed = |price| Content::from(format!("<product>plums</product><price>{price}</price>"));
    assert_eq!(received, [informed(49), informed(48), informed(20)]);

    let cancel = tutorial("(cancel :sender A :receiver B :conversation-id 2000-06-12-768)");
    assert_eq!(stage.hear(&cancel), []);
    assert_eq!(stage.responder.commitments(), 0);
}

#[test]
fn not_understood_contains_the_reason() {
    let mut stage = Stage::new(Profile::Tutorial, Market::default());
    stage.responder = Responder::new("B", Profile::Tutorial).understanding(
        Understanding::new()
            .language("XML")
            .ontology("mp.xsd")
            .protocol(Protocol::Query)
            .protocol(Protocol::ContractNet),
    );
    let query =
        || Message::query_if().from("A").to("B").content("<product>plums</product>").conversation_id("200006101030");
    let reason = |why: &str| format!("<reason>{why}</reason>");
    let answer = stage.hear(&query().language("xml").ontology("bid.xsd"));
    let answer = only(answer, NotUnderstood, &reason("ontology"));
    assert_eq!((answer.language, answer.ontology), (Some("xml".into()), None));
    assert_eq!(answer.conversation_id, query().conversation_id);

    stage.monitor = Monitor::new(Profile::Tutorial);
    only(stage.hear(&query().language("prolog")), NotUnderstood, &reason("language"));
    stage.monitor = Monitor::new(Profile::Tutorial);
    let subscription = Message::subscribe().from("A").to("B").protocol(Protocol::Subscribe).conversation_id("1");
    only(stage.hear(&subscription), NotUnderstood, &reason("protocol"));
    only(stage.hear(&Message::cfp().from("A").to("B").conversation_id("2")), NotUnderstood, &reason("act"));
    only(stage.hear(&Message::request().from("A").to("B").conversation_id("3")), NotUnderstood, &reason("content"));

    let odd = Message::not_understood().from("A").to("B").ontology("x");
    assert_eq!(stage.responder.hear(&odd, 0, &mut stage.market), Heard::Left);
    let answer = Message::propose().from("A").to("B").protocol(Protocol::ContractNet).conversation_id("4");
    assert_eq!(stage.responder.hear(&answer, 0, &mut stage.market), Heard::Left);
}

#[test]
fn agrees_to_long_tasks_and_can_cancel_them() {
    let mut stage = Stage::new(Profile::Standard, Market { slow: true, ..Market::default() });
    let request = Message::request().from("A").to("B").protocol(Protocol::Request).content("sell").reply_with("r1");
    only(stage.hear(&request.clone().conversation_id("c1")), Agree, "sell");
    let task = stage.market.begun[0];
    let done = stage.responder.finished(task, Outcome::Done(None), 0);
    stage.judged(&done);
    only(done, Inform, "sell");
    assert_eq!(stage.responder.finished(task, Outcome::Done(None), 0), []);

    for (id, stoppable, answer) in [("c2", false, Failure), ("c3", true, Inform)] {
        stage.market.stoppable = stoppable;
        stage.hear(&request.clone().conversation_id(id));
        let cancel =
            Message::cancel().from("A").to("B").protocol(Protocol::Request).conversation_id(id).reply_with("r2");
        assert_eq!(acts(&stage.hear(&cancel)), [answer]);
        assert_eq!(stage.responder.commitments(), usize::from(!stoppable));
        stage.responder = Responder::new("B", Profile::Standard);
    }
}

#[test]
fn an_action_is_done_refused_or_fails() {
    let mut stage = Stage::new(Profile::Standard, Market::default());
    let expected = [("sell", Inform, "sold"), ("break", Failure, "<reason>broken</reason>")];
    for (action, act, content) in expected.into_iter().chain([("buy", Refuse, "<reason>insufficient-funds</reason>")]) {
        let request = Message::request().from("A").to("B").protocol(Protocol::Request).conversation_id(action);
        only(stage.hear(&request.content(action)), act, content);
    }
}

#[test]
fn sends_messages_to_others_only_with_permission() {
    for trusts in [false, true] {
        let mut stage = Stage::new(Profile::Standard, Market { trusts, ..Market::selling(&[("plums", 5)]) });
        let request = Message::request().from("A").to("B").protocol(Protocol::Request).conversation_id("c1");
        let to_other = r#"(inform-ref :receiver (set (agent-identifier :name C)) :content "<product/>")"#;
        let answers = stage.hear(&request.clone().content(to_other));
        assert_eq!(acts(&answers), if trusts { vec![Inform, Inform] } else { vec![Refuse] });
        assert_eq!(answers[0].receivers, [if trusts { "C" } else { "A" }.into()]);
        let as_other = r#"(inform :sender (agent-identifier :name C) :content "<product>plums</product>")"#;
        let answers = stage.hear(&request.conversation_id("c2").content(as_other));
        only(answers, Refuse, "<reason>not-the-sender</reason>");
    }
}

#[test]
fn refuses_commitments_beyond_the_limit() {
    let mut stage = Stage::new(Profile::Standard, Market::selling(&[("plums", 50)]));
    stage.responder = Responder::new("B", Profile::Standard).at_most(2);
    for (id, act) in [("s1", Agree), ("s2", Agree), ("s3", Refuse)] {
        let subscription = Message::subscribe().from("A").to("B").protocol(Protocol::Subscribe).conversation_id(id);
        assert_eq!(stage.hear(&subscription.content("<products/>"))[0].performative, act);
    }
    assert_eq!(stage.responder.commitments(), 2);
}
