# syntax=docker/dockerfile:1
# docker build -t placer . && docker run --rm -v "$PWD:/work" placer optimize graph.json
FROM debian:bookworm AS build
COPY scripts/install-packages.sh /source/scripts/
RUN /source/scripts/install-packages.sh package
COPY . /source
WORKDIR /source
RUN cmake -S . -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DPLACER_TESTS=OFF \
    && ninja -C /build placer placer_program \
    && scripts/package.sh /build

FROM debian:bookworm-slim
COPY --from=build /build/placer_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/placer_*.deb \
    && rm -rf /var/lib/apt/lists/* /tmp/placer_*.deb
WORKDIR /work
ENTRYPOINT ["placer"]
