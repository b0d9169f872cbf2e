//! A system of agents that run contract nets: each message is created, encoded, routed by the name of its receiver,
//! decoded, and judged by both sides.

use std::collections::{HashMap, VecDeque};

use situated_acl::{Conversation, Encoding, Expression, Message, Performative, Profile, Protocol, Role, Time, Tokens};

/// Number of participants: one agent calls, the others propose.
pub(crate) const PARTICIPANTS: usize = 99;
/// Number of messages of a contract net: a call, a proposal and a response for each participant, and one result.
pub(crate) const MESSAGES: usize = 3 * PARTICIPANTS + 1;

const INITIATOR: &str = "initiator@platform";

/// All agents, by name, and the messages between them.
pub(crate) struct System {
    agents: HashMap<String, Agent>,
    participants: Vec<String>,
    post: Post,
}

/// The encoded messages that are on their way.
struct Post {
    encoding: Encoding,
    underway: VecDeque<Vec<u8>>,
}

struct Agent {
    tokens: Tokens,
    /// The conversation in which it currently takes part.
    conversation: Conversation,
    /// The responses for the agents that have made proposals.
    answers: Vec<Message<'static>>,
}

impl System {
    pub(crate) fn new(encoding: Encoding) -> Self {
        let participants: Vec<_> = (0..PARTICIPANTS).map(|number| format!("participant-{number}@platform")).collect();
        let names = participants.iter().map(String::as_str).chain([INITIATOR]);
        let agents = names.map(|name| (name.to_owned(), Agent::new(name))).collect();
        Self { agents, participants, post: Post { encoding, underway: VecDeque::new() } }
    }

    /// Runs a contract net from the calls to the result. Passes each message to `watch`.
    pub(crate) fn lead(&mut self, mut watch: impl FnMut(&Message<'_>)) {
        let initiator = self.agents.get_mut(INITIATOR).expect("an agent");
        initiator.call(&self.participants, &mut self.post);
        while let Some(data) = self.post.underway.pop_front() {
            let message = self.post.encoding.decode(&data).expect("it is a message");
            watch(&message);
            let receiver = self.agents.get_mut(&*message.receivers[0].name).expect("an agent");
            receiver.hear(&message, &mut self.post);
        }
        assert!(self.agents.values().all(|agent| agent.conversation.is_over()));
    }
}

impl Post {
    fn send(&mut self, message: &Message<'_>) {
        self.underway.push_back(self.encoding.encode(message).expect("it has a form"));
    }
}

impl Agent {
    fn new(name: &str) -> Self {
        let tokens = Tokens::new(name, 0);
        Self { tokens, conversation: conversation(Role::Participant, "none".into()), answers: Vec::new() }
    }

    /// Calls all participants for proposals, with a message for each.
    fn call(&mut self, participants: &[String], post: &mut Post) {
        let id = self.tokens.fresh();
        self.conversation = conversation(Role::Initiator, id.clone());
        for participant in participants {
            let cfp = Message::cfp().from(INITIATOR).to(participant.as_str()).content("((action (deliver plums 50)))");
            let cfp = cfp.language("fipa-sl").protocol(Protocol::ContractNet).conversation_id(id.clone());
            let cfp = cfp.reply_with(self.tokens.fresh()).reply_by(Time::after(60_000));
            self.say(&cfp, post);
        }
    }

    fn hear(&mut self, message: &Message<'_>, post: &mut Post) {
        if message.performative == Performative::Cfp {
            let id = message.conversation_id.clone().expect("a conversation");
            self.conversation = conversation(Role::Participant, id);
        }
        assert!(!self.conversation.received(message, 1).is_violation());
        match message.performative {
            Performative::Cfp => {
                let proposal = message.reply(Performative::Propose).content("((price 200))");
                let proposal = proposal.reply_with(self.tokens.fresh());
                self.say(&proposal, post);
            }
            Performative::Propose => self.consider(message, post),
            Performative::AcceptProposal => self.say(&message.reply(Performative::Inform).content("(done)"), post),
            _ => {}
        }
    }

    /// Responds to all proposals when they have arrived. The first is the best.
    fn consider(&mut self, proposal: &Message<'_>, post: &mut Post) {
        let is_first = self.answers.is_empty();
        let act = if is_first { Performative::AcceptProposal } else { Performative::RejectProposal };
        self.answers.push(proposal.reply(act).reply_with(self.tokens.fresh()).into_owned());
        if self.conversation.awaited().next().is_none() {
            for answer in std::mem::take(&mut self.answers) {
                self.say(&answer, post);
            }
        }
    }

    fn say(&mut self, message: &Message<'_>, post: &mut Post) {
        assert!(!self.conversation.sent(message, 0).is_violation());
        post.send(message);
    }
}

/// A contract net, from the point of view of this side.
pub(crate) fn conversation(role: Role, id: Expression<'_>) -> Conversation {
    Conversation::new(Protocol::ContractNet, Profile::Standard, role, id)
}
