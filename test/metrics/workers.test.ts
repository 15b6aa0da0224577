/** With WORKERS, one scrape tells of all of them. */
import { Agent, request } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { type TemporaryDatabase, temporaryDatabase } from '../support/databases.ts';
import { freePort } from '../support/embedded-postgres.ts';
import { type Instance, killInstances, startInstance } from '../support/instance.ts';
import { scrape } from '../support/scrape.ts';

let database: TemporaryDatabase | undefined;
afterEach(async () => {
  killInstances();
  await database?.remove();
});

it('counts what each did under its place, says who is stuck, and gives a replacement the place of the one before', async () => {
  database = await temporaryDatabase('sqlite');
  const port = await freePort();
  const instance = await startInstance({ DATA_DIR: database.directory, METRICS_PORT: String(port) }, 2);
  const read = () => scrape(`http://127.0.0.1:${port}`);
  const up = async () => (await read()).value('latchkey_worker_up');
  expect(await up()).toBe(2);

  // Connections go to the workers in turn.
  for (let i = 0; i < 6; i += 1) await verifyJunk(instance);
  const verdicts = await read();
  const junk = (worker: string) => verdicts.value('latchkey_verdicts_total', { code: 'MALFORMED', worker });
  expect((junk('1') ?? 0) + (junk('2') ?? 0)).toBe(6);
  expect([junk('1'), junk('2')].every((count) => count !== undefined && count > 0)).toBe(true);

  const [first = 0] = workersOf(instance);
  process.kill(first, 'SIGSTOP');
  const stuck = await read();
  process.kill(first, 'SIGCONT');
  expect(stuck.value('latchkey_worker_up')).toBe(1);
  expect(stuck.labelValues('worker', 'latchkey_verdicts_total').size).toBe(1);
  await expect.poll(up).toBe(2);

  // A worker that dies at once is not replaced for ever: it must have lived for two seconds.
  await new Promise((resolve) => setTimeout(resolve, 2100));
  process.kill(first, 'SIGKILL');
  await expect.poll(() => workersOf(instance).length, { timeout: 20_000 }).toBe(3);
  await expect.poll(up).toBe(2);
  const replaced = await read();
  expect(replaced.labelValues('worker')).toEqual(new Set(['1', '2']));
  expect(replaced.value('latchkey_verdicts_total', { code: 'MALFORMED' })).toBeLessThan(6);
  expect(await instance.stop()).toBe(0);
});

/** Every one that ever became ready. */
function workersOf({ output }: Instance): number[] {
  const lines = output()
    .split('\n')
    .filter((line) => line.includes('"msg":"ready"'));
  return lines.map((line) => JSON.parse(line).pid);
}

async function verifyJunk({ verifyUrl }: Instance): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const call = request(`${verifyUrl}/v1/verify`, { method: 'POST', agent: new Agent() }, (response) => {
      response.resume().on('end', resolve);
    });
    call.on('error', reject).end('{"key": "junk"}');
  });
}
