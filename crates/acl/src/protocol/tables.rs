//! The tables. Everything else about protocols is derived from them.

use super::phase::Phase::*;
use super::table::Role::{Initiator as I, Participant as P};
use super::table::{Rivalry, Row, Silence, Table};
use crate::Performative as Act;

const fn table(rows: &'static [Row]) -> Table {
    Table { rows, silences: &[], rivalry: None }
}

pub(super) static REQUEST: Table = table(&[
    Row::to(Start, I, Act::Request, Requested, "requests an action"),
    Row::to(Requested, P, Act::Refuse, Refused, "refuses"),
    Row::to(Requested, P, Act::Agree, Agreed, "agrees"),
    Row::to(Requested, P, Act::Inform, Done, "has done it at once"),
    Row::to(Requested, P, Act::Failure, Failed, "has tried at once and failed"),
    Row::to(Agreed, P, Act::Inform, Done, "has done it; the content may be the result"),
    Row::to(Agreed, P, Act::Failure, Failed, "has tried and failed"),
]);

pub(super) static QUERY: Table = table(&[
    Row::to(Start, I, Act::QueryIf, Requested, "asks whether a proposition is true"),
    Row::to(Start, I, Act::QueryRef, Requested, "asks what a description refers to"),
    Row::to(Requested, P, Act::Refuse, Refused, "refuses to answer"),
    Row::to(Requested, P, Act::Agree, Agreed, "agrees to answer"),
    Row::to(Requested, P, Act::Inform, Done, "answers at once"),
    Row::to(Requested, P, Act::Failure, Failed, "cannot answer"),
    Row::to(Agreed, P, Act::Inform, Done, "answers"),
    Row::to(Agreed, P, Act::Failure, Failed, "could not find out"),
    Row::to(Requested, P, Act::Confirm, Done, "answers at once that it is true").in_tutorial(),
    Row::to(Requested, P, Act::Disconfirm, Done, "answers at once that it is false").in_tutorial(),
    Row::to(Agreed, P, Act::Confirm, Done, "answers that it is true").in_tutorial(),
    Row::to(Agreed, P, Act::Disconfirm, Done, "answers that it is false").in_tutorial(),
    Row::to(Requested, P, Act::InformIf, Done, "means `inform`").in_tutorial(),
    Row::to(Requested, P, Act::InformRef, Done, "means `inform`").in_tutorial(),
]);

pub(super) static REQUEST_WHEN: Table = table(&[
    Row::to(Start, I, Act::RequestWhen, Requested, "requests an action as soon as a condition is true"),
    Row::to(Requested, P, Act::Refuse, Refused, "refuses"),
    Row::to(Requested, P, Act::Agree, Waiting, "will do it when the condition is true"),
    Row::to(Waiting, P, Act::Inform, Done, "has done it"),
    Row::to(Waiting, P, Act::Failure, Failed, "has tried and failed"),
    Row::to(Requested, P, Act::Inform, Done, "has done it").in_tutorial(),
    Row::to(Requested, P, Act::Failure, Failed, "has tried and failed").in_tutorial(),
]);

pub(super) static REQUEST_WHENEVER: Table = table(&[
    Row::to(Start, I, Act::RequestWhenever, Requested, "requests an action each time a condition becomes true"),
    Row::to(Requested, P, Act::Refuse, Refused, "refuses"),
    Row::to(Requested, P, Act::Agree, Active, "will do it each time"),
    Row::to(Requested, P, Act::Inform, Active, "has done it for the first time"),
    Row::to(Requested, P, Act::Failure, Active, "has tried for the first time and failed"),
    Row::to(Active, P, Act::Inform, Active, "has done it once more"),
    Row::to(Active, P, Act::Failure, Active, "has tried and failed, and will try again next time"),
    Row::to(Active, P, Act::Refuse, Refused, "stops doing it"),
]);

pub(super) static CONTRACT_NET: Table = Table {
    rows: &[
        Row::to(Start, I, Act::Cfp, CfpSent, "calls for proposals, all at once, until a deadline"),
        Row::to(CfpSent, P, Act::Refuse, Refused, "makes no proposal"),
        Row::to(CfpSent, P, Act::Propose, Proposed, "proposes to do it, under conditions"),
        Row::to(Proposed, I, Act::RejectProposal, Rejected, "rejects the proposal"),
        Row::to(Proposed, I, Act::AcceptProposal, Awarded, "accepts the proposal"),
        Row::to(Awarded, P, Act::Inform, Done, "has done it; the content may be the result"),
        Row::to(Awarded, P, Act::Failure, Failed, "has tried and failed"),
        LATE_PROPOSAL,
        LATE_REFUSAL,
        REJECTION_OF_LATE_PROPOSAL,
        LATE_ACCEPTANCE,
        LATE_REJECTION,
    ],
    silences: &[NO_BID, EXPIRED],
    rivalry: None,
};

pub(super) static ITERATED_CONTRACT_NET: Table = Table {
    rows: &[
        Row::to(Start, I, Act::Cfp, CfpSent, "calls for proposals, all at once, until a deadline"),
        Row::to(CfpSent, P, Act::Refuse, Refused, "makes no proposal"),
        Row::to(CfpSent, P, Act::Propose, Proposed, "proposes to do it, under conditions"),
        Row::to(Proposed, I, Act::Cfp, CfpSent, "calls for better proposals: the next round"),
        Row::to(Proposed, I, Act::RejectProposal, Rejected, "rejects the proposal and ends the rounds"),
        Row::to(Proposed, I, Act::AcceptProposal, Awarded, "accepts the proposal"),
        Row::to(Awarded, P, Act::Inform, Done, "has done it; the content may be the result"),
        Row::to(Awarded, P, Act::Failure, Failed, "has tried and failed"),
        LATE_PROPOSAL,
        LATE_REFUSAL,
        REJECTION_OF_LATE_PROPOSAL,
        LATE_ACCEPTANCE,
        LATE_REJECTION,
        Row::late(Rejected, I, Act::Cfp, "calls for better proposals, after the proposal has expired"),
    ],
    silences: &[NO_BID, EXPIRED],
    rivalry: None,
};

const LATE_PROPOSAL: Row =
    Row::late(NoBid, P, Act::Propose, "makes a proposal too late").answered_by(Act::RejectProposal);
const LATE_REFUSAL: Row = Row::late(NoBid, P, Act::Refuse, "makes no proposal, after the deadline");
const REJECTION_OF_LATE_PROPOSAL: Row = Row::late(NoBid, I, Act::RejectProposal, "answers a late proposal");
const LATE_ACCEPTANCE: Row = Row::late(Rejected, I, Act::AcceptProposal, "accepts the proposal too late");
const LATE_REJECTION: Row = Row::late(Rejected, I, Act::RejectProposal, "rejects an expired proposal");
const NO_BID: Silence = Silence { in_phase: CfpSent, to: NoBid, meaning: "no proposal arrives in time" };
const EXPIRED: Silence =
    Silence { in_phase: Proposed, to: Rejected, meaning: "the proposal's own deadline has passed" };

pub(super) static ENGLISH_AUCTION: Table = Table {
    rows: &[
        Row::to(Start, I, Act::Inform, Open, "announces the auction"),
        Row::to(Open, I, Act::Cfp, Bidding, "calls a price"),
        Row::to(Bidding, P, Act::Propose, Bid, "bids this price"),
        Row::to(Bidding, I, Act::Cfp, Bidding, "calls a higher price; there was no bid"),
        Row::to(Bidding, I, Act::Inform, Lost, "ends the auction; there was no bid"),
        Row::to(Bid, I, Act::AcceptProposal, Leading, "accepts the best bid of the round"),
        Row::to(Bid, I, Act::RejectProposal, Idle, "prefers another bid"),
        Row::to(Bid, I, Act::Cfp, Bidding, "calls a higher price; the bid has crossed it"),
        Row::to(Bid, I, Act::Inform, Lost, "ends the auction; the bid has crossed that"),
        Row::to(Idle, I, Act::Cfp, Bidding, "calls a higher price"),
        Row::to(Idle, I, Act::Inform, Lost, "ends the auction"),
        Row::to(Leading, I, Act::Cfp, Defending, "calls a higher price"),
        Row::to(Leading, I, Act::Inform, Ended, "ends the auction"),
        Row::to(Defending, P, Act::Propose, Bid, "bids more, even against its own bid"),
        Row::to(Defending, I, Act::Cfp, Defending, "calls another price"),
        Row::to(Defending, I, Act::RejectProposal, Idle, "reports a higher bid"),
        Row::to(Defending, I, Act::Inform, Ended, "ends the auction"),
        Row::to(Ended, I, Act::Request, Settling, "asks the winner to pay"),
        Row::to(Settling, P, Act::Refuse, Refused, "refuses to pay"),
        Row::to(Settling, P, Act::Agree, Agreed, "agrees to pay"),
        Row::to(Settling, P, Act::Inform, Settled, "has paid at once"),
        Row::to(Settling, P, Act::Failure, Failed, "has tried to pay and failed"),
        Row::to(Agreed, P, Act::Inform, Settled, "has paid"),
        Row::to(Agreed, P, Act::Failure, Failed, "has tried to pay and failed"),
        Row::late(Idle, P, Act::Propose, "bids, too late for this round").answered_by(Act::RejectProposal),
        Row::late(Idle, I, Act::RejectProposal, "responds to a late bid, or reports a higher bid"),
        Row::late(Bidding, I, Act::RejectProposal, "responds to a bid of an earlier round"),
        Row::late(Lost, P, Act::Propose, "bids after the end").answered_by(Act::RejectProposal),
        Row::late(Lost, I, Act::RejectProposal, "responds to a late bid"),
        Row::late(Lost, I, Act::Request, "asks the winner to pay, after the winner's deadline"),
    ],
    silences: &[
        Silence { in_phase: Bidding, to: Idle, meaning: "there is no bid in this round" },
        Silence { in_phase: Defending, to: Defending, meaning: "the bid stands" },
        Silence { in_phase: Ended, to: Lost, meaning: "there is no request for payment: another agent has won" },
    ],
    rivalry: Some(Rivalry { only_one_in: Leading, displaced: Defending, to: Idle }),
};

pub(super) static DUTCH_AUCTION: Table = Table {
    rows: &[
        Row::to(Start, I, Act::Inform, Open, "announces the auction"),
        Row::to(Open, I, Act::Cfp, Bidding, "calls a high price"),
        Row::to(Bidding, P, Act::Propose, Bid, "takes it at that price"),
        Row::to(Bidding, I, Act::Cfp, Bidding, "calls a lower price"),
        Row::to(Bidding, I, Act::Inform, Closed, "ends the auction: all is sold, or there is no bid"),
        Row::to(Bid, I, Act::AcceptProposal, Won, "sells; this bid was first"),
        Row::to(Bid, I, Act::RejectProposal, Bidding, "has sold to another agent"),
        Row::to(Bid, I, Act::Cfp, Bidding, "calls a lower price; the bid has crossed it"),
        Row::to(Bid, I, Act::Inform, Closed, "ends the auction; the bid has crossed that"),
        Row::to(Idle, I, Act::Cfp, Bidding, "calls a lower price"),
        Row::to(Idle, I, Act::Inform, Closed, "ends the auction"),
        Row::to(Won, I, Act::Cfp, Bidding, "has more to sell"),
        Row::to(Won, I, Act::Inform, Closed, "ends the auction"),
        Row::late(Idle, P, Act::Propose, "bids, too late for this price").answered_by(Act::RejectProposal),
        Row::late(Idle, I, Act::RejectProposal, "responds to a late bid"),
        Row::late(Bidding, I, Act::RejectProposal, "responds to a bid at an earlier price"),
        Row::late(Closed, P, Act::Propose, "bids after the end").answered_by(Act::RejectProposal),
        Row::late(Closed, I, Act::RejectProposal, "responds to a late bid"),
    ],
    silences: &[Silence { in_phase: Bidding, to: Idle, meaning: "there is no bid at this price" }],
    rivalry: None,
};

pub(super) static BROKERING: Table = table(&[
    Row::to(Start, I, Act::Proxy, Requested, "asks to find agents and send them a message"),
    Row::to(Requested, P, Act::Refuse, Refused, "refuses"),
    Row::to(Requested, P, Act::Agree, Agreed, "agrees"),
    Row::to(Agreed, P, Act::Failure, Failed, "has found no agents, or cannot reach them"),
    Row::to(Agreed, P, Act::Inform, Proxied, "has sent them the message"),
    Row::to(Proxied, P, Act::Agree, Proxied, "passes on their agreement"),
    Row::to(Proxied, P, Act::Propose, Proxied, "passes on their proposal"),
    Row::to(Proxied, P, Act::Refuse, Refused, "passes on their refusal"),
    Row::to(Proxied, P, Act::Inform, Done, "passes on their result"),
    Row::to(Proxied, P, Act::Failure, Failed, "passes on their failure, or gets no response from them"),
    Row::to(Proxied, P, Act::Confirm, Done, "passes on that it is true").in_tutorial(),
    Row::to(Proxied, P, Act::Disconfirm, Done, "passes on that it is false").in_tutorial(),
]);

pub(super) static RECRUITING: Table = table(&[
    Row::to(Start, I, Act::Proxy, Requested, "asks to find agents and send them a message"),
    Row::to(Requested, P, Act::Refuse, Refused, "refuses"),
    Row::to(Requested, P, Act::Agree, Agreed, "agrees"),
    Row::to(Agreed, P, Act::Failure, Failed, "has found no agents, or cannot reach them"),
    Row::to(Agreed, P, Act::Inform, Done, "has sent them the message; they respond directly"),
]);

pub(super) static SUBSCRIBE: Table = table(&[
    Row::to(Start, I, Act::Subscribe, Requested, "asks to be informed, now and at each change"),
    Row::to(Requested, P, Act::Refuse, Refused, "refuses"),
    Row::to(Requested, P, Act::Agree, Active, "agrees"),
    Row::to(Requested, P, Act::Inform, Active, "reports the current state"),
    Row::to(Active, P, Act::Inform, Active, "reports a change"),
    Row::to(Active, P, Act::Failure, Failed, "can no longer report"),
]);

pub(super) static PROPOSE: Table = table(&[
    Row::to(Start, I, Act::Propose, Proposed, "proposes to do something"),
    Row::to(Proposed, P, Act::AcceptProposal, Accepted, "accepts the proposal"),
    Row::to(Proposed, P, Act::RejectProposal, Rejected, "rejects the proposal"),
]);
