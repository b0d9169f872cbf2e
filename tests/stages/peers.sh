# Tests that start programs of others which no registry has: EIS and its environments. CONTRIBUTING.md says where to get
# them.

peers() {
    if [ -z "${SITUATED_PEERS:-}" ]; then
        # Few machines have them, so that continuous integration goes on without.
        left_out 'the adapters for EIS with the real EIS; set SITUATED_PEERS to a folder with it, and run ./test peers'
        return
    fi
    rust_builds
    step 'The adapters for EIS with the real EIS' eis
}

# Tests that need no program of others have run in the stage `java`.
eis() {
    SITUATED_BINARY=$built/situated mvn --batch-mode --quiet --file bindings/java/pom.xml \
        -Ppeers -DskipTests -Dmaven.javadoc.skip --projects eis,eis06,eis-host --also-make verify
}
