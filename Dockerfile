# One image for every program; compose.yaml says which one a service runs.
FROM debian:12-slim AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends gcc cmake ninja-build pkg-config libc6-dev \
      libzmq3-dev libczmq-dev libmsgpack-dev libcurl4-openssl-dev libmicrohttpd-dev libyajl-dev \
      libsqlite3-dev libsodium-dev libfyaml-dev libjwt-dev libpcre2-dev libunistring-dev zlib1g-dev
COPY . /src
RUN cmake -S /src -B /build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DPROOFARC_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr/local \
 && cmake --build /build && DESTDIR=/image cmake --install /build --strip

FROM debian:12-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libzmq5 libczmq4 libcurl4 libmicrohttpd12 libyajl2 \
      libsqlite3-0 libsodium23 libfyaml0 libjwt0 libpcre2-8-0 libunistring2 zlib1g \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /data proofarc \
 && install -d -o proofarc -g proofarc -m 0700 /data /run/proofarc
COPY --from=build /image/ /
ENV PATH=/usr/local/libexec/proofarc:$PATH
USER proofarc
VOLUME ["/data", "/run/proofarc"]
ENTRYPOINT []
CMD ["proofarc-mcp", "--help"]
