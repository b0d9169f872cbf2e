import edu.stanford.robotics.trTower.virtualWorld.VirtualWorld;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.TreeSet;

/**
 * Plays the world of tower without its window. Reads the number of blocks, then an action and a number of steps on each
 * line, and prints for each line what its interface would perceive after these steps.
 */
class TowerOriginal {
    public static void main(String[] arguments) throws Exception {
        var lines = new BufferedReader(new InputStreamReader(System.in));
        var blocks = Integer.parseInt(lines.readLine());
        var world = new VirtualWorld();
        world.setVirtualWorldWidth(30 + 40 * blocks);
        world.setVirtualWorldHeight(45 + 30 * blocks);
        for (var block = 0; block < blocks; block++) {
            world.addNewBlock();
        }
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            var words = line.split(" ");
            switch (words[0]) {
                case "pickup" -> world.pickup(words[1].toUpperCase());
                case "putdown" -> world.putdown(words[1].toUpperCase(), words[2].equals("table") ? "TA" : words[2].toUpperCase());
                default -> world.nil();
            }
            for (var steps = Integer.parseInt(words[words.length - 1]); steps > 0; steps--) {
                world.stimuStep();
            }
            System.out.println(String.join(" ", perceived(world)));
        }
        System.exit(0);
    }

    private static TreeSet<String> perceived(VirtualWorld world) throws Exception {
        var sensor = world.getVirtualWorldSensor();
        var held = world.getRobotArm().getBlockHeld();
        var percepts = new TreeSet<String>();
        for (var block : sensor.getExistingBlockIds()) {
            percepts.add("block(%s)".formatted(block).toLowerCase());
            if (held != null && held.getId().equals(block)) {
                percepts.add("holding(%s)".formatted(block).toLowerCase());
                continue;
            }
            var below = "table";
            for (var other : sensor.getExistingBlockIds()) {
                if (sensor.isOn(block, other)) {
                    below = other;
                }
            }
            percepts.add("on(%s,%s)".formatted(block, below).toLowerCase());
        }
        return percepts;
    }
}
