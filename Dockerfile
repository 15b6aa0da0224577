FROM node:24.18.1-bookworm-slim@sha256:235600a8101ab264e117b1768e925532262668dc9b581ef1dd7d96ced463b8e7 AS build
WORKDIR /src
COPY . .
RUN npm ci && node deploy/package.ts && mkdir -p /opt/latchkey && tar -xzf latchkey-server-*.tgz -C /opt/latchkey --strip-components=1

FROM node:24.18.1-bookworm-slim@sha256:235600a8101ab264e117b1768e925532262668dc9b581ef1dd7d96ced463b8e7 AS runtime
WORKDIR /opt/latchkey
COPY --from=build /opt/latchkey ./
ENV NODE_ENV=production HOST=0.0.0.0 VERIFY_HOST=0.0.0.0 DATA_DIR=/var/lib/latchkey
RUN install -d -o 1000 -g 1000 -m 700 /var/lib/latchkey
USER 1000:1000

# docker build --target edge
FROM runtime AS edge
EXPOSE 4001
HEALTHCHECK CMD ["node", "-e", "const { VERIFY_PORT = 4001 } = process.env; fetch(`http://127.0.0.1:${VERIFY_PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/cli/latchkey.js", "edge"]

FROM runtime
VOLUME /var/lib/latchkey
EXPOSE 4000 4001
HEALTHCHECK CMD ["node", "-e", "const { PORT = 4000, VERIFY_PORT = 4001 } = process.env; Promise.all([PORT, VERIFY_PORT].map((port) => fetch(`http://127.0.0.1:${port}/readyz`))).then((all) => process.exit(all.every(({ ok }) => ok) ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
