import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';

/** Stands in for an old Node: the file is run as it was built, and only the version that it reads is another. */
const pretending = (version: string) =>
  `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;

function run(version: string, args: readonly string[]): Promise<{ readonly code: unknown; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', pretending(version), ...args], { timeout: 200_000 }, (error, _, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    );
  });
}

it.each(['18.20.0', '20.20.2', '22.17.1'])(
  'the service on Node %s says which Node it needs and exits with 1',
  async (version) => {
    const { code, stderr } = await run(version, ['dist/main.js']);
    expect(stderr).toContain(`Latchkey needs Node 22.18 or newer, and this is Node ${version}.`);
    expect(stderr).toContain('npm start');
    expect(code).toBe(1);
  },
);

it('the command line on Node 20 says which Node it needs and exits with 1', async () => {
  const { code, stderr } = await run('20.20.2', ['dist/cli/latchkey.js', '--help']);
  expect(stderr).toContain('Latchkey needs Node 22.18 or newer');
  expect(code).toBe(1);
});

it.each(['22.18.0', '24.0.0', '26.10.0'])('the command line runs on Node %s', async (version) => {
  expect(await run(version, ['dist/cli/latchkey.js', '--help'])).toEqual({ code: 0, stderr: '' });
});
