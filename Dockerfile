FROM node:20-bookworm AS build
WORKDIR /opt/latchkey
COPY . .
# What only the build needs goes again, and of Prisma and better-sqlite3 what is for other databases and compilers.
RUN npm ci && npm pkg delete devDependencies workspaces && npm prune --ignore-scripts && rm -r node_modules/better-sqlite3/deps \
  node_modules/@prisma/client/runtime/*.cockroachdb.* node_modules/@prisma/client/runtime/*.mysql.* node_modules/@prisma/client/runtime/*.sqlserver.*

FROM node:20-bookworm-slim
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
