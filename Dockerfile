# syntax=docker/dockerfile:1

# The packages as they would be published.
FROM node:20-slim AS build
ENV TURBO_TELEMETRY_DISABLED=1
RUN npm install --global pnpm@12.21.0
WORKDIR /src
COPY . .
RUN pnpm install --frozen-lockfile
RUN pnpm build
RUN pnpm --filter-prod backlot... pack --pack-destination /tarballs

# The command and what it needs at run time, from those packages.
FROM node:20-slim AS install
WORKDIR /opt/backlot
COPY --from=build /tarballs /tarballs
RUN npm install --omit=dev --no-audit --no-fund --no-package-lock --loglevel=error /tarballs/*.tgz

FROM node:20-slim
LABEL org.opencontainers.image.title="Backlot" \
      org.opencontainers.image.description="One server that mocks many protocols, with one management API." \
      org.opencontainers.image.licenses="MIT"
# A container's own loopback is nobody's: what is published has to listen on every address.
ENV NODE_ENV=production \
    BACKLOT_HOST=0.0.0.0 \
    PATH=/opt/backlot/node_modules/.bin:$PATH
COPY --from=install /opt/backlot/node_modules /opt/backlot/node_modules
# Mount backlot.yaml, or mockly.yaml, here. Without a file every protocol is served, without mocks.
WORKDIR /config
USER node
# The management API, then every protocol in the order of the documentation.
EXPOSE 9091 8080 8081 50051 8082 8083 6379 2525 1883 4222 1161/udp 5353/udp 5353/tcp \
       5672 9092 3893 1143 2121 11211 61613 5683/udp 5060/udp 5060/tcp
HEALTHCHECK --interval=5s --timeout=5s --start-period=15s --retries=3 CMD ["backlot", "health"]
ENTRYPOINT ["backlot"]
CMD ["start"]
