# Builds that several stages use. Each is made once in a run.

# Compiles the Rust tests. With them comes the command for the tests of other languages.
rust_builds() {
    [ ! -e "$notes/built" ] || return 0
    step 'The tests compile' cargo test --workspace --exclude situated-python --no-run
    touch "$notes/built"
}

# Compiles the command and the Python package as users of a clone do, and makes the wheel that the tests of Python
# install.
release_build() {
    [ ! -e "$notes/released" ] || return 0
    step 'The release build' cargo build --quiet --release
    if has_python 10; then
        step 'The Python package, from the same crates' shared_wheel
    fi
    touch "$notes/released"
}

# Makes the wheel, and fails if that compiles a crate of the command again.
shared_wheel() {
    rm -rf "$target/tests/wheels"
    environment maturin maturin==1.16.0
    CARGO_TERM_COLOR=never "$environment/bin/maturin" build --manifest-path bindings/python/Cargo.toml \
        --out "$target/tests/wheels" 2>&1 | tee "$notes/compiled"
    python3 tests/stages/compiled_again.py "$notes/compiled" \
        <(cargo tree -p situated-cli -e normal,no-proc-macro --prefix none --format '{p}')
}

# Waits for the release build, if a stage beside makes it; otherwise makes it.
await_release_build() {
    await released
    release_build
}

# The address of a server, from what it prints: page_of FILE
page_of() {
    until grep -qs '^Page:' "$1"; do sleep 0.1; done
    sed -n 's|^Page: *||p' "$1"
}
