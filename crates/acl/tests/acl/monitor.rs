//! A monitor detects broken rules, and its memory is bounded.

use Performative::{
    AcceptProposal, Agree, Cfp, Disconfirm, Failure, Inform, InformRef, Propose, Proxy, Refuse, Subscribe,
};
use situated_acl::{Finding, Message, Monitor, Performative, Problem, Profile, Protocol, Remark, Verdict};

fn message(act: Performative, from: &'static str, to: &'static str) -> Message<'static> {
    Message::new(act).from(from).to(to).protocol(Protocol::ContractNet).conversation_id("c1")
}

/// Returns the findings about a few messages, which are one second apart.
fn found(monitor: &mut Monitor, messages: &[Message<'_>]) -> Vec<Finding> {
    let findings = messages.iter().enumerate().map(|(second, message)| monitor.observe(message, second as i64 * 1000));
    findings.flatten().collect()
}

#[test]
fn a_correct_contract_net_has_no_findings() {
    let cfp = message(Cfp, "A", "B").to("C").reply_with("r1");
    let proposal = cfp.reply(Propose).from("C").reply_with("p1");
    let trace = [
        cfp.clone(),
        cfp.reply(Refuse).from("B"),
        proposal.clone(),
        proposal.reply(AcceptProposal).reply_with("r2"),
        message(Inform, "C", "A").in_reply_to("r2"),
    ];
    let mut monitor = Monitor::new(Profile::Standard);
    assert_eq!(found(&mut monitor, &trace), []);
    assert_eq!((monitor.conversations(), monitor.sessions()), (1, 2));
}

#[test]
fn findings_contain_the_agent_and_the_legal_acts() {
    let trace = [message(Cfp, "A", "B").to("C"), message(Propose, "B", "A"), message(AcceptProposal, "A", "B").to("C")];
    let findings = found(&mut Monitor::new(Profile::Standard), &trace);
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    let Problem::Judged(judgement) = &finding.problem else { panic!("{finding}") };
    assert_eq!(
        (finding.agent.as_deref(), judgement.receiver, judgement.verdict),
        (Some("A"), 1, Verdict::OutOfSequence)
    );
    assert_eq!(
        finding.to_string(),
        "`A` in conversation `c1`: fipa-contract-net, CfpSent: `accept-proposal` by the initiator is out of sequence; \
         legal acts are `cancel`, `not-understood`"
    );
}

#[test]
fn infers_protocols_only_by_the_rules_of_the_tutorial() {
    let question = Message::query_if().from("A").to("B").reply_with("q1").content("<product>plums</product>");
    let trace = [question.clone(), question.reply(Disconfirm), question.reply(Inform)];
    assert_eq!(found(&mut Monitor::new(Profile::Standard), &trace), []);
    let findings = found(&mut Monitor::new(Profile::Tutorial), &trace);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].is_violation());
}

#[test]
fn a_message_without_a_protocol_continues_its_conversation_and_breaks_no_rule() {
    let without_protocol = |message: Message<'static>| Message { protocol: None, ..message };
    let trace = [
        message(Cfp, "A", "B"),
        without_protocol(message(Propose, "B", "A")),
        message(AcceptProposal, "A", "B"),
        without_protocol(message(Refuse, "B", "A")),
        without_protocol(message(Inform, "X", "A")),
        message(Inform, "B", "A"),
    ];
    assert_eq!(found(&mut Monitor::new(Profile::Standard), &trace), []);
}

#[test]
fn a_platform_that_cannot_deliver_breaks_no_rule() {
    let mut monitor = Monitor::new(Profile::Standard);
    let trace = [
        message(Cfp, "A", "B@other").to("C").reply_with("r1"),
        message(Failure, "ams@other", "A").in_reply_to("r1"),
        message(Propose, "C", "A").in_reply_to("r1").reply_with("p1"),
        message(Failure, "AMS@another", "C").in_reply_to("p1"),
        Message { conversation_id: None, ..message(Failure, "ams@other", "A") },
        message(AcceptProposal, "A", "C").in_reply_to("p1"),
    ];
    assert_eq!(found(&mut monitor, &trace), []);
    assert!(monitor.observe(&message(Failure, "X@other", "A").in_reply_to("r1"), 9000)[0].is_violation());
}

#[test]
fn reports_macro_acts_everywhere() {
    let stray = Message::new(InformRef).from("A").to("B");
    for messages in [vec![stray.clone()], vec![message(Cfp, "B", "A"), stray.conversation_id("c1")]] {
        let findings = found(&mut Monitor::new(Profile::Standard), &messages);
        assert!(matches!(findings.as_slice(), [Finding { problem: Problem::MacroAct, .. }]), "{findings:?}");
    }

    let question = Message::query_ref().from("A").to("B").protocol(Protocol::Query).conversation_id("q1");
    let findings = found(&mut Monitor::new(Profile::Standard), &[question.clone(), question.reply(InformRef)]);
    let Problem::Judged(judgement) = &findings[0].problem else { panic!("{findings:?}") };
    assert!(judgement.remarks.contains(Remark::MacroAct) && judgement.is_violation());
}

#[test]
fn reports_a_protocol_without_a_conversation() {
    for profile in [Profile::Standard, Profile::Tutorial] {
        let subscription = Message::new(Subscribe).from("A").to("B").protocol(Protocol::Subscribe);
        let findings = found(&mut Monitor::new(profile), &[subscription]);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].is_violation(), profile == Profile::Standard);
    }
}

#[test]
fn reports_messages_without_a_conversation() {
    let mut monitor = Monitor::new(Profile::Standard);
    let findings = found(&mut monitor, &[message(Propose, "B", "A")]);
    assert_eq!(findings[0].problem, Problem::UnknownConversation(Protocol::ContractNet));
    let findings =
        found(&mut monitor, &[message(Cfp, "A", "B"), message(Propose, "B", "X"), message(Propose, "X", "A")]);
    assert_eq!(findings[0].problem, Problem::UnknownConversation(Protocol::ContractNet));
    assert!(matches!(&findings[1].problem, Problem::Judged(judgement) if judgement.verdict == Verdict::NotMember));
    let unknown = Message::cfp().from("A").to("B").protocol(situated_acl::Word::new("my-own").unwrap());
    let findings = found(&mut monitor, &[unknown.conversation_id("c9")]);
    assert_eq!(findings[0].problem, Problem::UnknownProtocol("my-own".into()));
}

/// Returns a request in a conversation with the same id as all others.
fn request(from: &'static str, to: &'static str) -> Message<'static> {
    Message::request().from(from).to(to).protocol(Protocol::Request).conversation_id("1")
}

#[test]
fn conversations_of_different_initiators_can_have_the_same_id() {
    let mut monitor = Monitor::new(Profile::Standard);
    let (from_a, from_b, from_c) = (request("A", "B"), request("B", "A"), request("C", "D"));
    let trace = [
        from_a.clone(),
        from_c.clone(),
        from_b.clone(),
        from_b.reply(Agree).from("A"),
        from_a.reply(Agree).from("B"),
        from_c.reply(Refuse).from("D"),
        from_a.reply(Inform).from("B"),
        from_b.reply(Inform).from("A"),
    ];
    assert_eq!(found(&mut monitor, &trace), []);
    assert_eq!((monitor.conversations(), monitor.sessions()), (3, 3));
    // None of them can begin again, be answered twice, or be answered by another request.
    for again in [from_a.clone(), from_b.reply(Inform).from("A"), from_a.reply(Performative::Request).in_reply_to("1")]
    {
        let findings = monitor.observe(&again, 9000);
        assert!(matches!(findings.as_slice(), [finding] if finding.is_violation()), "{again:?}: {findings:?}");
    }
    assert_eq!(monitor.conversations(), 3);
}

#[test]
fn a_broker_can_pass_on_a_request_in_the_same_conversation() {
    let proxy = Message::new(Proxy).from("A").to("B").protocol(Protocol::Brokering).conversation_id("1");
    let passed_on = request("B", "C");
    let trace = [
        proxy.clone(),
        proxy.reply(Agree),
        passed_on.clone(),
        proxy.reply(Inform),
        passed_on.reply(Agree),
        passed_on.reply(Inform),
        Message { performative: Inform, ..request("B", "A") },
    ];
    assert_eq!(found(&mut Monitor::new(Profile::Standard), &trace), []);
}

#[test]
fn follows_responses_to_another_agent_than_the_initiator() {
    let mut monitor = Monitor::new(Profile::Standard);
    let [one, other] = ["A", "X"].map(|from| Message { reply_to: vec!["C".into()], ..request(from, "B") });
    let trace = [one.clone(), other.clone(), one.reply(Agree), one.reply(Inform), other.reply(Refuse)];
    assert_eq!(one.reply(Agree).receivers, ["C".into()]);
    assert_eq!(found(&mut monitor, &trace), []);
    assert!(monitor.observe(&one.reply(Inform), 9000)[0].is_violation());
}

#[test]
fn forgets_the_oldest_finished_conversation_first() {
    let mut monitor = Monitor::with_bounds(Profile::Standard, 3, 100);
    let begin = |id: &'static str| Message::request().from("A").to("B").protocol(Protocol::Request).conversation_id(id);
    let trace = [begin("c1"), begin("c2"), begin("c3"), begin("c2").reply(Inform), begin("c4")];
    assert_eq!(found(&mut monitor, &trace), []);
    assert_eq!(monitor.conversations(), 3);
    assert_eq!(found(&mut monitor, &[begin("c1").reply(Agree)]), []);
    let [forgotten] = monitor.observe(&begin("c2").reply(Agree), 0).try_into().expect("one finding");
    assert_eq!(
        (&forgotten.problem, forgotten.is_violation()),
        (&Problem::UnknownConversation(Protocol::Request), false)
    );
}

#[test]
fn memory_is_bounded_for_many_conversations_and_agents() {
    let mut monitor = Monitor::with_bounds(Profile::Standard, 50, 200);
    for number in 0..2000 {
        let id = format!("c{number}");
        let mut cfp = Message::cfp().from("A").protocol(Protocol::ContractNet).conversation_id(&*id);
        for receiver in 0..number % 150 {
            cfp = cfp.to(format!("B{receiver}"));
        }
        assert_eq!(monitor.observe(&cfp, 0), []);
        assert!(monitor.conversations() <= 50 && monitor.sessions() <= 200);
    }
    let crowd = (0..300).fold(message(Cfp, "A", "B"), |cfp, receiver| cfp.to(format!("B{receiver}")));
    let findings = monitor.observe(&crowd, 0);
    assert!(findings.iter().all(|finding| finding.problem == Problem::TooMany && !finding.is_violation()));
    assert_eq!((findings.len(), monitor.conversations(), monitor.sessions()), (101, 1, 200));

    let long = "x".repeat(2000);
    assert_eq!(monitor.observe(&message(Cfp, "A", "B").conversation_id(long), 0)[0].problem, Problem::TooLong);
}
