package eis;

import eis.iilang.EnvironmentState;
import java.util.Collection;

public interface EnvironmentListener {
    void handleStateChange(EnvironmentState state);

    void handleFreeEntity(String entity, Collection<String> agents);

    void handleDeletedEntity(String entity, Collection<String> agents);

    void handleNewEntity(String entity);
}
