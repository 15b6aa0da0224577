/** `promtool check metrics` checks the names, types and help texts of metrics. */
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
import { isPromtoolMissing, runPromtool } from './run-promtool.ts';

const findingsIn = (metrics: string) => runPromtool(['check', 'metrics'], metrics);
const test = it.skipIf(isPromtoolMissing);

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
