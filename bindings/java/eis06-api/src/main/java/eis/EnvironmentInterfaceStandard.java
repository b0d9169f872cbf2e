package eis;

import eis.exceptions.ActException;
import eis.exceptions.AgentException;
import eis.exceptions.EntityException;
import eis.exceptions.ManagementException;
import eis.exceptions.NoEnvironmentException;
import eis.exceptions.PerceiveException;
import eis.exceptions.QueryException;
import eis.exceptions.RelationException;
import eis.iilang.Action;
import eis.iilang.EnvironmentState;
import eis.iilang.Parameter;
import eis.iilang.Percept;
import java.util.Collection;
import java.util.Map;

public interface EnvironmentInterfaceStandard {
    void attachEnvironmentListener(EnvironmentListener listener);

    void detachEnvironmentListener(EnvironmentListener listener);

    void attachAgentListener(String agent, AgentListener listener);

    void detachAgentListener(String agent, AgentListener listener);

    void registerAgent(String agent) throws AgentException;

    void unregisterAgent(String agent) throws AgentException;

    Collection<String> getAgents();

    Collection<String> getEntities();

    void associateEntity(String agent, String entity) throws RelationException;

    void freeEntity(String entity) throws RelationException, EntityException;

    void freeAgent(String agent) throws RelationException, EntityException;

    void freePair(String agent, String entity) throws RelationException, EntityException;

    Collection<String> getAssociatedEntities(String agent) throws AgentException;

    Collection<String> getAssociatedAgents(String entity) throws EntityException;

    Collection<String> getFreeEntities();

    String getType(String entity) throws EntityException;

    Map<String, Percept> performAction(String agent, Action action, String... entities) throws ActException;

    Map<String, Collection<Percept>> getAllPercepts(String agent, String... entities)
            throws PerceiveException, NoEnvironmentException;

    boolean isStateTransitionValid(EnvironmentState from, EnvironmentState to);

    void init(Map<String, Parameter> parameters) throws ManagementException;

    void reset(Map<String, Parameter> parameters) throws ManagementException;

    void start() throws ManagementException;

    void pause() throws ManagementException;

    void kill() throws ManagementException;

    EnvironmentState getState();

    boolean isInitSupported();

    boolean isStartSupported();

    boolean isPauseSupported();

    boolean isKillSupported();

    String requiredVersion();

    String queryProperty(String property) throws QueryException;

    String queryEntityProperty(String entity, String property) throws QueryException;
}
