package situated.jason;

import jason.asSemantics.Event;
import jason.asSemantics.Intention;
import jason.asSemantics.TransitionSystem;
import jason.asSyntax.Literal;
import jason.asSyntax.Trigger;
import jason.asSyntax.Trigger.TEOperator;
import jason.asSyntax.Trigger.TEType;
import jason.asSyntax.ASSyntax;
import jason.bb.BeliefBase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import situated.Acted;
import situated.Identifier;
import situated.Percept;
import situated.Perception;
import situated.RemoteAgent;

/**
 * An agent in AgentSpeak with its entities. The thread that reads from the connection notes what is new, and the thread
 * of the agent changes its beliefs at the beginning of its reasoning cycle. Changes that cancel out meanwhile are
 * dropped; events never are, up to a limit.
 */
final class Player {
    private static final int MOST_EVENTS = 10_000;
    private static final Logger LOGGER = Logger.getLogger(SituatedEnvironment.class.getName());

    final RemoteAgent agent;
    /** The names of the percepts that the agent gets; empty for all. */
    private final Set<String> wanted;
    /** Whether percepts are annotated with their entities. */
    private final boolean hasSeveral;
    /** The entities that the agent has not lost. {@link #changes} guards them. */
    private final List<String> entities;
    /** For several entities, those through which each percept holds. Only the thread of the agent uses it. */
    private final Map<Percept, Set<String>> holders = new HashMap<>();

    /** New changes: for each percept whether it has begun or ceased to hold. The map guards itself and the events. */
    private final Map<Seen, Boolean> changes = new LinkedHashMap<>();
    private List<Seen> events = new ArrayList<>();
    private boolean hasWarned;

    private record Seen(String entity, Percept percept) {}

    Player(RemoteAgent agent, List<String> entities, Set<String> wanted) {
        this.agent = agent;
        this.wanted = wanted;
        this.entities = new ArrayList<>(entities);
        this.hasSeveral = entities.size() > 1;
    }

    /** Notes what is new; returns whether the agent has to be woken for it. */
    boolean note(Map<String, Perception> perceptions) {
        synchronized (changes) {
            perceptions.forEach((entity, perception) -> {
                if (!entities.contains(entity)) {
                    return;
                }
                perception.delete().forEach(percept -> change(new Seen(entity, percept), false));
                perception.add().forEach(percept -> change(new Seen(entity, percept), true));
                perception.events().forEach(percept -> happen(new Seen(entity, percept)));
                if (perception.lost() > 0) {
                    LOGGER.warning(agent.name() + " has lost " + perception.lost() + " events of " + entity
                            + ", since it was too slow");
                }
            });
            return !changes.isEmpty() || !events.isEmpty();
        }
    }

    /**
     * Notes that the agent has lost these entities, so that no percept of them holds any longer. Returns whether it had
     * one.
     */
    boolean lose(Predicate<String> isLost) {
        synchronized (changes) {
            List<String> lost = entities.stream().filter(isLost).toList();
            lost.forEach(entity -> agent.beliefs(entity).forEach(percept -> change(new Seen(entity, percept), false)));
            return entities.removeAll(lost);
        }
    }

    /** Returns whether the agent has lost all its entities. */
    boolean isLost() {
        synchronized (changes) {
            return entities.isEmpty();
        }
    }

    /** Notes the percepts that an action has returned, as events. */
    void noteFound(Acted acted) {
        synchronized (changes) {
            acted.found().forEach((entity, found) -> found.forEach(percept -> happen(new Seen(entity, percept))));
        }
    }

    private boolean isWanted(Seen seen) {
        return wanted.isEmpty() || wanted.contains(seen.percept().name());
    }

    private void change(Seen seen, boolean holds) {
        if (!isWanted(seen)) {
            return;
        }
        Boolean noted = changes.remove(seen);
        if (noted == null || noted == holds) {
            changes.put(seen, holds);
        }
        warnIfRounded(seen.percept());
    }

    private void happen(Seen seen) {
        if (!isWanted(seen)) {
            return;
        }
        if (events.size() == MOST_EVENTS) {
            LOGGER.warning(agent.name() + " has lost " + MOST_EVENTS + " events, since it was too slow");
            events.clear();
        }
        events.add(seen);
        warnIfRounded(seen.percept());
    }

    private void warnIfRounded(Percept percept) {
        if (!hasWarned && percept.parameters().stream().anyMatch(Literals::isRounded)) {
            hasWarned = true;
            LOGGER.warning(agent.name() + " perceives " + percept + ", with a whole number that Jason rounds, since its "
                    + "numbers are floats; this is the first of them");
        }
    }

    /** Changes the beliefs of the agent, on its thread. */
    void revise(TransitionSystem ts) {
        Map<Seen, Boolean> changed;
        List<Seen> happened;
        synchronized (changes) {
            if (changes.isEmpty() && events.isEmpty()) {
                return;
            }
            changed = new LinkedHashMap<>(changes);
            changes.clear();
            happened = events;
            events = new ArrayList<>();
        }
        changed.forEach((seen, holds) -> {
            if (!holds) {
                forget(ts, seen);
            }
        });
        changed.forEach((seen, holds) -> {
            if (holds) {
                believe(ts, seen);
            }
        });
        happened.forEach(seen -> trigger(ts, TEOperator.add, literal(seen)));
    }

    private void believe(TransitionSystem ts, Seen seen) {
        Literal literal = literal(seen);
        if (hasSeveral) {
            holders.computeIfAbsent(seen.percept(), percept -> new HashSet<>()).add(seen.entity());
        }
        try {
            if (ts.getAg().getBB().add(literal.copy())) {
                trigger(ts, TEOperator.add, literal);
            }
        } catch (Exception e) {
            // Jason 3.3 declares an exception, 3.2 does not.
            LOGGER.log(Level.WARNING, agent.name() + " cannot believe " + literal, e);
        }
    }

    private void forget(TransitionSystem ts, Seen seen) {
        Literal literal = literal(seen);
        boolean holdsForOther = false;
        if (hasSeveral) {
            Set<String> left = holders.getOrDefault(seen.percept(), new HashSet<>());
            left.remove(seen.entity());
            holdsForOther = !left.isEmpty();
            if (!holdsForOther) {
                holders.remove(seen.percept());
            }
        }
        Literal gone = literal.copy();
        if (holdsForOther) {
            // The percept still comes from the environment, by another entity.
            gone.delAnnot(BeliefBase.TPercept);
        }
        if (ts.getAg().getBB().remove(gone)) {
            trigger(ts, TEOperator.del, literal);
        }
    }

    private Literal literal(Seen seen) {
        Literal literal = Literals.literal(seen.percept()).forceFullLiteralImpl();
        if (hasSeveral) {
            literal.addAnnot(ASSyntax.createStructure("entity", Literals.term(new Identifier(seen.entity()))));
        }
        literal.addAnnot(BeliefBase.TPercept);
        return literal;
    }

    private static void trigger(TransitionSystem ts, TEOperator operator, Literal literal) {
        Trigger trigger = new Trigger(operator, TEType.belief, literal);
        if (ts.getC().hasListener() || Plans.hasCandidate(ts.getAg(), trigger)) {
            ts.updateEvents(new Event(trigger, Intention.EmptyInt));
        }
    }
}
