import jade.core.AID;
import jade.core.Agent;
import jade.core.behaviours.CyclicBehaviour;
import jade.core.behaviours.OneShotBehaviour;
import jade.lang.acl.ACLMessage;

/**
 * An agent of JADE that answers each message. With the name and the address of another one as arguments, it sends messages to
 * that one, and prints the round trips per second for each number of messages under way.
 */
public class RoundTrips extends Agent {
    private static final int ROUND_TRIPS = 2000;
    private static final int[] UNDER_WAY = {1, 64};

    @Override
    protected void setup() {
        Object[] other = getArguments();
        if (other == null || other.length == 0) {
            addBehaviour(new Answering());
            return;
        }
        AID there = new AID((String) other[0], AID.ISGUID);
        there.addAddresses((String) other[1]);
        addBehaviour(new OneShotBehaviour() {
            @Override
            public void action() {
                // The first rounds are not printed: Java compiles meanwhile.
                for (int underWay : UNDER_WAY) {
                    rate(there, underWay);
                }
                for (int underWay : UNDER_WAY) {
                    System.out.println("rate " + underWay + " " + rate(there, underWay));
                }
            }
        });
    }

    private long rate(AID there, int underWay) {
        long begin = System.nanoTime();
        int sent = 0;
        for (int received = 0; received < ROUND_TRIPS; received++) {
            for (; sent < ROUND_TRIPS && sent - received < underWay; sent++) {
                ACLMessage message = new ACLMessage(ACLMessage.INFORM);
                message.addReceiver(there);
                message.setContent("plums and peaches");
                send(message);
            }
            ACLMessage answer = blockingReceive();
            if (answer.getPerformative() == ACLMessage.FAILURE) {
                throw new IllegalStateException(answer.getContent());
            }
        }
        return ROUND_TRIPS * 1_000_000_000L / (System.nanoTime() - begin);
    }

    private static final class Answering extends CyclicBehaviour {
        @Override
        public void action() {
            ACLMessage message = myAgent.receive();
            if (message == null) {
                block();
                return;
            }
            ACLMessage answer = message.createReply();
            answer.setContent(message.getContent());
            myAgent.send(answer);
        }
    }
}
