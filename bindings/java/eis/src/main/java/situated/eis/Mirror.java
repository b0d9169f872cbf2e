package situated.eis;

import eis.EnvironmentListener;
import eis.iilang.EnvironmentState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The state of an environment, its entities and their agents, as the server reported them last. One thread applies
 * notifications; all threads can read.
 */
final class Mirror {
    private static final long CATCH_UP_MS = 2000;

    /** Gets the agent and the entity of each association that ends. */
    private final BiConsumer<String, String> onReleased;
    private EnvironmentState state = EnvironmentState.INITIALIZING;
    private Map<String, Entity> entities = new LinkedHashMap<>();
    private long episode;

    private static final class Entity {
        final String type;
        final Set<String> agents = new LinkedHashSet<>();

        Entity(String type) {
            this.type = type;
        }
    }

    Mirror(BiConsumer<String, String> onReleased) {
        this.onReleased = onReleased;
    }

    /** Applies a notification about happenings; returns what to tell the listeners. */
    synchronized List<Consumer<EnvironmentListener>> apply(Map<String, Object> notification) {
        List<Consumer<EnvironmentListener>> news = new ArrayList<>();
        if (Boolean.TRUE.equals(notification.get("resync"))) {
            Mirror present = new Mirror((agent, entity) -> { });
            present.applyAll(notification, new ArrayList<>());
            become(present, news);
        } else {
            applyAll(notification, news);
        }
        notifyAll();
        return news;
    }

    private void applyAll(Map<String, Object> notification, List<Consumer<EnvironmentListener>> news) {
        for (Object happening : (List<?>) notification.get("happenings")) {
            ((Map<?, ?>) happening).forEach((kind, what) -> apply((String) kind, what, news));
        }
    }

    private void apply(String kind, Object what, List<Consumer<EnvironmentListener>> news) {
        if (kind.equals("state")) {
            become(EnvironmentState.valueOf(((String) what).toUpperCase(Locale.ROOT)), news);
            return;
        }
        if (!(what instanceof Map)) {
            return;
        }
        Map<?, ?> fields = (Map<?, ?>) what;
        String name = (String) fields.get("entity");
        Entity entity = entities.get(name);
        switch (kind) {
            case "episode":
                episode = (Long) fields.get("number");
                break;
            case "new":
                entities.put(name, new Entity((String) fields.get("entityType")));
                news.add(listener -> listener.handleNewEntity(name));
                break;
            case "taken":
                if (entity != null) {
                    entity.agents.add((String) fields.get("agent"));
                }
                break;
            case "released":
                if (entity != null) {
                    entity.agents.remove(fields.get("agent"));
                    onReleased.accept((String) fields.get("agent"), name);
                }
                break;
            case "freed":
                List<String> released = texts(fields.get("agents"));
                news.add(listener -> listener.handleFreeEntity(name, released));
                break;
            case "deleted":
                delete(name, texts(fields.get("agents")), news);
                break;
            default:
                // Agents are those of the platform, and the rest has no place in EIS.
        }
    }

    private void become(EnvironmentState next, List<Consumer<EnvironmentListener>> news) {
        if (state != next) {
            state = next;
            news.add(listener -> listener.handleStateChange(next));
        }
    }

    private void delete(String name, Collection<String> agents, List<Consumer<EnvironmentListener>> news) {
        entities.remove(name);
        agents.forEach(agent -> onReleased.accept(agent, name));
        news.add(listener -> listener.handleDeletedEntity(name, agents));
    }

    /** Becomes the present state. Entities that other platforms control are not announced until they are free. */
    private void become(Mirror present, List<Consumer<EnvironmentListener>> news) {
        for (String name : new ArrayList<>(entities.keySet())) {
            if (!present.entities.containsKey(name)) {
                delete(name, new ArrayList<>(entities.get(name).agents), news);
            }
        }
        become(present.state, news);
        present.entities.forEach((name, entity) -> {
            Entity known = entities.get(name);
            List<String> released = known == null ? new ArrayList<>() : new ArrayList<>(known.agents);
            released.removeAll(entity.agents);
            released.forEach(agent -> onReleased.accept(agent, name));
            if (known == null && entity.agents.isEmpty()) {
                news.add(listener -> listener.handleNewEntity(name));
            } else if (entity.agents.isEmpty() && !released.isEmpty()) {
                news.add(listener -> listener.handleFreeEntity(name, released));
            }
        });
        entities = present.entities;
        episode = present.episode;
    }

    /** Becomes an environment that has ended; returns what to tell the listeners. */
    synchronized List<Consumer<EnvironmentListener>> end() {
        List<Consumer<EnvironmentListener>> news = new ArrayList<>();
        for (Map.Entry<String, Entity> one : new ArrayList<>(entities.entrySet())) {
            delete(one.getKey(), new ArrayList<>(one.getValue().agents), news);
        }
        become(EnvironmentState.KILLED, news);
        notifyAll();
        return news;
    }

    /** Returns what to tell a listener that comes late. */
    synchronized List<Consumer<EnvironmentListener>> present() {
        List<Consumer<EnvironmentListener>> news = new ArrayList<>();
        EnvironmentState now = state;
        news.add(listener -> listener.handleStateChange(now));
        freeEntities().forEach(entity -> news.add(listener -> listener.handleNewEntity(entity)));
        return news;
    }

    private static List<String> texts(Object json) {
        List<String> texts = new ArrayList<>();
        if (json instanceof List) {
            ((List<?>) json).forEach(text -> texts.add((String) text));
        }
        return texts;
    }

    /** Waits until this is so, at most two seconds: notifications come after the answers that they belong to. */
    synchronized void await(BooleanSupplier isSo) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CATCH_UP_MS);
        long left = CATCH_UP_MS;
        while (!isSo.getAsBoolean() && left > 0) {
            wait(left);
            left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        }
    }

    synchronized EnvironmentState state() {
        return state;
    }

    synchronized long episode() {
        return episode;
    }

    synchronized LinkedList<String> entities() {
        return new LinkedList<>(entities.keySet());
    }

    synchronized LinkedList<String> freeEntities() {
        LinkedList<String> free = new LinkedList<>();
        entities.forEach((name, entity) -> {
            if (entity.agents.isEmpty()) {
                free.add(name);
            }
        });
        return free;
    }

    synchronized LinkedHashSet<String> entitiesOf(String agent) {
        LinkedHashSet<String> controlled = new LinkedHashSet<>();
        entities.forEach((name, entity) -> {
            if (entity.agents.contains(agent)) {
                controlled.add(name);
            }
        });
        return controlled;
    }

    /** Returns the agents of an entity, or null if there is no such entity. */
    synchronized LinkedHashSet<String> agentsOf(String name) {
        Entity entity = entities.get(name);
        return entity == null ? null : new LinkedHashSet<>(entity.agents);
    }

    /** Returns the type of an entity, or null if there is no such entity. */
    synchronized String typeOf(String name) {
        Entity entity = entities.get(name);
        return entity == null ? null : entity.type;
    }

    synchronized boolean controls(String agent, String name) {
        Entity entity = entities.get(name);
        return entity != null && entity.agents.contains(agent);
    }
}
