# The page in a real browser, on real servers.

page() {
    if ! command -v npm >/dev/null || [ ! -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
        skip 'the page in a browser' \
            'install Node.js 20 with npm, and Chromium (Debian: apt-get install nodejs npm chromium)'
        return
    fi
    rust_builds
    step 'The page in a browser' page_tests
}

# Two groups of tests run side by side: those that play on the server `played`, one after the other, and all others.
page_tests() {
    local folder running=() jason=bindings/java/jason/target
    folder=$(mktemp -d)
    # serves NAME ARGUMENT...
    serves() {
        "$built/situated" serve "${@:2}" --port 0 --log-level warn >"$folder/$1" &
        running+=($!)
    }
    serves watched find-goals --agents builtin --speed 2 --param view=global
    serves played bw4t --team web/tests/players.toml --speed 400 --grace 1
    serves guarded find-goals --token=act=token-of-the-players --token=observe=token-of-the-observers
    if [ -e "$jason/situated-jason-0.1.0.jar" ]; then
        CLASSPATH="$jason/situated-jason-0.1.0.jar:$jason/lib/*" \
            serves mixed examples/mixed-team/team.toml --paused --speed 100
        SITUATED_MIXED_URL=$(page_of "$folder/mixed")
        export SITUATED_MIXED_URL
    else
        left_out 'a person beside a robot of Jason, on the page; ./test java page'
    fi
    SITUATED_URL=$(page_of "$folder/watched") SITUATED_PLAY_URL=$(page_of "$folder/played")
    SITUATED_GUARDED_URL=$(page_of "$folder/guarded")
    export SITUATED_URL SITUATED_PLAY_URL SITUATED_GUARDED_URL SITUATED_BINARY=$built/situated
    export SITUATED_TOKENS="act=token-of-the-players observe=token-of-the-observers"
    (
        cd web/tests
        node_modules
        npm run --silent types
        if [ "$extent" = few ]; then
            node --test --test-concurrency=1 modules.test.js page.test.js rights.test.js
            return
        fi
        local playing others players result=0
        mapfile -t playing < <(grep --files-with-matches SITUATED_PLAY_URL ./*.test.js)
        mapfile -t others < <(grep --files-without-match SITUATED_PLAY_URL ./*.test.js)
        node --test --test-concurrency=1 "${playing[@]}" >"$folder/playing" 2>&1 &
        players=$!
        node --test --test-concurrency=1 "${others[@]}" || result=1
        wait "$players" || result=1
        cat "$folder/playing"
        return $result
    )
    kill "${running[@]}"
    wait "${running[@]}"
    rm -r "$folder"
}
