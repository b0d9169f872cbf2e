# Learners connect through the client of OpenEnv, frameworks evaluate agents, and the frameworks that learners use run
# with the Python package. Each is in a virtual environment of its own, because they want different versions of the same
# packages.

learners() {
    if ! has_python 11; then
        skip 'learners' 'install Python 3.11 or later (Debian: apt-get install python3-venv)'
        return
    fi
    rust_builds
    step 'Learners make steps through the client of OpenEnv' evaluates openenv_client openenv==0.10.0
    # What the client of OpenEnv wants for its own server excludes what verifiers wants.
    step 'verifiers evaluates agents' evaluates verifiers_agent \
        verifiers==0.4.0 fastapi==0.165.0 fastmcp==4.1.1 websockets==17.4 uv==0.13.9
    step 'Inspect evaluates agents' evaluates inspect_evaluation inspect_ai==0.3.285 mcp==2.3.0
    await_release_build
    step 'Frameworks for learners' frameworks
}

# evaluates PROGRAM PACKAGE...
evaluates() {
    environment "$@"
    if [ "$1" = verifiers_agent ]; then
        install_uv
        "$uv" pip install --quiet --python "$environment/bin/python" --no-deps openenv==0.10.0
    fi
    "$environment/bin/python" "crates/server/tests/learners/$1.py" "$built/situated"
}

frameworks() {
    install_uv
    PATH=$(dirname "$uv"):$PATH python3 bindings/python/tests/frameworks/run.py "$target"/tests/wheels/*.whl small
}
