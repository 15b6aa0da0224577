/** One scrape has the metrics of all processes. */
import { afterEach, expect, it } from 'vitest';
import { send } from '../support/gateway.ts';
import { killInstances, startInstance } from '../support/instance.ts';
import { processesOf } from '../support/processes.ts';
import { scrape } from '../support/scrape.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

afterEach(killInstances);

it('counts for each process under its name, reports a stuck one, and gives a replacement the same name', async () => {
  const instance = await startInstance({ DATA_DIR: temporaryDirectory().path, METRICS_PORT: '0' }, 2);
  const read = () => scrape(instance.metricsUrl);
  const up = async () => (await read()).value('latchkey_process_up');
  // A process that answers late, because the machine is busy, counts as stuck.
  await expect.poll(up).toBe(4);

  // Connections go to the verification processes in turn.
  for (let i = 0; i < 6; i += 1)
    await send(instance.verifyUrl, { method: 'POST', path: '/v1/verify', body: '{"key": "junk"}' });
  let verdicts = await read();
  const allUp = async () => {
    verdicts = await read();
    return verdicts.value('latchkey_process_up');
  };
  await expect.poll(allUp).toBe(4);
  const names = new Set(['management', 'sender', 'verification-1', 'verification-2']);
  expect(verdicts.labelValues('process')).toEqual(names);
  const junk = (name: string) => verdicts.value('latchkey_verdicts_total', { code: 'MALFORMED', process: name });
  expect((junk('verification-1') ?? 0) + (junk('verification-2') ?? 0)).toBe(6);
  expect(junk('verification-1')).toBeGreaterThan(0);
  expect(junk('verification-2')).toBeGreaterThan(0);
  expect(junk('management')).toBeUndefined();

  const [first = 0] = processesOf(instance.process.pid ?? 0).verification;
  process.kill(first, 'SIGSTOP');
  const stuck = await read();
  process.kill(first, 'SIGCONT');
  expect(stuck.value('latchkey_process_up')).toBe(3);
  expect(stuck.labelValues('process', 'latchkey_verdicts_total').size).toBe(1);
  await expect.poll(up).toBe(4);

  process.kill(first, 'SIGKILL');
  await expect.poll(() => instance.output()).toContain('a process is ready again');
  await expect.poll(up).toBe(4);
  const replaced = await read();
  expect(replaced.labelValues('process')).toEqual(names);
  expect(replaced.value('latchkey_verdicts_total', { code: 'MALFORMED' })).toBeLessThan(6);
  expect(await instance.stop()).toBe(0);
});
