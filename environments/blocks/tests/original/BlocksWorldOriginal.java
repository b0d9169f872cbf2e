import eis.exceptions.ActException;
import eis.iilang.Action;
import eis.iilang.Identifier;
import eis.iilang.Numeral;
import eis.iilang.Parameter;
import eis.iilang.ParameterList;
import eis.iilang.Percept;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Plays blocksworld without its window. Reads the start, then a move on each line, and prints for each line the type of
 * the error, or "ok", and the percepts that hold.
 */
class BlocksWorldOriginal {
    public static void main(String[] arguments) throws Exception {
        var lines = new BufferedReader(new InputStreamReader(System.in));
        var start = Stream.of(lines.readLine().split(" ")).map(number -> new Numeral(Integer.parseInt(number)));
        var environment = new eisinterface.BWEnvironment();
        Map<String, Parameter> parameters =
            Map.of("gui", new Identifier("false"), "start", new ParameterList(start.toArray(Parameter[]::new)));
        environment.init(parameters);
        environment.registerAgent("ada");
        environment.associateEntity("ada", "gripper");
        environment.start();
        var holding = new TreeSet<String>();
        System.out.println("ok " + perceived(environment, holding));
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            var names = line.split(" ");
            var result = "ok";
            try {
                environment.performAction("ada", new Action("move", new Identifier(names[0]), new Identifier(names[1])));
            } catch (ActException error) {
                result = Integer.toString(error.getType());
            }
            System.out.println(result + " " + perceived(environment, holding));
        }
        System.exit(0);
    }

    private static String perceived(eisinterface.BWEnvironment environment, TreeSet<String> holding) throws Exception {
        var update = environment.getPercepts("ada", "gripper").get("gripper");
        update.getDeleteList().forEach(percept -> holding.remove(text(percept)));
        update.getAddList().forEach(percept -> holding.add(text(percept)));
        return String.join(" ", holding);
    }

    private static String text(Percept percept) {
        return percept.toProlog().replace(" ", "");
    }
}
