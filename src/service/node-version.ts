/** The oldest version that runs the service: before it, better-sqlite3 crashes, because it needs Node-API 10. */
export const minimumNode = '22.18';

/** Ends the process on a Node version that can't run the service. */
export function requireSupportedNode(): void {
  if (numberOf(process.versions.node) >= numberOf(minimumNode)) return;
  console.error(
    `Latchkey needs Node ${minimumNode} or newer, and this is Node ${process.versions.node}. ` +
      'Start it with npm (npm start, npx latchkey), which runs the Node that npm ci has installed, or install a newer Node.',
  );
  process.exit(1);
}

/** A version as one number, without its patch level. */
function numberOf(version: string): number {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return 1000 * major + minor;
}
