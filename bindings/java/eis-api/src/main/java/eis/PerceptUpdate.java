package eis;

import eis.iilang.Percept;
import java.util.List;

public class PerceptUpdate {
    public PerceptUpdate(List<Percept> add, List<Percept> delete) {}

    public native List<Percept> getAddList();

    public native List<Percept> getDeleteList();
}
