# What a release needs: packages, licences, workflows, documentation, fuzz targets, and builds that agree with those for
# debugging.

release() {
    rust_builds
    release_build
    step 'Replays agree between debug and release builds' replays
    if has_python 10; then
        step 'The wheel works by itself' clean_install
        step 'Dependencies keep to deny.toml' dependencies
        step 'Workflows are valid' workflows
    else
        skip 'the wheel, dependencies and workflows' \
            'install Python 3.10 or later (Debian: apt-get install python3-venv)'
    fi
    step 'Packages are complete' .ci/package
    step 'Documentation' env RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps
    if command -v c++ >/dev/null; then
        step 'Fuzz targets compile' cargo check --manifest-path fuzz/Cargo.toml --target-dir "$target"
    else
        skip 'compiling the fuzz targets' 'install a C++ compiler (Debian: apt-get install g++)'
    fi
}

# What one build has recorded the other must come to as well.
replays() {
    local folder build
    folder=$(mktemp -d)
    for build in "$built" "$released"; do
        "$build/situated" run find-goals --agents random --steps 2000 --quiet \
            --record "$folder/${build##*/}.mcap" >"$folder/${build##*/}.json"
    done
    cmp "$folder/debug.json" "$folder/release.json"
    "$built/situated" replay "$folder/release.mcap"
    "$released/situated" replay "$folder/debug.mcap"
    rm -r "$folder"
}

# With nothing but Python and the wheel.
clean_install() {
    with_wheel clean pettingzoo
    env --ignore-environment HOME="$notes" PATH= \
        "$environment/bin/python" bindings/python/tests/clean_install.py "$environment/bin"
}

# The licences, sources and duplicates of dependencies.
dependencies() {
    environment dependencies tomli==2.5.0 license-expression==30.4.4
    "$environment/bin/python" .ci/check-dependencies.py
}

# What runs when a version is released.
workflows() {
    local script
    environment workflows check-jsonschema==0.39.0
    "$environment/bin/check-jsonschema" --builtin-schema vendor.github-workflows .github/workflows/*.yml
    for script in $(grep --no-filename --only-matching '\.ci/[a-z-]*' .github/workflows/*.yml | sort --unique); do
        [ -x "$script" ] || { echo "test: a workflow runs $script, which is not there" >&2; return 1; }
        bash -n "$script"
    done
    .ci/changelog Unreleased >/dev/null
}
