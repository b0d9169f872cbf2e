# Steps: what runs, how long it took, what was skipped, and the table at the end.

# step WHAT COMMAND...
step() {
    local begin=$SECONDS
    printf '\n== %s\n' "$1"
    current=$1
    "${@:2}"
    printf '%s\t%d\n' "$1" $((SECONDS - begin)) >>"$notes/times"
    printf '(%d s)\n' $((SECONDS - begin))
    current=
}

# skip WHAT HOW-TO-GET-IT
skip() {
    echo "$1; $2" >>"$notes/skipped"
}

# left_out WHAT-AND-HOW-TO-RUN-IT: not part of this run.
left_out() {
    echo "$1" >>"$notes/left-out"
}

# beside STAGE...: runs stages beside the next ones, which wait often: for each other, for processes and for timers.
beside() {
    (
        renice -n 19 "$BASHPID" >/dev/null
        trap stop EXIT
        for stage in "$@"; do
            "$stage"
        done
    ) >"$notes/beside" 2>&1 &
    beside_process=$!
}

# await WHAT: waits until the stages that run beside have noted it, or have ended.
await() {
    while [ ! -e "$notes/$1" ] && [ -n "${beside_process:-}" ] && kill -0 "$beside_process" 2>/dev/null; do
        sleep 1
    done
}

# Waits for the stages that run beside, and prints their output.
await_beside() {
    [ -n "${beside_process:-}" ] || return 0
    local result=0
    wait "$beside_process" || result=$?
    beside_process=
    cat "$notes/beside"
    return $result
}

# Notes the step that has failed, and stops the processes that it has left behind.
stop() {
    [ -z "${current:-}" ] || printf '%s\tfailed\n' "$current" >>"$notes/times"
    jobs -p | xargs --no-run-if-empty kill 2>/dev/null || true
}

# Prints the table and what this run did not test. With CI=true nothing may be skipped.
finish() {
    local result=$?
    stop
    [ -z "${beside_process:-}" ] || cat "$notes/beside"
    printf '\n%-52s %8s\n' step seconds
    awk -F '\t' '{ printf "%-52s %8s\n", $1, $2 }' "$notes/times"
    printf '%-52s %8d\n' 'in all' "$SECONDS"
    if [ -s "$notes/skipped" ]; then
        printf '\nSkipped:\n'
        sed 's/^/  /' "$notes/skipped"
        if [ "${CI:-}" = true ]; then
            echo 'test: with CI=true nothing may be skipped' >&2
            [ $result -ne 0 ] || result=1
        fi
    fi
    if [ -s "$notes/left-out" ]; then
        printf '\nNot part of this run:\n'
        sed 's/^/  /' "$notes/left-out"
    fi
    rm -r "$notes"
    [ $result -ne 0 ] || printf '\nAll tests of this run passed.\n'
    exit $result
}
