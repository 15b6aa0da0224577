/** Envoy's external authorization over gRPC on SQLite, compared with a bare grpc-js server. */

import { progress } from '../../harness/print.ts';
import { Server } from '../../harness/server.ts';
import { median } from '../../harness/statistics.ts';
import { makeKey } from '../../support/calls.ts';
import { checkRequest, encodedCheck } from '../../support/ext-authz.ts';
import { freePort } from '../../support/free-port.ts';
import { temporaryDirectory } from '../../support/temporary-database.ts';
import { startScript } from '../script.ts';
import { callAtFullSpeed } from './check-load.ts';
import { type Bench, medianRatio } from './figures.ts';

const [rounds, seconds] = [9, 2];

export const check: Bench = async () => {
  const [port, barePort] = [await freePort(), await freePort()];
  const environment = { EXT_AUTHZ_PORT: String(port) };
  const server = await Server.startService({ directory: temporaryDirectory().path, environment });
  const { secret } = await makeKey(server);
  const message = encodedCheck(checkRequest({ path: '/orders?page=1', headers: [...browserHeaders, bearer(secret)] }));
  const url = `http://127.0.0.1:${port}`;
  progress('Check, warming up');
  const { answer } = await callAtFullSpeed(url, message, seconds);
  if (!answer.includes('x-latchkey-key-id')) throw new Error('the key is not accepted');
  const bare = await startScript(['test/load/bench/bare-check.ts', String(barePort), answer.toString('base64')]);
  const bareUrl = `http://127.0.0.1:${barePort}`;
  await callAtFullSpeed(bareUrl, message, seconds);
  const [verdicts, floors]: [number[], number[]] = [[], []];
  for (let round = 1; round <= rounds; round += 1) {
    progress(`Check, round ${round} of ${rounds}`);
    floors.push((await callAtFullSpeed(bareUrl, message, seconds)).perSecond);
    verdicts.push((await callAtFullSpeed(url, message, seconds)).perSecond);
  }
  await bare.stop();
  await server.stop();
  return [
    {
      name: 'Envoy over gRPC',
      floor: `${median(floors).toFixed(0)} bare answers/s`,
      value: `${median(verdicts).toFixed(0)} verdicts/s`,
      result: medianRatio(verdicts, floors),
      atLeast: 0.5,
    },
  ];
};

const bearer = (secret: string) => ['authorization', `Bearer ${secret}`] as const;

/** What most clients send. */
const browserHeaders = Object.entries({
  accept: 'application/json',
  'accept-encoding': 'gzip, deflate, br',
  'accept-language': 'en',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-proto': 'https',
  'x-request-id': '7d6f4ad0-8a1c-4a35-9d51-2c1c1f6d7a10',
});
