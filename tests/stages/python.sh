# The Python package, from the wheel that a clone makes, and recordings as others read them.

python() {
    if ! has_python 10; then
        skip 'the package for Python' 'install Python 3.10 or later (Debian: apt-get install python3-venv)'
        return
    fi
    rust_builds
    await_release_build
    step 'The package for Python' python_package
    step 'Recordings are read by the package mcap' read_by_others
}

python_package() {
    with_wheel python test
    (
        cd bindings/python
        export PATH="$environment/bin:$PATH" MPLBACKEND=agg SITUATED_BINARY=$built/situated
        ruff check .
        ruff format --check .
        mypy
        # A user has no settings of this package.
        mypy --strict --config-file= tests/users_program.py
        pytest --quiet
    )
}

# Recordings are files for others too: the usual package reads one.
read_by_others() {
    local folder
    folder=$(mktemp -d)
    environment mcap mcap==1.6.0 jsonschema==4.26.0
    "$built/situated" run find-goals --steps 300 --quiet --record "$folder/run.mcap" >/dev/null
    "$environment/bin/python" crates/cli/tests/mcap_package.py "$folder/run.mcap" 300
    rm -r "$folder"
}
