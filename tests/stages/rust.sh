# Formatting, lints, and the tests and simulations of the Rust code.

rust() {
    rust_lints
    rust_builds
    rust_tests
}

rust_lints() {
    if cargo fmt --version >/dev/null 2>&1; then
        step 'Formatting' cargo fmt --all --check
    else
        skip 'formatting' 'rustup component add rustfmt'
    fi
    if cargo clippy --version >/dev/null 2>&1; then
        step 'Lints' cargo clippy --workspace --all-targets -- -D warnings
    else
        skip 'lints' 'rustup component add clippy'
    fi
}

rust_tests() {
    # The golden data are not ours to hand out: they are compared with wherever they lie beside the checkout.
    local golden=../shared/data
    if [ -e "$golden" ]; then
        export GOLDEN_DATA=required
    else
        echo "There are no recordings of the original environments in $golden to compare with."
    fi
    if [ "$extent" = few ]; then
        export SIMULATION_SEEDS=4
    fi
    # Many tests wait for processes and timers.
    step 'Tests' env RUST_TEST_THREADS=$((3 * $(getconf _NPROCESSORS_ONLN))) \
        cargo test --workspace --exclude situated-python
    step 'The server keeps to the protocol' conformance
}

# The server by the command that users hold others against it with.
conformance() {
    local folder server address
    folder=$(mktemp -d)
    "$built/situated" serve find-goals --port 0 --grace 1 --log-level error >"$folder/said" &
    server=$!
    address=$(page_of "$folder/said")
    "$built/situated" check "ws://${address#http://}"
    "$built/situated" check "tcp://${address#http://}"
    kill "$server" && wait "$server"
    rm -r "$folder"
}
