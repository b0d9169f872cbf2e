package eis;

import eis.iilang.Percept;

public interface AgentListener {
    void handlePercept(String agent, Percept percept);
}
