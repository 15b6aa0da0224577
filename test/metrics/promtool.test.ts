/** The metrics have no finding of `promtool check metrics`, Prometheus' own judge of names, types and help texts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { readEdgeConfiguration } from '../../src/config/edge-configuration.ts';
import { metricsOf } from '../../src/metrics/exposition.ts';
import { composeEdge } from '../../src/service/compose/compose-edge.ts';
import { temporaryDatabase } from '../support/databases.ts';
import { type Instance, startBuilt } from '../support/instance.ts';
import { scrape } from '../support/scrape.ts';
import { rest } from '../support/service.ts';
import { deadUrl } from '../support/stand-in-verifier.ts';
import type { TemporaryDatabase } from '../support/temporary-database.ts';

/** Returns its findings. Rejects if it is not installed. */
async function findingsIn(metrics: string): Promise<string> {
  const promtool = spawn('promtool', ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] });
  const outputs = Promise.all([text(promtool.stdout), text(promtool.stderr)]);
  promtool.stdin.on('error', () => undefined).end(metrics);
  await once(promtool, 'spawn');
  return (await outputs).join('');
}

const isMissing = await findingsIn('').then(
  () => false,
  () => true,
);
if (isMissing) console.warn('The metrics are not judged: there is no promtool; Debian has it in prometheus');
const test = it.skipIf(isMissing);

let database: TemporaryDatabase | undefined;
let service: Instance | undefined;
afterEach(async () => {
  if (service !== undefined) await service.stop();
  await database?.remove();
});

test('those of all processes of a service, in one scrape, have no finding', async () => {
  database = await temporaryDatabase('sqlite');
  service = await startBuilt({ DATA_DIR: database.directory, METRICS_PORT: '0' });
  await rest(service.verifyUrl, null, 'POST', '/v1/verify', { key: 'junk' });
  const { text, samples } = await scrape(service.metricsUrl);
  expect(samples.length).toBeGreaterThan(100);
  expect(await findingsIn(text)).toBe('');
});

test('those of an edge have no finding', async () => {
  const { gateway, readings, close } = await composeEdge(
    readEdgeConfiguration({}, { upstream: [await deadUrl()] }),
    () => undefined,
  );
  const metrics = await metricsOf({ edge: readings }).text();
  gateway.close();
  await close();
  expect(metrics).toContain('latchkey_verdicts_total');
  expect(await findingsIn(metrics)).toBe('');
});

test('a gauge with the name of a counter has a finding', async () => {
  expect(await findingsIn('# HELP a_total A.\n# TYPE a_total gauge\na_total 1\n')).toContain('a_total');
});
