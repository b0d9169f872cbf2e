# Language models connect through the official clients of their protocol. Its conformance suites need a newer Node.js,
# which npm brings.

models() {
    if ! command -v npm >/dev/null || ! has_python 10; then
        skip 'playing through the official clients for language models' \
            'install Python 3.10 or later, and Node.js with npm (Debian: apt-get install python3-venv nodejs npm)'
        return
    fi
    rust_builds
    step 'Language models play through the official clients' official_clients
}

official_clients() {
    local folder server address
    folder=$(mktemp -d)
    environment mcp mcp==2.3.0
    "$environment/bin/python" crates/server/tests/models/python_client.py "$built/situated"
    "$built/situated" serve crates/server/tests/models/red.toml bw4t --speed 500 --port 0 --log-level error \
        >"$folder/said" &
    server=$!
    address=$(page_of "$folder/said")
    (
        cd crates/server/tests/models
        node_modules
        export PATH=$PWD/node_modules/.bin:$PATH
        node typescript_client.js "${address}mcp/find-goals" "${address}mcp/bw4t"
        conforms() {
            node "node_modules/$1/dist/index.js" server --url "${address}mcp/find-goals" \
                --expected-failures "$2" "${@:3}" >"$folder/report" || { cat "$folder/report"; return 1; }
            sed -n "s/^Total: /The suite $1, where all failures are expected: /p" "$folder/report"
        }
        conforms conformance not_offered_2025.yml
        conforms conformance-2026 not_offered_2026.yml --requirements 2026-07-28
    )
    kill "$server" && wait "$server"
    rm -r "$folder"
}

# Installs the packages that the lock file in this folder names, unless they are there.
node_modules() {
    [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --no-audit --no-fund
}
