/** The oldest version that runs the service: before it, better-sqlite3 crashes, because it needs Node-API 10. */
export const minimumNode = '22.18';

/** Ends the process on a Node version that can't run the service. */
export function requireSupportedNode(): void {
  if (numberOf(process.versions.node) >= numberOf(minimumNode)) return;
  console.error(
    `Latchkey needs Node ${minimumNode} or newer, and this is Node ${process.versions.node}. ` +
      'Install a newer Node. In a checkout, npm start and npx latchkey run the one that npm ci has installed.',
  );
  process.exit(1);
}

/** A version as one number, without its patch level. */
function numberOf(version: string): number {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return 1000 * major + minor;
}
