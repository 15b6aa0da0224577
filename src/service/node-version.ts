const [minMajor, minMinor] = [22, 18];

/** Ends the process on a Node version that can't run the service: better-sqlite3 crashes without Node-API 10. */
export function requireSupportedNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return;
  console.error(
    `Latchkey needs Node ${minMajor}.${minMinor} or newer, and this is Node ${process.versions.node}. ` +
      'Start it with npm (npm start, npx latchkey), which runs the Node that npm ci has installed, or install a newer Node.',
  );
  process.exit(1);
}
