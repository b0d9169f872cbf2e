import jade.core.AID;
import jade.core.Agent;
import jade.core.behaviours.CyclicBehaviour;
import jade.domain.DFService;
import jade.domain.FIPAAgentManagement.DFAgentDescription;
import jade.domain.FIPAAgentManagement.Envelope;
import jade.domain.FIPAAgentManagement.ServiceDescription;
import jade.domain.FIPANames;
import jade.lang.acl.ACLMessage;
import jade.lang.acl.MessageTemplate;
import jade.proto.ContractNetResponder;

/**
 * An agent of JADE that registers a service with the directory of JADE, answers calls for proposals by JADE's own
 * behaviour, and returns every `inform` in the conversation `echo` to its sender. On the word `watch` and an address,
 * it subscribes to the directory of the platform of the sender, and it passes on what that directory tells it.
 */
public class Trader extends Agent {
    private AID watcher;

    @Override
    protected void setup() {
        DFAgentDescription description = new DFAgentDescription();
        description.setName(getAID());
        ServiceDescription service = new ServiceDescription();
        service.setName("plums");
        service.setType("fruit");
        description.addServices(service);
        try {
            DFService.register(this, description);
        } catch (Exception problem) {
            problem.printStackTrace();
        }
        addBehaviour(new ContractNetResponder(this, MessageTemplate.MatchProtocol(FIPANames.InteractionProtocol.FIPA_CONTRACT_NET)) {
            @Override
            protected ACLMessage handleCfp(ACLMessage cfp) {
                ACLMessage proposal = cfp.createReply();
                proposal.setPerformative(ACLMessage.PROPOSE);
                proposal.setContent("12");
                return proposal;
            }

            @Override
            protected ACLMessage handleAcceptProposal(ACLMessage cfp, ACLMessage propose, ACLMessage accept) {
                ACLMessage inform = accept.createReply();
                inform.setPerformative(ACLMessage.INFORM);
                inform.setContent("delivered");
                return inform;
            }
        });
        // Failures of the platform are in the conversation of the message that failed.
        MessageTemplate echo = MessageTemplate.and(MessageTemplate.MatchConversationId("echo"),
            MessageTemplate.not(MessageTemplate.MatchSender(getAMS())));
        addBehaviour(new Answering(this, echo, message -> {
            ACLMessage returned = (ACLMessage) message.clone();
            // With the envelope in which it came, JADE would deliver it to the receivers there. Without this encoding, it
            // would write only ASCII.
            returned.setEnvelope(new Envelope());
            returned.getEnvelope().setPayloadEncoding("UTF-8");
            returned.setSender(getAID());
            // The receivers come back where nothing is sent to them.
            returned.clearAllReplyTo();
            message.getAllReceiver().forEachRemaining(receiver -> returned.addReplyTo((AID) receiver));
            returned.clearAllReceiver();
            returned.addReceiver(message.getSender());
            send(returned);
        }));
        addBehaviour(new Answering(this, MessageTemplate.MatchConversationId("watch"), message -> {
            watcher = message.getSender();
            AID directory = new AID("df@" + message.getContent(), AID.ISGUID);
            directory.addAddresses(watcher.getAddressesArray()[0]);
            DFAgentDescription template = new DFAgentDescription();
            ServiceDescription wanted = new ServiceDescription();
            wanted.setType("gift");
            template.addServices(wanted);
            ACLMessage subscribe = DFService.createSubscriptionMessage(this, directory, template, null);
            subscribe.setConversationId("told");
            send(subscribe);
        }));
        addBehaviour(new Answering(this, MessageTemplate.MatchConversationId("told"), message -> {
            ACLMessage told = new ACLMessage(message.getPerformative());
            told.addReceiver(watcher);
            told.setConversationId("passed-on");
            told.setContent(message.getContent());
            send(told);
        }));
    }

    private interface Answer {
        void to(ACLMessage message);
    }

    private static class Answering extends CyclicBehaviour {
        private final MessageTemplate template;
        private final Answer answer;

        Answering(Agent agent, MessageTemplate template, Answer answer) {
            super(agent);
            this.template = template;
            this.answer = answer;
        }

        @Override
        public void action() {
            ACLMessage message = myAgent.receive(template);
            if (message == null) {
                block();
            } else {
                answer.to(message);
            }
        }
    }
}
