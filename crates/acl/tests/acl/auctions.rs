//! Auctions with several bidders, from the point of view of the auctioneer.

use Performative::{AcceptProposal, Cfp, Inform, Propose, RejectProposal, Request};
use situated_acl::{
    Conversation, Judgement, Message, Monitor, Performative, Phase, Profile, Protocol, Remark, Role, State, Time,
    Tokens, Verdict,
};

const BIDDERS: [&str; 3] = ["A", "B", "C"];

/// An auction whose messages a monitor also judges.
struct Auction {
    auctioneer: Conversation,
    monitor: Monitor,
    tokens: Tokens,
    /// The last call and the last bid.
    call: Option<Message<'static>>,
    bids: [Option<Message<'static>>; 3],
    now: i64,
}

impl Auction {
    fn opened(protocol: Protocol) -> Self {
        let auctioneer = Conversation::new(protocol, Profile::Standard, Role::Initiator, "sale");
        let monitor = Monitor::new(Profile::Standard);
        let (tokens, bids) = (Tokens::new("t", 0), [const { None }; 3]);
        let mut auction = Self { auctioneer, monitor, tokens, call: None, bids, now: 0 };
        assert!(!auction.tell_all(Inform).is_violation());
        auction
    }

    fn message(&mut self, act: Performative) -> Message<'static> {
        let message = Message::new(act).protocol(self.auctioneer.protocol()).conversation_id("sale");
        message.reply_with(self.tokens.fresh())
    }

    /// Processes a message, and checks that the monitor agrees.
    fn take(&mut self, message: &Message<'static>) -> Judgement {
        let judgement = match message.sender == Some("S".into()) {
            true => self.auctioneer.sent(message, self.now),
            false => self.auctioneer.received(message, self.now),
        };
        let violated = self.monitor.observe(message, self.now).iter().any(|finding| finding.is_violation());
        assert_eq!(violated, judgement.is_violation(), "{judgement}");
        judgement
    }

    fn tell_all(&mut self, act: Performative) -> Judgement {
        let message = BIDDERS.into_iter().fold(self.message(act).from("S"), Message::to);
        self.take(&message)
    }

    /// Begins the next round, which takes ten seconds.
    fn call(&mut self) -> Judgement {
        let call = BIDDERS.into_iter().fold(self.message(Cfp).from("S"), Message::to).reply_by(Time::after(10_000));
        let judgement = self.take(&call);
        self.call = Some(call);
        judgement
    }

    fn bid(&mut self, bidder: usize) -> Judgement {
        let call = self.call.clone().expect("there is a price");
        let bid = call.reply(Propose).from(BIDDERS[bidder]).reply_with(self.tokens.fresh());
        let judgement = self.take(&bid);
        self.bids[bidder] = Some(bid);
        judgement
    }

    fn answer(&mut self, bidder: usize, act: Performative) -> Judgement {
        let bid = self.bids[bidder].clone().expect("there is a bid");
        let answer = bid.reply(act).reply_with(self.tokens.fresh());
        self.take(&answer)
    }

    fn phases(&self) -> [Phase; 3] {
        BIDDERS.map(|bidder| self.auctioneer.state_with(bidder).phase)
    }
}

#[test]
fn the_price_rises_until_there_is_no_bid() {
    let mut auction = Auction::opened(Protocol::EnglishAuction);
    auction.call();
    (0..3).for_each(|bidder| assert!(!auction.bid(bidder).is_violation()));
    assert!(!auction.answer(1, AcceptProposal).is_violation());
    let second = auction.answer(0, AcceptProposal);
    assert!(second.is_violation() && second.remarks.contains(Remark::Second));
    [0, 2].into_iter().for_each(|bidder| assert!(!auction.answer(bidder, RejectProposal).is_violation()));
    assert_eq!(auction.phases(), [Phase::Idle, Phase::Leading, Phase::Idle]);

    auction.call();
    auction.bid(2);
    auction.answer(2, AcceptProposal);
    assert_eq!(auction.phases(), [Phase::Bidding, Phase::Idle, Phase::Leading]);
    assert_eq!(auction.auctioneer.awaited().collect::<Vec<_>>(), ["A"]);

    auction.call();
    auction.now = 20_000;
    auction.auctioneer.advance(auction.now);
    assert_eq!(auction.auctioneer.awaited().count(), 0);
    assert_eq!(auction.bid(0).verdict, Verdict::Late { answer: Some(RejectProposal) });
    assert_eq!(auction.answer(0, RejectProposal).verdict, Verdict::Late { answer: None });
    auction.tell_all(Inform);
    assert_eq!(auction.phases(), [Phase::Lost, Phase::Lost, Phase::Ended]);
    let request = auction.message(Request).from("S").to("C");
    assert!(!auction.take(&request).is_violation());
    assert!(!auction.take(&request.reply(Inform)).is_violation());
    assert_eq!(auction.phases(), [Phase::Lost, Phase::Lost, Phase::Settled]);
    assert!(auction.auctioneer.is_over());
}

#[test]
fn the_price_falls_until_all_is_sold() {
    let mut auction = Auction::opened(Protocol::DutchAuction);
    auction.call();
    assert!(!auction.call().is_violation());
    auction.bid(0);
    auction.bid(1);
    auction.answer(0, AcceptProposal);
    auction.answer(1, RejectProposal);
    assert_eq!(auction.phases(), [Phase::Won, Phase::Bidding, Phase::Bidding]);
    assert!(!auction.call().is_violation(), "there is more to sell");
    auction.bid(1);
    assert!(!auction.answer(1, AcceptProposal).is_violation());
    assert!(!auction.tell_all(Inform).is_violation());
    assert_eq!(auction.phases(), [Phase::Closed; 3]);
    assert_eq!(auction.bid(2).verdict, Verdict::Late { answer: Some(RejectProposal) });
}

#[test]
fn a_bid_for_an_earlier_price_is_late() {
    let mut auction = Auction::opened(Protocol::DutchAuction);
    auction.call();
    let earlier = auction.call.clone();
    auction.call();
    let later = std::mem::replace(&mut auction.call, earlier);
    assert_eq!(auction.bid(0).verdict, Verdict::Late { answer: Some(RejectProposal) });
    assert_eq!(auction.auctioneer.state_with("A"), State::at(Phase::Bidding));
    assert!(!auction.answer(0, RejectProposal).is_violation());
    auction.call = later;
    assert!(!auction.bid(0).is_violation());
}

#[test]
fn not_understood_ends_only_the_session_of_its_bidder() {
    let mut auction = Auction::opened(Protocol::EnglishAuction);
    auction.call();
    let odd = auction.call.clone().expect("there is a price").reply(Performative::NotUnderstood).from("B");
    assert!(!auction.take(&odd).is_violation());
    assert_eq!(auction.phases(), [Phase::Bidding, Phase::NotUnderstood, Phase::Bidding]);
    assert!(!auction.bid(0).is_violation());
}
