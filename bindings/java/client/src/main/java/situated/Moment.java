package situated;

import java.util.Map;

/** A moment in an environment. */
public final class Moment {
    private final long episode;
    private final long step;
    private final long time;

    Moment(Object json) {
        Map<String, Object> fields = Data.object(json);
        episode = Data.whole(fields.get("episode"));
        step = Data.whole(fields.get("step"));
        time = Data.whole(fields.get("time"));
    }

    /**
     * Returns the number of the episode.
     *
     * @return the number, from 1
     */
    public long episode() {
        return episode;
    }

    /**
     * Returns the number of steps of the episode.
     *
     * @return the number, from 0
     */
    public long step() {
        return step;
    }

    /**
     * Returns the time of the server.
     *
     * @return milliseconds since the beginning of 1970, UTC
     */
    public long time() {
        return time;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Moment)) {
            return false;
        }
        Moment that = (Moment) other;
        return episode == that.episode && step == that.step && time == that.time;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(31 * (31 * episode + step) + time);
    }

    @Override
    public String toString() {
        return "episode " + episode + ", step " + step;
    }
}
