//! All sessions of a conversation, by the names of the participants.

use hashbrown::HashTable;

use super::fingerprint;
use super::judgement::{Judgement, Remark, Remarks};
use super::session::{Patience, Said, Session};
use crate::{Phase, Profile, Protocol, Role, State, Verdict, Word};

/// Maximum number of followed agents in a conversation that were not addressed.
const MOST_STRANGERS: usize = 10_000;

/// The sessions of a conversation, in the order in which they began.
#[derive(Clone, Debug)]
pub(crate) struct Sessions {
    pub protocol: Protocol,
    pub profile: Profile,
    /// The protocol of the message that a broker or a recruiter passes on.
    pub embedded: Option<Protocol>,
    pub patience: Patience,
    parties: Vec<Party>,
    by_name: HashTable<u32>,
    /// Number of sessions that are not over.
    running: usize,
    /// Number of sessions in the phase for one participant only, if the protocol has such a phase.
    leading: usize,
}

/// The agent at the other end of a session.
#[derive(Clone, Debug)]
pub(crate) struct Party {
    pub name: Box<str>,
    pub session: Session,
    fingerprint: u64,
}

impl Sessions {
    pub(crate) fn new(protocol: Protocol, profile: Profile) -> Self {
        let patience = Patience::default();
        let (parties, by_name) = (Vec::new(), HashTable::new());
        Self { protocol, profile, embedded: None, patience, parties, by_name, running: 0, leading: 0 }
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Party> {
        self.parties.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.parties.len()
    }

    pub(crate) fn with(&self, name: &str) -> Option<&Party> {
        self.find(name, fingerprint::of_name(name)).map(|place| &self.parties[place])
    }

    /// Whether messages with this protocol, or without one, belong to this conversation.
    pub(crate) fn have(&self, protocol: Option<&Word<'_>>) -> bool {
        let Some(named) = protocol.map(|token| Protocol::named(token.as_str())) else { return true };
        let passed_on = matches!(self.protocol, Protocol::Brokering | Protocol::Recruiting);
        named.is_some_and(|named| match self.embedded {
            _ if named == self.protocol => true,
            Some(embedded) => passed_on && named == embedded,
            None => passed_on && matches!(named, Protocol::Request | Protocol::Query),
        })
    }

    /// Processes all deadlines that have passed.
    pub(crate) fn expire(&mut self, now: i64) {
        self.parties.iter_mut().for_each(|party| party.session.expire(now));
        self.count();
    }

    /// Whether no further message is expected in any of them.
    pub(crate) fn are_over(&self) -> bool {
        !self.parties.is_empty() && self.running == 0
    }

    /// Fails the session that waits for a response to this `reply-with`, if it is the only one: the undelivered
    /// message belongs to it.
    pub(crate) fn fail_only_one_awaiting(&mut self, token: u64) -> bool {
        let mut waiting = self
            .parties
            .iter_mut()
            .filter(|party| party.session.awaits_answer_to(token) && party.session.awaits_participant());
        match (waiting.next(), waiting.next()) {
            (Some(only), None) => {
                only.session.fail();
                self.count();
                true
            }
            _ => false,
        }
    }

    pub(crate) fn fail(&mut self, name: &str) {
        if let Some(place) = self.find(name, fingerprint::of_name(name)) {
            self.parties[place].session.fail();
            self.count();
        }
    }

    /// Judges a message in the session with this agent.
    pub(crate) fn judge(&self, name: &str, said: Said, now: i64) -> Judgement {
        self.judged(self.find(name, fingerprint::of_name(name)), said, now).0
    }

    /// Judges a message in the session with this agent, and changes the state if the message is legal.
    pub(crate) fn hear(&mut self, name: &str, said: Said, now: i64) -> Judgement {
        let fingerprint = fingerprint::of_name(name);
        let place = self.find(name, fingerprint);
        let (judgement, mut session) = self.judged(place, said, now);
        let Verdict::Next(next) = judgement.verdict else {
            if let Verdict::Late { answer: Some(_) } = judgement.verdict {
                session.note_late(said);
            }
            if let Some(place) = place {
                self.set(place, session);
            }
            return judgement;
        };
        session.follow(said, next, now, self.patience);
        if next.phase == Phase::Proxied
            && session.protocol == Protocol::Brokering
            && let Some(embedded) = self.embedded
        {
            session.protocol = embedded;
            session.state.phase = embedded.opened();
        }
        let place = place.unwrap_or_else(|| self.add(name, fingerprint, session));
        self.set(place, session);
        self.displace_rivals(place, next);
        judgement
    }

    fn set(&mut self, place: usize, session: Session) {
        let before = std::mem::replace(&mut self.parties[place].session, session);
        self.running += usize::from(!session.state.is_over());
        self.running -= usize::from(!before.state.is_over());
        self.leading += usize::from(self.leads(session.state));
        self.leading -= usize::from(self.leads(before.state));
    }

    fn count(&mut self) {
        self.running = self.parties.iter().filter(|party| !party.session.state.is_over()).count();
        self.leading = self.parties.iter().filter(|party| self.leads(party.session.state)).count();
    }

    /// Whether this state is in the phase for one participant only.
    fn leads(&self, state: State) -> bool {
        self.protocol.table().rivalry.is_some_and(|rivalry| state.phase == rivalry.only_one_in)
    }

    /// Returns the judgement, and the session before the message.
    fn judged(&self, place: Option<usize>, said: Said, now: i64) -> (Judgement, Session) {
        let mut session = match place {
            Some(place) => self.parties[place].session,
            None => self.stranger(said.by),
        };
        session.expire(now);
        let (mut verdict, mut remarks) = session.judge(self.profile, said);
        if place.is_none() && said.by == Role::Participant && session.state == State::START {
            verdict = Verdict::NotMember;
        }
        if self.is_second(place, verdict) {
            verdict = Verdict::OutOfSequence;
            remarks.add(Remark::Second);
        }
        (self.judgement(&session, said, verdict, remarks), session)
    }

    fn judgement(&self, session: &Session, said: Said, verdict: Verdict, remarks: Remarks) -> Judgement {
        Judgement {
            verdict,
            remarks,
            protocol: session.protocol,
            profile: self.profile,
            by: said.by,
            act: said.act,
            state: session.state,
            receiver: 0,
        }
    }

    /// Creates a session with an agent that had none. Agents that a recruiter has found respond without having been
    /// addressed.
    fn stranger(&self, by: Role) -> Session {
        let recruited = self.protocol == Protocol::Recruiting
            && self.parties.len() <= MOST_STRANGERS
            && self.parties.first().is_some_and(|recruiter| recruiter.session.state.phase == Phase::Done);
        if by == Role::Participant && recruited {
            let embedded = self.embedded.unwrap_or(Protocol::Request);
            return Session::new(embedded, embedded.opened());
        }
        Session::new(self.protocol, Phase::Start)
    }

    /// Whether this would be the second participant in a phase for one only.
    fn is_second(&self, place: Option<usize>, verdict: Verdict) -> bool {
        let Verdict::Next(next) = verdict else { return false };
        let leads_itself = place.is_some_and(|place| self.leads(self.parties[place].session.state));
        self.leads(next) && self.leading > usize::from(leads_itself)
    }

    fn displace_rivals(&mut self, place: usize, next: State) {
        let Some(rivalry) = self.protocol.table().rivalry.filter(|rivalry| rivalry.only_one_in == next.phase) else {
            return;
        };
        for (other, party) in self.parties.iter_mut().enumerate() {
            if other != place && party.session.state.phase == rivalry.displaced {
                party.session.state.phase = rivalry.to;
            }
        }
    }

    fn find(&self, name: &str, fingerprint: u64) -> Option<usize> {
        let is_it = |place: &u32| {
            let party = &self.parties[*place as usize];
            party.fingerprint == fingerprint && party.name.eq_ignore_ascii_case(name)
        };
        self.by_name.find(fingerprint, is_it).map(|place| *place as usize)
    }

    fn add(&mut self, name: &str, fingerprint: u64, session: Session) -> usize {
        let place = self.parties.len();
        self.running += usize::from(!session.state.is_over());
        self.leading += usize::from(self.leads(session.state));
        self.parties.push(Party { name: name.into(), session, fingerprint });
        let parties = &self.parties;
        self.by_name.insert_unique(fingerprint, place as u32, |place| parties[*place as usize].fingerprint);
        place
    }
}
