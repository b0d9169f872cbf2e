//! The tables. Everything else about protocols is made from them.

use super::Phase::*;
use super::Role::{Initiator as I, Participant as P};
use super::{Protocol, Rivalry, Row, Silence, Table};
use crate::Performative as Act;

pub(super) const fn of(protocol: Protocol) -> &'static Table {
    match protocol {
        Protocol::Request => &REQUEST,
        Protocol::Query => &QUERY,
        Protocol::RequestWhen => &REQUEST_WHEN,
        Protocol::RequestWhenever => &REQUEST_WHENEVER,
        Protocol::ContractNet => &CONTRACT_NET,
        Protocol::IteratedContractNet => &ITERATED_CONTRACT_NET,
        Protocol::EnglishAuction => &ENGLISH_AUCTION,
        Protocol::DutchAuction => &DUTCH_AUCTION,
        Protocol::Brokering => &BROKERING,
        Protocol::Recruiting => &RECRUITING,
        Protocol::Subscribe => &SUBSCRIBE,
        Protocol::Propose => &PROPOSE,
    }
}

const fn table(rows: &'static [Row]) -> Table {
    Table { rows, silences: &[], rivalry: None }
}

static REQUEST: Table = table(&[
    Row::to(Start, I, Act::Request, Requested, "wants an action to be done"),
    Row::to(Requested, P, Act::Refuse, Refused, "will not do it"),
    Row::to(Requested, P, Act::Agree, Agreed, "will do it"),
    Row::to(Requested, P, Act::Inform, Done, "has done it at once"),
    Row::to(Requested, P, Act::Failure, Failed, "has tried at once, in vain"),
    Row::to(Agreed, P, Act::Inform, Done, "has done it; the content may be the result"),
    Row::to(Agreed, P, Act::Failure, Failed, "has tried in vain"),
]);

static QUERY: Table = table(&[
    Row::to(Start, I, Act::QueryIf, Requested, "asks whether something is true"),
    Row::to(Start, I, Act::QueryRef, Requested, "asks what something refers to"),
    Row::to(Requested, P, Act::Refuse, Refused, "will not say"),
    Row::to(Requested, P, Act::Agree, Agreed, "will say"),
    Row::to(Requested, P, Act::Inform, Done, "says it at once"),
    Row::to(Requested, P, Act::Failure, Failed, "cannot say"),
    Row::to(Agreed, P, Act::Inform, Done, "says it"),
    Row::to(Agreed, P, Act::Failure, Failed, "has not been able to find out"),
    Row::to(Requested, P, Act::Confirm, Done, "says at once that it is true").in_tutorial(),
    Row::to(Requested, P, Act::Disconfirm, Done, "says at once that it is false").in_tutorial(),
    Row::to(Agreed, P, Act::Confirm, Done, "says that it is true").in_tutorial(),
    Row::to(Agreed, P, Act::Disconfirm, Done, "says that it is false").in_tutorial(),
    Row::to(Requested, P, Act::InformIf, Done, "means `inform`").in_tutorial(),
    Row::to(Requested, P, Act::InformRef, Done, "means `inform`").in_tutorial(),
]);

static REQUEST_WHEN: Table = table(&[
    Row::to(Start, I, Act::RequestWhen, Requested, "wants an action to be done as soon as something is true"),
    Row::to(Requested, P, Act::Refuse, Refused, "will not do it"),
    Row::to(Requested, P, Act::Agree, Waiting, "will do it when the time comes"),
    Row::to(Waiting, P, Act::Inform, Done, "has done it"),
    Row::to(Waiting, P, Act::Failure, Failed, "has tried in vain"),
    Row::to(Requested, P, Act::Inform, Done, "has done it").in_tutorial(),
    Row::to(Requested, P, Act::Failure, Failed, "has tried in vain").in_tutorial(),
]);

static REQUEST_WHENEVER: Table = table(&[
    Row::to(Start, I, Act::RequestWhenever, Requested, "wants an action to be done each time something becomes true"),
    Row::to(Requested, P, Act::Refuse, Refused, "will not do it"),
    Row::to(Requested, P, Act::Agree, Active, "will do it each time"),
    Row::to(Requested, P, Act::Inform, Active, "has done it for the first time"),
    Row::to(Requested, P, Act::Failure, Active, "has tried for the first time, in vain"),
    Row::to(Active, P, Act::Inform, Active, "has done it once more"),
    Row::to(Active, P, Act::Failure, Active, "has tried in vain, and will try again next time"),
    Row::to(Active, P, Act::Refuse, Refused, "will not do it any more"),
]);

static CONTRACT_NET: Table = Table {
    rows: &[
        Row::to(Start, I, Act::Cfp, CfpSent, "calls for proposals, all at once, until a deadline"),
        Row::to(CfpSent, P, Act::Refuse, Refused, "does not propose anything"),
        Row::to(CfpSent, P, Act::Propose, Proposed, "proposes to do it, under conditions"),
        Row::to(Proposed, I, Act::RejectProposal, Rejected, "does not want it"),
        Row::to(Proposed, I, Act::AcceptProposal, Awarded, "wants it to be done"),
        Row::to(Awarded, P, Act::Inform, Done, "has done it; the content may be the result"),
        Row::to(Awarded, P, Act::Failure, Failed, "has tried in vain"),
        LATE_PROPOSAL,
        LATE_REFUSAL,
        REJECTION_OF_LATE_PROPOSAL,
        LATE_ACCEPTANCE,
        LATE_REJECTION,
    ],
    silences: &[NO_BID, EXPIRED],
    rivalry: None,
};

static ITERATED_CONTRACT_NET: Table = Table {
    rows: &[
        Row::to(Start, I, Act::Cfp, CfpSent, "calls for proposals, all at once, until a deadline"),
        Row::to(CfpSent, P, Act::Refuse, Refused, "does not propose anything"),
        Row::to(CfpSent, P, Act::Propose, Proposed, "proposes to do it, under conditions"),
        Row::to(Proposed, I, Act::Cfp, CfpSent, "calls for better proposals: the next round"),
        Row::to(Proposed, I, Act::RejectProposal, Rejected, "does not want it, nor another"),
        Row::to(Proposed, I, Act::AcceptProposal, Awarded, "wants it to be done"),
        Row::to(Awarded, P, Act::Inform, Done, "has done it; the content may be the result"),
        Row::to(Awarded, P, Act::Failure, Failed, "has tried in vain"),
        LATE_PROPOSAL,
        LATE_REFUSAL,
        REJECTION_OF_LATE_PROPOSAL,
        LATE_ACCEPTANCE,
        LATE_REJECTION,
        Row::late(Rejected, I, Act::Cfp, "calls for better proposals, but nobody had answered in time"),
    ],
    silences: &[NO_BID, EXPIRED],
    rivalry: None,
};

const LATE_PROPOSAL: Row =
    Row::late(NoBid, P, Act::Propose, "proposes something, too late").answered_by(Act::RejectProposal);
const LATE_REFUSAL: Row = Row::late(NoBid, P, Act::Refuse, "does not propose anything, as its silence has said");
const REJECTION_OF_LATE_PROPOSAL: Row = Row::late(NoBid, I, Act::RejectProposal, "answers a late proposal");
const LATE_ACCEPTANCE: Row = Row::late(Rejected, I, Act::AcceptProposal, "wants what was proposed, too late");
const LATE_REJECTION: Row = Row::late(Rejected, I, Act::RejectProposal, "rejects what has expired");
const NO_BID: Silence = Silence { in_phase: CfpSent, to: NoBid, meaning: "nothing is proposed in time" };
const EXPIRED: Silence =
    Silence { in_phase: Proposed, to: Rejected, meaning: "the proposal's own deadline has passed" };

static ENGLISH_AUCTION: Table = Table {
    rows: &[
        Row::to(Start, I, Act::Inform, Open, "announces the auction"),
        Row::to(Open, I, Act::Cfp, Bidding, "calls a price"),
        Row::to(Bidding, P, Act::Propose, Bid, "bids that much"),
        Row::to(Bidding, I, Act::Cfp, Bidding, "calls a higher price; there was no bid"),
        Row::to(Bidding, I, Act::Inform, Lost, "ends the auction; there was no bid"),
        Row::to(Bid, I, Act::AcceptProposal, Leading, "takes the bid for the best; there is one in a round"),
        Row::to(Bid, I, Act::RejectProposal, Idle, "prefers another bid"),
        Row::to(Bid, I, Act::Cfp, Bidding, "calls a higher price; the bid has crossed it"),
        Row::to(Bid, I, Act::Inform, Lost, "ends the auction; the bid has crossed that"),
        Row::to(Idle, I, Act::Cfp, Bidding, "calls a higher price"),
        Row::to(Idle, I, Act::Inform, Lost, "ends the auction"),
        Row::to(Leading, I, Act::Cfp, Defending, "calls a higher price"),
        Row::to(Leading, I, Act::Inform, Ended, "ends the auction"),
        Row::to(Defending, P, Act::Propose, Bid, "bids more, be it against its own bid"),
        Row::to(Defending, I, Act::Cfp, Defending, "calls another price"),
        Row::to(Defending, I, Act::RejectProposal, Idle, "says that somebody has bid more"),
        Row::to(Defending, I, Act::Inform, Ended, "ends the auction"),
        Row::to(Ended, I, Act::Request, Settling, "asks the winner to pay"),
        Row::to(Settling, P, Act::Refuse, Refused, "will not pay"),
        Row::to(Settling, P, Act::Agree, Agreed, "will pay"),
        Row::to(Settling, P, Act::Inform, Settled, "has paid at once"),
        Row::to(Settling, P, Act::Failure, Failed, "has tried to pay, in vain"),
        Row::to(Agreed, P, Act::Inform, Settled, "has paid"),
        Row::to(Agreed, P, Act::Failure, Failed, "has tried to pay, in vain"),
        Row::late(Idle, P, Act::Propose, "bids, too late for this round").answered_by(Act::RejectProposal),
        Row::late(Idle, I, Act::RejectProposal, "answers a late bid, or says that somebody has bid more"),
        Row::late(Bidding, I, Act::RejectProposal, "answers a bid of an earlier round"),
        Row::late(Lost, P, Act::Propose, "bids after the end").answered_by(Act::RejectProposal),
        Row::late(Lost, I, Act::RejectProposal, "answers a late bid"),
        Row::late(Lost, I, Act::Request, "asks the winner to pay, who no longer waits for it"),
    ],
    silences: &[
        Silence { in_phase: Bidding, to: Idle, meaning: "there is no bid in this round" },
        Silence { in_phase: Defending, to: Defending, meaning: "the bid stands" },
        Silence { in_phase: Ended, to: Lost, meaning: "nobody asks for payment: another has won" },
    ],
    rivalry: Some(Rivalry { only_one_in: Leading, displaced: Defending, to: Idle }),
};

static DUTCH_AUCTION: Table = Table {
    rows: &[
        Row::to(Start, I, Act::Inform, Open, "announces the auction"),
        Row::to(Open, I, Act::Cfp, Bidding, "calls a high price"),
        Row::to(Bidding, P, Act::Propose, Bid, "takes it at that price"),
        Row::to(Bidding, I, Act::Cfp, Bidding, "calls a lower price"),
        Row::to(Bidding, I, Act::Inform, Closed, "ends the auction: all is sold, or nobody wants it"),
        Row::to(Bid, I, Act::AcceptProposal, Won, "sells; this bid was first"),
        Row::to(Bid, I, Act::RejectProposal, Bidding, "has sold to somebody else"),
        Row::to(Bid, I, Act::Cfp, Bidding, "calls a lower price; the bid has crossed it"),
        Row::to(Bid, I, Act::Inform, Closed, "ends the auction; the bid has crossed that"),
        Row::to(Idle, I, Act::Cfp, Bidding, "calls a lower price"),
        Row::to(Idle, I, Act::Inform, Closed, "ends the auction"),
        Row::to(Won, I, Act::Cfp, Bidding, "has more to sell"),
        Row::to(Won, I, Act::Inform, Closed, "ends the auction"),
        Row::late(Idle, P, Act::Propose, "bids, too late for this price").answered_by(Act::RejectProposal),
        Row::late(Idle, I, Act::RejectProposal, "answers a late bid"),
        Row::late(Bidding, I, Act::RejectProposal, "answers a bid at an earlier price"),
        Row::late(Closed, P, Act::Propose, "bids after the end").answered_by(Act::RejectProposal),
        Row::late(Closed, I, Act::RejectProposal, "answers a late bid"),
    ],
    silences: &[Silence { in_phase: Bidding, to: Idle, meaning: "there is no bid at this price" }],
    rivalry: None,
};

static BROKERING: Table = table(&[
    Row::to(Start, I, Act::Proxy, Requested, "wants agents to be found and to be sent a message"),
    Row::to(Requested, P, Act::Refuse, Refused, "will not look for them"),
    Row::to(Requested, P, Act::Agree, Agreed, "will look for them"),
    Row::to(Agreed, P, Act::Failure, Failed, "has found nobody, or cannot reach them"),
    Row::to(Agreed, P, Act::Inform, Proxied, "has sent them the message"),
    Row::to(Proxied, P, Act::Agree, Proxied, "passes on that they will do it"),
    Row::to(Proxied, P, Act::Propose, Proxied, "passes on what they propose"),
    Row::to(Proxied, P, Act::Refuse, Refused, "passes on that they will not do it"),
    Row::to(Proxied, P, Act::Inform, Done, "passes on what they say in the end"),
    Row::to(Proxied, P, Act::Failure, Failed, "passes on that they have failed, or can get nothing out of them"),
    Row::to(Proxied, P, Act::Confirm, Done, "passes on that it is true").in_tutorial(),
    Row::to(Proxied, P, Act::Disconfirm, Done, "passes on that it is false").in_tutorial(),
]);

static RECRUITING: Table = table(&[
    Row::to(Start, I, Act::Proxy, Requested, "wants agents to be found and to be sent a message"),
    Row::to(Requested, P, Act::Refuse, Refused, "will not look for them"),
    Row::to(Requested, P, Act::Agree, Agreed, "will look for them"),
    Row::to(Agreed, P, Act::Failure, Failed, "has found nobody, or cannot reach them"),
    Row::to(Agreed, P, Act::Inform, Done, "has sent them the message; they answer by themselves"),
]);

static SUBSCRIBE: Table = table(&[
    Row::to(Start, I, Act::Subscribe, Requested, "wants to be told, now and at each change"),
    Row::to(Requested, P, Act::Refuse, Refused, "will not tell"),
    Row::to(Requested, P, Act::Agree, Active, "will tell"),
    Row::to(Requested, P, Act::Inform, Active, "tells what it is now"),
    Row::to(Active, P, Act::Inform, Active, "tells what has changed"),
    Row::to(Active, P, Act::Failure, Failed, "cannot tell any more"),
]);

static PROPOSE: Table = table(&[
    Row::to(Start, I, Act::Propose, Proposed, "proposes to do something"),
    Row::to(Proposed, P, Act::AcceptProposal, Accepted, "wants it to be done"),
    Row::to(Proposed, P, Act::RejectProposal, Rejected, "does not want it"),
]);
