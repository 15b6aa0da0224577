#!/bin/sh
# What `npm start` runs. `exec` replaces the shell: npm forwards signals to its child only, so a shell that waits would
# end at SIGTERM and leave the service running.
for file in node_modules/.package-lock.json dist/main.js dist/dashboard/index.html; do
  [ -e "$file" ] && continue
  echo "Latchkey is not completely installed ($file is missing): run npm ci, then npm start." >&2
  exit 1
done
exec node dist/main.js
