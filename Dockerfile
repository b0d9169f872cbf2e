# A server for environments: docker run -p 7467:7467 IMAGE serve bw4t --exposed --token act=...
FROM rust:1.95-slim-trixie AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -r /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN cargo build --locked --profile wheel -p situated-cli --features conformance

FROM debian:trixie-slim
RUN useradd --create-home situated
USER situated
WORKDIR /home/situated
COPY --from=build /source/target/wheel/situated /usr/local/bin/situated
EXPOSE 7467
ENTRYPOINT ["situated"]
CMD ["--help"]
