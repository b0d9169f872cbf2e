# Virtual environments of Python, kept by what is required of them, so that only the first run installs it.

# has_python MINOR: there is a Python 3.MINOR or later that can make virtual environments.
has_python() {
    python3 -c "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, $1))" 2>/dev/null
}

# environment NAME REQUIREMENT...: installs what is required unless it is there, and sets $environment to the folder.
environment() {
    local name=$1 hash
    shift
    hash=$(printf '%s\n' "$(python3 --version)" "$@" | sha256sum | head -c 12)
    environment=$target/tests/$name-$hash
    [ ! -e "$environment/complete" ] || return 0
    rm -rf "$target/tests/$name-"*
    install_uv
    "$uv" venv --quiet --seed --python python3 "$environment"
    "$uv" pip install --quiet --python "$environment/bin/python" "$@"
    touch "$environment/complete"
}

# Sets $uv to the program, which installs packages much faster than pip does and keeps them for all environments.
install_uv() {
    local folder=$target/tests/uv
    uv=$folder/bin/uv
    if [ ! -x "$uv" ]; then
        python3 -m venv "$folder"
        "$folder/bin/pip" install --quiet --disable-pip-version-check uv==0.13.9
    fi
}

# with_wheel NAME [EXTRA]: an environment with the package of this tree, and what it requires for the extra.
with_wheel() {
    local wheel
    wheel=$(echo "$target"/tests/wheels/*.whl)
    environment "$1" "numpy>=1.24"
    install_uv
    "$uv" pip install --quiet --python "$environment/bin/python" --reinstall-package situated "$wheel${2:+[$2]}"
}
