import jade.core.AID;
import jade.core.Agent;
import jade.core.behaviours.CyclicBehaviour;
import jade.domain.DFService;
import jade.domain.FIPAAgentManagement.DFAgentDescription;
import jade.domain.FIPAAgentManagement.ServiceDescription;
import jade.domain.FIPAException;
import jade.domain.FIPANames;
import jade.lang.acl.ACLMessage;
import jade.lang.acl.MessageTemplate;
import jade.proto.SubscriptionResponder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The broker of a market over four platforms: an agent of JADE. It subscribes to the directory of the market, and tells
 * those who subscribe to it who sells a product, whenever that changes. Its argument is the address of the market.
 */
public class Broker extends Agent {
    private static final String GOODS = "goods";

    /** The sellers of each product. */
    private final Map<String, TreeSet<String>> sellers = new TreeMap<>();
    private final Map<SubscriptionResponder.Subscription, String> subscriptions = new HashMap<>();
    /** The request of the clerk to close. */
    private ACLMessage closing;
    private int sent;
    private int received;

    @Override
    protected void setup() {
        String address = (String) getArguments()[0];
        addBehaviour(new Subscribers());
        addBehaviour(new Notices(at("df", address)));

        DFAgentDescription template = new DFAgentDescription();
        ServiceDescription fruit = new ServiceDescription();
        fruit.setType("fruit");
        template.addServices(fruit);
        ACLMessage subscription = DFService.createSubscriptionMessage(this, at("df", address), template, null);
        subscription.setConversationId(GOODS);
        say(subscription);
        ACLMessage ready = new ACLMessage(ACLMessage.INFORM);
        ready.addReceiver(at("clerk", address));
        ready.setContent("ready");
        say(ready);
    }

    private static AID at(String name, String address) {
        AID agent = new AID(name + "@market", AID.ISGUID);
        agent.addAddresses(address);
        return agent;
    }

    private void say(ACLMessage message) {
        sent++;
        send(message);
    }

    private String soldBy(String product) {
        List<String> names = new ArrayList<>(sellers.getOrDefault(product, new TreeSet<>()));
        return "sellers(" + product + ", [" + String.join(", ", names) + "])";
    }

    private void tell(SubscriptionResponder.Subscription subscriber, String product) {
        ACLMessage told = new ACLMessage(ACLMessage.INFORM);
        told.setContent(soldBy(product));
        sent++;
        subscriber.notify(told);
    }

    /** Those who want to know who sells a product: {@code sellers(plums)}. */
    private class Subscribers extends SubscriptionResponder {
        Subscribers() {
            super(Broker.this, createMessageTemplate(ACLMessage.SUBSCRIBE));
        }

        @Override
        protected ACLMessage handleSubscription(ACLMessage message) {
            received++;
            String content = message.getContent();
            String product = content.substring(content.indexOf('(') + 1, content.indexOf(')'));
            ACLMessage agreed = message.createReply();
            agreed.setPerformative(ACLMessage.AGREE);
            agreed.setContent(content);
            say(agreed);
            SubscriptionResponder.Subscription subscriber = createSubscription(message);
            subscriptions.put(subscriber, product);
            tell(subscriber, product);
            return null;
        }

        @Override
        protected ACLMessage handleCancel(ACLMessage message) {
            received++;
            SubscriptionResponder.Subscription subscriber = getSubscription(message);
            subscriptions.remove(subscriber);
            subscriber.close();
            ACLMessage done = message.createReply();
            done.setPerformative(ACLMessage.INFORM);
            done.setContent("cancelled");
            sent++;
            return done;
        }
    }

    /** What the directory of the market tells, and the request of the clerk. */
    private class Notices extends CyclicBehaviour {
        private final MessageTemplate notices = MessageTemplate.or(MessageTemplate.MatchConversationId(GOODS),
            MessageTemplate.MatchProtocol(FIPANames.InteractionProtocol.FIPA_REQUEST));
        private final AID directory;

        Notices(AID directory) {
            this.directory = directory;
        }

        @Override
        public void action() {
            ACLMessage message = receive(notices);
            if (message == null) {
                block();
                return;
            }
            received++;
            if (message.getPerformative() == ACLMessage.REQUEST) {
                close(message);
            } else if ("cancel".equals(message.getInReplyTo())) {
                report();
            } else if (message.getPerformative() == ACLMessage.INFORM) {
                hear(message);
            }
        }

        /** Ends the subscription. What the directory has told before its answer belongs into the books. */
        private void close(ACLMessage request) {
            closing = request;
            ACLMessage cancel = new ACLMessage(ACLMessage.CANCEL);
            cancel.addReceiver(directory);
            cancel.setProtocol(FIPANames.InteractionProtocol.FIPA_SUBSCRIBE);
            cancel.setConversationId(GOODS);
            cancel.setReplyWith("cancel");
            say(cancel);
        }

        private void report() {
            ACLMessage books = closing.createReply();
            books.setPerformative(ACLMessage.INFORM);
            books.setContent("books(0, 0, 0, " + (sent + 1) + ", " + received + ")");
            say(books);
        }

        private void hear(ACLMessage message) {
            try {
                for (DFAgentDescription described : DFService.decodeNotification(message.getContent())) {
                    note(described);
                }
            } catch (FIPAException problem) {
                problem.printStackTrace();
            }
        }

        private void note(DFAgentDescription described) {
            String name = described.getName().getName().replace("@market", "");
            TreeSet<String> products = new TreeSet<>();
            for (Iterator services = described.getAllServices(); services.hasNext();) {
                products.add(((ServiceDescription) services.next()).getName());
            }
            products.forEach(product -> sellers.computeIfAbsent(product, one -> new TreeSet<>()));
            sellers.forEach((product, names) -> {
                boolean changes = products.contains(product) ? names.add(name) : names.remove(name);
                if (changes) {
                    subscriptions.forEach((subscriber, wanted) -> {
                        if (wanted.equals(product)) {
                            tell(subscriber, product);
                        }
                    });
                }
            });
        }
    }
}
