package situated.jason;

import jason.asSemantics.Agent;
import jason.asSyntax.Trigger;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;

/**
 * The plans of an agent. Their class has another name in Jason 3.3 than in 3.2, so that code compiled with one does not
 * run with the other. Therefore it is looked up when this class is loaded.
 */
final class Plans {
    private static final MethodHandle HAS_CANDIDATE = hasCandidate();

    private Plans() {}

    private static MethodHandle hasCandidate() {
        try {
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            Method plans = Agent.class.getMethod("getPL");
            Method hasCandidate = plans.getReturnType().getMethod("hasCandidatePlan", Trigger.class);
            MethodHandle composed = MethodHandles.collectArguments(lookup.unreflect(hasCandidate), 0, lookup.unreflect(plans));
            return composed.asType(MethodType.methodType(boolean.class, Agent.class, Trigger.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Returns whether an agent has plans that may be triggered. */
    static boolean hasCandidate(Agent agent, Trigger trigger) {
        try {
            return (boolean) HAS_CANDIDATE.invokeExact(agent, trigger);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("cannot look up the plans for " + trigger, e);
        }
    }
}
