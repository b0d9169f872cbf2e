package situated.eis;

import eis.exceptions.AgentException;
import eis.exceptions.EntityException;
import java.util.HashSet;
import java.util.LinkedList;

/**
 * The methods whose results were lists and sets before they were collections. A class that implements both has the
 * methods of all versions.
 */
interface EarlierResults {
    LinkedList<String> getAgents();

    LinkedList<String> getEntities();

    LinkedList<String> getFreeEntities();

    HashSet<String> getAssociatedEntities(String agent) throws AgentException;

    HashSet<String> getAssociatedAgents(String entity) throws EntityException;
}
