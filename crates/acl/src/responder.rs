//! Responses to the requests that an agent receives: queries, requests, conditional requests and subscriptions.

mod abilities;
mod commitment;
mod enacting;
mod understanding;
mod voice;

pub use abilities::{Abilities, Clause, Outcome, TaskId, Truth};
pub use understanding::{Objection, Understanding};

use self::commitment::{Commitment, Kind};
use self::voice::{Report, Voice};
use crate::content::xml;
use crate::{AgentIdentifier, Content, Message, Performative, Profile, Protocol, Role};

/// Default maximum number of commitments of an agent.
const COMMITMENTS: usize = 10_000;

/// Responds for an agent, by the tables of the protocols. It takes messages and returns messages. It asks the agent's
/// [`Abilities`] for its knowledge and lets them act.
///
/// An action that is itself a message, such as `(inform-if :content …)`, is performed by sending what it asks for.
/// Such messages are parsed by the grammar or, by the tutorial's rules, [leniently](crate::string::decode_leniently).
///
/// It responds to `query-if`, `query-ref`, `request`, `request-when`, `request-whenever`, `subscribe` and `cancel`.
/// The caller reports when something may have [changed](Responder::changed), so that subscriptions and conditional
/// requests are checked again. The responder answers other first acts with `not-understood`, unless the agent
/// [declares](Understanding::act) that it responds to them itself.
///
/// ```
/// use situated_acl::content::xml;
/// use situated_acl::{
///     Abilities, Clause, Content, Heard, Message, Outcome, Performative, Profile, Responder, TaskId, Truth,
/// };
///
/// struct Shop;
///
/// impl Abilities for Shop {
///     fn holds(&mut self, proposition: Clause<'_>) -> Truth {
///         if xml::element(proposition.content, "product") == Some("plums") { Truth::True } else { Truth::False }
///     }
///     fn refers_to(&mut self, _: Clause<'_>) -> Option<Content<'static>> {
///         Some("<products><product>plums</product></products>".into())
///     }
///     fn perform(&mut self, _: Clause<'_>, _: TaskId) -> Outcome {
///         Outcome::Refused(xml::reason("unable"))
///     }
/// }
///
/// let mut shop = Responder::new("B", Profile::Tutorial);
/// let question = Message::query_if().from("A").to("B").content("<product>plums</product>").language("XML");
/// let Heard::Answered(answers) = shop.hear(&question, 0, &mut Shop) else { panic!("it is answered") };
/// assert_eq!(answers[0].performative, Performative::Confirm);
/// assert_eq!(answers[0].content, question.content);
/// ```
#[derive(Clone, Debug)]
pub struct Responder {
    me: AgentIdentifier<'static>,
    profile: Profile,
    understanding: Understanding,
    most: usize,
    commitments: Vec<Commitment>,
    tasks: u64,
}

/// The result of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// The messages to send, possibly none.
    Answered(Vec<Message<'static>>),
    /// The message is not for the responder: it responds to a message of the agent, or the agent handles the act
    /// itself.
    Left,
    /// It begins a conversation that has already begun. There is no response.
    OutOfSequence,
}

impl Responder {
    /// Creates a responder for this agent, which understands everything.
    pub fn new<'a>(me: impl Into<AgentIdentifier<'a>>, profile: Profile) -> Self {
        Self {
            me: me.into().into_owned(),
            profile,
            understanding: Understanding::new(),
            most: COMMITMENTS,
            commitments: Vec::new(),
            tasks: 0,
        }
    }

    /// Sets what the agent understands.
    pub fn understanding(mut self, understanding: Understanding) -> Self {
        self.understanding = understanding;
        self
    }

    /// Sets the maximum number of commitments, instead of 10,000. The responder refuses further ones.
    pub fn at_most(mut self, commitments: usize) -> Self {
        self.most = commitments;
        self
    }

    /// The number of open commitments: subscriptions, conditional requests, and tasks in progress.
    pub fn commitments(&self) -> usize {
        self.commitments.len()
    }

    /// Processes a message that the agent has received at this time, in milliseconds since 1970.
    pub fn hear(&mut self, message: &Message<'_>, now: i64, abilities: &mut dyn Abilities) -> Heard {
        use Performative::{Cancel, NotUnderstood};
        let act = message.performative;
        let known = self.commitments.iter().position(|commitment| commitment.is_meant_by(message));
        if act == NotUnderstood {
            if let Some(place) = known {
                self.commitments.remove(place);
            }
            return Heard::Left;
        }
        let mut voice = Voice::new(self.me.clone(), now);
        if let Some(objection) = self.understanding.objection(message) {
            voice.not_understood(message, objection);
            return Heard::Answered(voice.said());
        }
        let named = message.protocol.as_ref().and_then(|token| Protocol::named(token.as_str()));
        match named.or_else(|| Protocol::opened_by(act)) {
            _ if act == Cancel => self.cancel(known, message, &mut voice, abilities),
            Some(protocol) if is_answered(protocol) && protocol.begins_with(act) => {
                if known.is_some() && message.conversation_id.is_some() {
                    return Heard::OutOfSequence;
                }
                self.begin(protocol, message, &mut voice, abilities);
            }
            protocol if is_unanswerable(protocol, act) && !self.understanding.has_act(act) => {
                voice.not_understood(message, Objection::Act);
            }
            _ => return Heard::Left,
        }
        Heard::Answered(voice.said())
    }

    /// Checks all conditions and subscriptions again, and returns the messages to send.
    pub fn changed(&mut self, now: i64, abilities: &mut dyn Abilities) -> Vec<Message<'static>> {
        let mut voice = Voice::new(self.me.clone(), now);
        let mut commitments = std::mem::take(&mut self.commitments);
        for commitment in &mut commitments {
            commitment.expire(now);
            if !commitment.is_over() {
                self.look_at(commitment, &mut voice, abilities);
            }
        }
        commitments.retain(|commitment| !commitment.is_over());
        self.commitments = commitments;
        voice.said()
    }

    /// Processes the result of a task, and returns the messages to send.
    pub fn finished(&mut self, task: TaskId, outcome: Outcome, now: i64) -> Vec<Message<'static>> {
        let mut voice = Voice::new(self.me.clone(), now);
        let Some(place) = self.commitments.iter().position(|commitment| commitment.tasks.contains(&task)) else {
            return Vec::new();
        };
        if outcome == Outcome::Begun {
            return Vec::new();
        }
        let commitment = &mut self.commitments[place];
        commitment.tasks.retain(|other| *other != task);
        voice.report(commitment, Report::of(outcome));
        if commitment.is_over() {
            self.commitments.remove(place);
        }
        voice.said()
    }

    fn begin(&mut self, protocol: Protocol, message: &Message<'_>, voice: &mut Voice, abilities: &mut dyn Abilities) {
        let Some(mut commitment) = Commitment::new(message, protocol, self.profile, voice.now()) else {
            return voice.not_understood(message, Objection::Act);
        };
        if self.commitments.len() >= self.most {
            return voice.report(&mut commitment, Report::Refuse(xml::reason("too-many-commitments")));
        }
        let Some(content) = commitment.opening.content.clone() else {
            return voice.not_understood(message, Objection::Content);
        };
        match message.performative {
            Performative::QueryIf => self.tell_whether(&mut commitment, &content, voice, abilities),
            Performative::QueryRef => {
                let value = abilities.refers_to(commitment.clause(&content));
                voice.report(&mut commitment, value.map_or_else(Report::unknown, Report::result));
            }
            Performative::Subscribe => self.subscribe(&mut commitment, &content, voice, abilities),
            Performative::Request => {
                let report = self.enact(&mut commitment, &content, voice, abilities);
                voice.report(&mut commitment, report);
            }
            again => {
                let Some((action, condition)) = abilities.action_and_condition(commitment.clause(&content)) else {
                    return voice.not_understood(message, Objection::Content);
                };
                let again = again == Performative::RequestWhenever;
                commitment.kind = Kind::When { action, condition, held: false, again };
                self.agree(&mut commitment, voice);
                self.look_at(&mut commitment, voice, abilities);
            }
        }
        if !commitment.is_over() {
            self.commitments.push(commitment);
        }
    }

    fn tell_whether(
        &mut self,
        commitment: &mut Commitment,
        proposition: &Content<'_>,
        voice: &mut Voice,
        abilities: &mut dyn Abilities,
    ) {
        let truth = abilities.holds(commitment.clause(proposition));
        match (truth, self.profile) {
            (Truth::Unknown, _) => voice.report(commitment, Report::unknown()),
            (truth, Profile::Tutorial) => {
                let act = if truth == Truth::True { Performative::Confirm } else { Performative::Disconfirm };
                voice.repeat(commitment, act);
            }
            (truth, Profile::Standard) => {
                let said = abilities.statement(commitment.clause(proposition), truth == Truth::True);
                voice.report(commitment, Report::result(said));
            }
        }
    }

    fn subscribe(
        &mut self,
        commitment: &mut Commitment,
        description: &Content<'_>,
        voice: &mut Voice,
        abilities: &mut dyn Abilities,
    ) {
        if abilities.refers_to(commitment.clause(description)).is_none() {
            return voice.report(commitment, Report::unknown());
        }
        commitment.kind = Kind::Subscription { told: None };
        self.agree(commitment, voice);
        self.look_at(commitment, voice, abilities);
    }

    /// Agrees to a task that may take long, if the rules require it.
    fn agree(&self, commitment: &mut Commitment, voice: &mut Voice) {
        if self.profile == Profile::Standard {
            voice.repeat(commitment, Performative::Agree);
        }
    }

    /// Does what is due now.
    fn look_at(&mut self, commitment: &mut Commitment, voice: &mut Voice, abilities: &mut dyn Abilities) {
        match &commitment.kind {
            Kind::Once => {}
            // The action is already being performed, once.
            Kind::When { again: false, .. } if !commitment.tasks.is_empty() => {}
            Kind::When { action, condition, held, .. } => {
                let truth = abilities.holds(commitment.clause(condition));
                let is_new = truth == Truth::True && !held;
                let action = is_new.then(|| action.clone());
                if let Kind::When { held, .. } = &mut commitment.kind
                    && truth != Truth::Unknown
                {
                    *held = truth == Truth::True;
                }
                if let Some(action) = action {
                    let report = self.enact(commitment, &action, voice, abilities);
                    voice.report(commitment, report);
                }
            }
            Kind::Subscription { told } => {
                let Some(description) = &commitment.opening.content else { return };
                match abilities.refers_to(commitment.clause(description)) {
                    None => voice.report(commitment, Report::Failure(xml::reason("unknown"))),
                    Some(value) if told.as_ref() == Some(&value) => {}
                    Some(value) => {
                        commitment.kind = Kind::Subscription { told: Some(value.clone()) };
                        voice.report(commitment, Report::result(value));
                    }
                }
            }
        }
    }

    fn cancel(&mut self, known: Option<usize>, cancel: &Message<'_>, voice: &mut Voice, abilities: &mut dyn Abilities) {
        let Some(place) = known else {
            if self.profile == Profile::Standard {
                voice.answer(cancel, Performative::Failure, Some(xml::reason("unknown-conversation")));
            }
            return;
        };
        let commitment = &mut self.commitments[place];
        commitment.take(cancel, Role::Initiator, voice.now());
        let mut stopped = true;
        for task in std::mem::take(&mut commitment.tasks) {
            if !abilities.stop(task) {
                commitment.tasks.push(task);
                stopped = false;
            }
        }
        if self.profile == Profile::Standard {
            voice.answer_cancel(commitment, cancel, stopped);
        }
        if commitment.is_over() {
            self.commitments.remove(place);
        }
    }
}

/// Whether a responder handles conversations with this protocol.
fn is_answered(protocol: Protocol) -> bool {
    use Protocol::{Query, Request, RequestWhen, RequestWhenever, Subscribe};
    matches!(protocol, Query | Request | RequestWhen | RequestWhenever | Subscribe)
}

/// Whether an agent that cannot handle an act must respond `not-understood`: the act is not a response, and expects
/// one.
fn is_unanswerable(protocol: Option<Protocol>, act: Performative) -> bool {
    use Performative::{Cfp, Inform, InformIf, InformRef, Propagate, Propose, Proxy};
    match protocol {
        Some(protocol) => act != Inform && protocol.begins_with(act),
        None => matches!(act, Cfp | InformIf | InformRef | Propagate | Propose | Proxy),
    }
}
