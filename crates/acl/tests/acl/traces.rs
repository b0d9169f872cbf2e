//! Legal and illegal conversations: the acceptance traces T1 to T14.

use Performative::{
    AcceptProposal, Agree, Cancel, Cfp, Failure, Inform, InformIf, Propose, Proxy, QueryIf, Refuse, RejectProposal,
    Request, Subscribe,
};
use situated_acl::{
    Conversation, Judgement, Message, Performative, Phase, Profile, Protocol, Remark, Role, State, Time, Tokens,
    Verdict,
};

/// Both sides of a conversation. Messages arrive at once.
struct Table {
    initiator: Conversation,
    participants: Vec<(&'static str, Conversation)>,
    tokens: Tokens,
    /// The last messages of the initiator to each participant, and of each participant.
    last: Vec<[Option<Message<'static>>; 2]>,
    now: i64,
}

const ME: &str = "I";

impl Table {
    fn new(protocol: Protocol, profile: Profile, participants: &[&'static str]) -> Self {
        let side = |role| Conversation::new(protocol, profile, role, "c1").cancel_timeout(1000);
        Self {
            initiator: side(Role::Initiator),
            participants: participants.iter().map(|name| (*name, side(Role::Participant))).collect(),
            tokens: Tokens::new("t", 0),
            last: vec![[None, None]; participants.len()],
            now: 0,
        }
    }

    fn place(&self, name: &str) -> usize {
        self.participants.iter().position(|(other, _)| *other == name).expect("somebody at the table")
    }

    fn message(&mut self, act: Performative, from: &'static str, to: &'static str) -> Message<'static> {
        let protocol = self.initiator.protocol();
        let message = Message::new(act).from(from).to(to).protocol(protocol).conversation_id("c1");
        message.reply_with(self.tokens.fresh())
    }

    /// Sends a message from the initiator to a participant.
    fn to(&mut self, name: &'static str, act: Performative) -> [Judgement; 2] {
        let message = self.message(act, ME, name);
        self.send(message)
    }

    /// Sends the initiator's response to the last message of a participant.
    fn answer(&mut self, name: &'static str, act: Performative) -> [Judgement; 2] {
        let mut message = self.message(act, ME, name);
        message.in_reply_to = self.last[self.place(name)][1].as_ref().and_then(|last| last.reply_with.clone());
        self.send(message)
    }

    /// Sends a participant's response to the last message of the initiator.
    fn from(&mut self, name: &'static str, act: Performative) -> [Judgement; 2] {
        let mut message = self.message(act, name, ME);
        message.in_reply_to = self.last[self.place(name)][0].as_ref().and_then(|last| last.reply_with.clone());
        self.send(message)
    }

    fn send(&mut self, message: Message<'static>) -> [Judgement; 2] {
        let now = self.now;
        let from_initiator = message.sender == Some(ME.into());
        let name = if from_initiator { &message.receivers[0].name } else { &message.sender.as_ref().unwrap().name };
        let place = self.place(name);
        let participant = &mut self.participants[place].1;
        let judged = if from_initiator {
            [self.initiator.sent(&message, now), participant.received(&message, now)]
        } else {
            [participant.sent(&message, now), self.initiator.received(&message, now)]
        };
        self.last[place][usize::from(!from_initiator)] = Some(message);
        judged
    }

    /// The state of the session with a participant, for both sides.
    fn states(&self, name: &str) -> [State; 2] {
        [self.initiator.state_with(name), self.participants[self.place(name)].1.state_with(ME)]
    }
}

/// Checks that both sides consider a message legal, and are now in this phase.
#[track_caller]
fn leads(judged: [Judgement; 2], to: Phase) {
    for judgement in judged {
        assert_eq!(judgement.verdict, Verdict::Next(State::at(to)), "{judgement}");
        assert!(judgement.remarks.is_empty(), "{judgement}");
    }
}

#[track_caller]
fn out_of_sequence(judged: [Judgement; 2]) {
    judged.iter().for_each(|judgement| assert_eq!(judgement.verdict, Verdict::OutOfSequence, "{judgement}"));
}

#[test]
fn t01_a_request_is_agreed_to_and_done() {
    let mut table = Table::new(Protocol::Request, Profile::Standard, &["B"]);
    leads(table.to("B", Request), Phase::Requested);
    leads(table.from("B", Agree), Phase::Agreed);
    leads(table.from("B", Inform), Phase::Done);
    assert!(table.initiator.is_over() && table.participants[0].1.is_over());
}

#[test]
fn t02_a_request_may_be_done_at_once() {
    let mut table = Table::new(Protocol::Request, Profile::Standard, &["B"]);
    leads(table.to("B", Request), Phase::Requested);
    leads(table.from("B", Inform), Phase::Done);
}

#[test]
fn t03_cannot_refuse_after_agreeing() {
    let mut table = Table::new(Protocol::Request, Profile::Standard, &["B"]);
    table.to("B", Request);
    table.from("B", Agree);
    let judged = table.from("B", Refuse);
    out_of_sequence(judged);
    assert_eq!(
        judged[1].to_string(),
        "fipa-request, Agreed: `refuse` by the participant is out of sequence; legal acts are `failure`, `inform`, \
         `not-understood`"
    );
    assert_eq!(table.states("B"), [State::at(Phase::Agreed); 2]);
}

#[test]
fn t04_a_cancel_gets_a_response() {
    let mut table = Table::new(Protocol::Request, Profile::Standard, &["B"]);
    table.to("B", Request);
    table.from("B", Agree);
    table.to("B", Cancel);
    assert_eq!(table.states("B"), [State { phase: Phase::Agreed, cancelling: true }; 2]);
    leads(table.from("B", Inform), Phase::Cancelled);
}

#[test]
fn t04_a_cancel_that_fails_changes_nothing() {
    let mut table = Table::new(Protocol::Request, Profile::Standard, &["B"]);
    table.to("B", Request);
    table.from("B", Agree);
    table.to("B", Cancel);
    leads(table.from("B", Failure), Phase::Agreed);
}

#[test]
fn t04_a_cancel_without_a_response_has_its_own_deadline() {
    let mut table = Table::new(Protocol::Request, Profile::Standard, &["B"]);
    table.to("B", Request);
    table.from("B", Agree);
    assert_eq!(table.initiator.deadline(), None);
    table.to("B", Cancel);
    assert_eq!(table.initiator.deadline(), Some(1001));
    table.initiator.advance(1001);
    assert_eq!(table.initiator.state_with("B"), State::at(Phase::Cancelled));
}

#[test]
fn t05_a_result_that_crosses_a_cancel_counts() {
    let mut table = Table::new(Protocol::Request, Profile::Standard, &["B"]);
    table.to("B", Request);
    let request = table.last[0][0].clone().unwrap();
    table.to("B", Cancel);
    let result = table.send(request.reply(Inform).from("B").reply_with("x"));
    for judgement in result {
        assert_eq!(judgement.verdict, Verdict::Next(State { phase: Phase::Done, cancelling: true }), "{judgement}");
    }
    assert!(!table.initiator.is_over());
    let cancel = Message::cancel().from(ME).to("B").reply_with("t-2").conversation_id("c1");
    table.send(cancel.reply(Inform));
    assert_eq!(table.states("B"), [State::at(Phase::Done); 2]);
    assert!(table.initiator.is_over());
}

#[test]
fn t05_a_result_sent_before_the_cancel_arrived_counts() {
    let side = |role| Conversation::new(Protocol::Request, Profile::Standard, role, "c1");
    let (mut initiator, mut participant) = (side(Role::Initiator), side(Role::Participant));
    let request = Message::request().from(ME).to("B").conversation_id("c1").reply_with("r1");
    let cancel = Message::cancel().from(ME).to("B").conversation_id("c1").reply_with("r2");
    let result = request.reply(Inform);
    initiator.sent(&request, 0);
    initiator.sent(&cancel, 0);
    participant.received(&request, 1);
    participant.sent(&result, 1);
    let crossed = participant.received(&cancel, 2);
    assert_eq!(crossed.verdict, Verdict::Late { answer: Some(Failure) });
    initiator.received(&result, 3);
    initiator.received(&cancel.reply(Failure), 4);
    assert_eq!(initiator.state_with("B"), State::at(Phase::Done));
}

#[test]
fn t06_a_macro_act_is_a_response_only_in_the_tutorial() {
    for profile in [Profile::Standard, Profile::Tutorial] {
        let mut table = Table::new(Protocol::Query, profile, &["B"]);
        leads(table.to("B", QueryIf), Phase::Requested);
        let judged = table.from("B", InformIf);
        assert!(judged.iter().all(|judgement| judgement.remarks.contains(Remark::MacroAct)));
        assert_eq!(judged[1].is_violation(), profile == Profile::Standard, "{}", judged[1]);
    }
}

#[test]
fn t07_a_contract_net_ends_at_the_deadline_and_a_late_proposal_is_rejected() {
    let mut table = Table::new(Protocol::ContractNet, Profile::Standard, &["A", "B", "C"]);
    for name in ["A", "B", "C"] {
        let cfp = table.message(Cfp, ME, name).reply_by(Time::after(5000));
        leads(table.send(cfp), Phase::CfpSent);
    }
    assert_eq!(table.initiator.deadline(), Some(5001));
    leads(table.from("A", Propose), Phase::Proposed);
    leads(table.from("B", Refuse), Phase::Refused);
    assert_eq!(table.initiator.awaited().collect::<Vec<_>>(), ["C"]);

    table.now = 5001;
    table.initiator.advance(table.now);
    assert_eq!(table.initiator.awaited().count(), 0);
    assert_eq!(table.initiator.in_phase(Phase::Proposed).collect::<Vec<_>>(), ["A"]);
    leads(table.answer("A", AcceptProposal), Phase::Awarded);
    leads(table.from("A", Inform), Phase::Done);

    let late = table.from("C", Propose);
    for judgement in late {
        assert_eq!(judgement.verdict, Verdict::Late { answer: Some(RejectProposal) }, "{judgement}");
    }
    let answered = table.answer("C", RejectProposal);
    assert!(!answered[0].is_violation(), "{}", answered[0]);
    let states = ["A", "B", "C"].map(|name| table.initiator.state_with(name).phase);
    assert_eq!(states, [Phase::Done, Phase::Refused, Phase::NoBid]);
}

#[test]
fn t08_a_result_needs_an_accepted_proposal() {
    let mut table = Table::new(Protocol::ContractNet, Profile::Standard, &["A"]);
    table.to("A", Cfp);
    table.from("A", Propose);
    out_of_sequence(table.from("A", Inform));
    assert_eq!(table.states("A"), [State::at(Phase::Proposed); 2]);
}

#[test]
fn t09_only_an_iterated_contract_net_has_another_round() {
    let mut table = Table::new(Protocol::IteratedContractNet, Profile::Standard, &["A"]);
    leads(table.to("A", Cfp), Phase::CfpSent);
    leads(table.from("A", Propose), Phase::Proposed);
    leads(table.to("A", Cfp), Phase::CfpSent);
    leads(table.from("A", Propose), Phase::Proposed);
    leads(table.answer("A", AcceptProposal), Phase::Awarded);
    leads(table.from("A", Inform), Phase::Done);

    let mut table = Table::new(Protocol::ContractNet, Profile::Standard, &["A"]);
    table.to("A", Cfp);
    table.from("A", Propose);
    out_of_sequence(table.to("A", Cfp));
}

#[test]
fn t10_an_english_auction_is_won_by_the_last_leader() {
    let mut table = Table::new(Protocol::EnglishAuction, Profile::Standard, &["A", "B"]);
    for name in ["A", "B"] {
        leads(table.to(name, Inform), Phase::Open);
    }
    for name in ["A", "B"] {
        let cfp = table.message(Cfp, ME, name).reply_by(Time::after(1000));
        leads(table.send(cfp), Phase::Bidding);
    }
    for name in ["A", "B"] {
        leads(table.from(name, Propose), Phase::Bid);
    }
    leads(table.answer("A", AcceptProposal), Phase::Leading);
    let second = table.answer("B", AcceptProposal)[0];
    assert!(second.is_violation() && second.remarks.contains(Remark::Second), "{second}");

    let mut table = Table::new(Protocol::EnglishAuction, Profile::Standard, &["A", "B"]);
    for act in [Inform, Cfp] {
        table.to("A", act);
        table.to("B", act);
    }
    table.from("A", Propose);
    table.from("B", Propose);
    leads(table.answer("A", AcceptProposal), Phase::Leading);
    leads(table.answer("B", RejectProposal), Phase::Idle);
    for (name, phase) in [("A", Phase::Defending), ("B", Phase::Bidding)] {
        let cfp = table.message(Cfp, ME, name).reply_by(Time::after(1000));
        leads(table.send(cfp), phase);
    }
    table.now = 1001;
    table.initiator.advance(table.now);
    assert_eq!(table.initiator.awaited().count(), 0);
    leads(table.to("A", Inform), Phase::Ended);
    leads(table.to("B", Inform), Phase::Lost);
    leads(table.to("A", Request), Phase::Settling);
    leads(table.from("A", Agree), Phase::Agreed);
    leads(table.from("A", Inform), Phase::Settled);
    assert!(table.initiator.is_over());
}

#[test]
fn t10_a_higher_bid_takes_the_lead() {
    let mut table = Table::new(Protocol::EnglishAuction, Profile::Standard, &["A", "B"]);
    for act in [Inform, Cfp] {
        table.to("A", act);
        table.to("B", act);
    }
    table.from("A", Propose);
    table.answer("A", AcceptProposal);
    table.to("A", Cfp);
    table.to("B", Cfp);
    leads(table.from("B", Propose), Phase::Bid);
    leads(table.answer("B", AcceptProposal), Phase::Leading);
    assert_eq!(table.initiator.state_with("A"), State::at(Phase::Idle));
    table.to("A", RejectProposal);
    assert_eq!(table.states("A"), [State::at(Phase::Idle); 2]);
}

#[test]
fn t11_a_broker_passes_on_responses() {
    let mut table = Table::new(Protocol::Brokering, Profile::Standard, &["B"]);
    leads(table.to("B", Proxy), Phase::Requested);
    leads(table.from("B", Agree), Phase::Agreed);
    leads(table.from("B", Inform), Phase::Proxied);
    leads(table.from("B", Inform), Phase::Done);

    let mut table = Table::new(Protocol::Brokering, Profile::Standard, &["B"]);
    table.to("B", Proxy);
    table.from("B", Agree);
    leads(table.from("B", Failure), Phase::Failed);
}

#[test]
fn t11_a_brokered_subscription_continues_as_a_subscription() {
    let mut broker = Table::new(Protocol::Brokering, Profile::Standard, &["B"]);
    broker.initiator = broker.initiator.embedding(Protocol::Subscribe);
    broker.to("B", Proxy);
    for act in [Agree, Inform, Inform, Inform] {
        broker.from("B", act);
    }
    assert_eq!(broker.initiator.state_with("B"), State::at(Phase::Active));
}

#[test]
fn t11_recruited_agents_respond_directly() {
    let mut initiator = Conversation::new(Protocol::Recruiting, Profile::Standard, Role::Initiator, "c1");
    let proxy = Message::proxy().from(ME).to("R").protocol(Protocol::Recruiting).conversation_id("c1").reply_with("r1");
    let found = Message::inform().from("X").to(ME).protocol(Protocol::Request).conversation_id("c1").in_reply_to("r1");
    initiator.sent(&proxy, 0);
    assert_eq!(initiator.received(&found, 1).verdict, Verdict::NotMember);
    initiator.received(&proxy.reply(Agree), 1);
    initiator.received(&proxy.reply(Inform), 1);
    assert_eq!(initiator.received(&found, 1).verdict, Verdict::Next(State::at(Phase::Done)));
    for stranger in 1..10_000 {
        initiator.received(&found.clone().from(format!("X{stranger}")), 1);
    }
    assert_eq!(initiator.parties().count(), 10_001);
    assert_eq!(initiator.received(&found.clone().from("Y"), 1).verdict, Verdict::NotMember, "there are enough of them");
}

#[test]
fn t12_a_subscription_is_closed_by_cancel() {
    for profile in [Profile::Standard, Profile::Tutorial] {
        let mut table = Table::new(Protocol::Subscribe, profile, &["B"]);
        leads(table.to("B", Subscribe), Phase::Requested);
        leads(table.from("B", Inform), Phase::Active);
        leads(table.from("B", Inform), Phase::Active);
        table.to("B", Cancel);
        let closed = match profile {
            Profile::Standard => State { phase: Phase::Active, cancelling: true },
            Profile::Tutorial => State::at(Phase::Cancelled),
        };
        assert_eq!(table.states("B"), [closed; 2]);
    }
}

#[test]
fn t12_a_subscription_is_closed_by_a_cancel_without_reply_with() {
    let message = |act| Message::new(act).from(ME).to("B").protocol(Protocol::Subscribe).conversation_id("c1");
    for subscribe in [message(Subscribe), message(Subscribe).reply_with("r1")] {
        let mut table = Table::new(Protocol::Subscribe, Profile::Standard, &["B"]);
        let report = subscribe.reply(Inform).from("B");
        leads(table.send(subscribe.clone()), Phase::Requested);
        leads(table.send(report.clone()), Phase::Active);
        // JADE repeats the subscription's `reply-with` in the cancel.
        let cancel = Message { in_reply_to: subscribe.reply_with.clone(), ..message(Cancel) };
        table.send(cancel.clone());
        if subscribe.reply_with.is_some() {
            table.send(report.clone());
            assert_eq!(table.states("B"), [State { phase: Phase::Active, cancelling: true }; 2]);
        }
        leads(table.send(cancel.reply(Inform).from("B")), Phase::Cancelled);
        assert!(table.initiator.is_over() && table.participants[0].1.is_over());
        // If the response was a report that has crossed the cancel, this is the response.
        for judgement in table.send(cancel.reply(Inform).from("B")) {
            assert_eq!(judgement.verdict, Verdict::Late { answer: None }, "{judgement}");
        }
    }
}

#[test]
fn t13_accepts_a_response_without_in_reply_to_if_it_is_unambiguous() {
    let side = |role| Conversation::new(Protocol::DutchAuction, Profile::Standard, role, "c1");
    let mut auctioneer = side(Role::Initiator);
    let message = |act| Message::new(act).from(ME).to("B").conversation_id("c1");
    let propose = Message::propose().from("B").to(ME).conversation_id("c1");
    auctioneer.sent(&message(Inform), 0);
    auctioneer.sent(&message(Cfp).reply_with("r1"), 0);
    let clear = auctioneer.clone().received(&propose, 0);
    assert!(!clear.is_violation() && clear.remarks.contains(Remark::NoInReplyTo), "{clear}");

    auctioneer.sent(&message(Cfp).reply_with("r2"), 0);
    let unclear = auctioneer.clone().received(&propose, 0);
    assert!(unclear.is_violation() && unclear.remarks.contains(Remark::Ambiguous), "{unclear}");
    let old = auctioneer.clone().received(&propose.clone().in_reply_to("r1"), 0);
    assert_eq!(old.verdict, Verdict::Late { answer: Some(RejectProposal) });
    let wrong = auctioneer.clone().received(&propose.clone().in_reply_to("r0"), 0);
    assert!(wrong.is_violation() && wrong.remarks.contains(Remark::AnswersNothing), "{wrong}");
    assert!(!auctioneer.received(&propose.in_reply_to("r2"), 0).is_violation());
}

#[test]
fn t14_a_message_with_a_protocol_needs_a_conversation() {
    let request = Message::request().from(ME).to("B").protocol(Protocol::Request);
    let judged = |profile| Conversation::new(Protocol::Request, profile, Role::Initiator, "c1").sent(&request, 0);
    assert_eq!(judged(Profile::Standard).verdict, Verdict::OtherConversation);
    assert!(judged(Profile::Standard).remarks.contains(Remark::NoConversationId));
    assert!(!judged(Profile::Tutorial).is_violation());
    assert!(judged(Profile::Tutorial).remarks.contains(Remark::NoConversationId));
}

#[test]
fn a_platform_that_cannot_deliver_ends_the_session() {
    let mut initiator = Conversation::new(Protocol::Request, Profile::Standard, Role::Initiator, "c1");
    let request = Message::request().from(ME).to("B").conversation_id("c1").reply_with("r1");
    initiator.sent(&request, 0);
    let undelivered = Message::failure().from("ams@here").to(ME).conversation_id("c1").in_reply_to("r1");
    assert!(!initiator.received(&undelivered, 1).is_violation());
    assert_eq!(initiator.state_with("B"), State::at(Phase::Failed));
    assert_eq!(initiator.received(&undelivered, 2).verdict, Verdict::NotMember);
}

#[test]
fn stops_waiting_for_a_late_result() {
    let side = Conversation::new(Protocol::Request, Profile::Standard, Role::Initiator, "c1");
    let mut initiator = side.result_timeout(60_000);
    let request = Message::request().from(ME).to("B").conversation_id("c1").reply_with("r1").reply_by(Time::after(100));
    initiator.sent(&request, 0);
    assert_eq!(initiator.deadline(), Some(101));
    initiator.received(&request.reply(Agree), 100);
    assert_eq!(initiator.deadline(), Some(60_101));
    let late = initiator.received(&request.reply(Inform), 60_101);
    assert_eq!((late.verdict, late.state), (Verdict::Late { answer: None }, State::at(Phase::TimedOut)));
}
