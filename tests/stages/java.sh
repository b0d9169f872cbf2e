# The jars for agent platforms in Java, and messages through the real JADE and the real Jason.

java() {
    if ! command -v mvn >/dev/null || ! command -v curl >/dev/null ||
        ! javac --release 17 --version >/dev/null 2>&1; then
        skip 'the jars for Java' \
            'install a JDK 17 or later, Maven, and curl (Debian: apt-get install default-jdk-headless maven curl)'
        return
    fi
    rust_builds
    step 'The jars for Java' java_packages
    touch "$notes/jars"
    step 'Messages go through JADE and come back' jade
    if has_python 10; then
        await_release_build
        step 'A market over four platforms' market
    else
        skip 'the market over four platforms' 'install Python 3.10 or later (Debian: apt-get install python3-venv)'
    fi
}

# Maven keeps what it has fetched, so that later runs need no network.
java_packages() {
    SITUATED_BINARY=$built/situated mvn --batch-mode --quiet --file bindings/java/pom.xml verify
}

# JADE is not ours to hand out.
jade() {
    local maven=https://repo1.maven.org/maven2
    jade=$target/tests/jade.jar codec=$target/tests/commons-codec.jar
    fetch "$maven/net/sf/ingenias/jade/4.3/jade-4.3.jar" "$jade" \
        5d0a30d1f102f60b94e5e7dbd09be418efc8855f4c58c71e593290106773d8fa
    fetch "$maven/commons-codec/commons-codec/1.3/commons-codec-1.3.jar" "$codec" \
        1bafd2ece2e88db4cdf835a7f8f0de65fab5b1147977a5dcc59b7c1b8c6f5080
    JADE_CLASSPATH=$jade:$codec cargo test --workspace --exclude situated-python --test jade -- --ignored
}

# fetch ADDRESS FILE SHA256: has a file of which it is known what is in it.
fetch() {
    if ! echo "$3  $2" | sha256sum --check --status 2>/dev/null; then
        curl --fail --silent --show-error --location --retry 3 --output "$2" "$1"
        echo "$3  $2" | sha256sum --check --quiet
    fi
}

# The market over four platforms, with the real JADE and the real Jason.
market() {
    with_wheel market
    "$environment/bin/python" examples/four-platforms/market.py --situated "$built/situated" \
        --sellers "$built/examples/sellers" --jade "$jade:$codec" \
        --jason "bindings/java/jason/target/situated-jason-0.1.0.jar:bindings/java/jason/target/lib/*"
}
