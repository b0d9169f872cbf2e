package situated.jason;

import jason.architecture.AgArch;

/** An architecture that prints after each reasoning cycle how many parts for messages the agent has. */
public final class CountedParts extends AgArch {
    @Override
    public void reasoningCycleFinished() {
        int parts = 0;
        for (AgArch part = getTS().getAgArch(); part != null; part = part.getNextAgArch()) {
            parts += part instanceof Correspondence ? 1 : 0;
        }
        System.out.println("[a1] parts: " + parts);
        super.reasoningCycleFinished();
    }
}
