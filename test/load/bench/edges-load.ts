/** Many edges in one process, each of which verifies a key of its own at a fixed rate. Prints what was verified. */
import { readFileSync } from 'node:fs';
import { createLocalVerifier } from '../../../src/client/local-verifier.ts';

const [verifyUrl = '', perSecond = '', seconds = ''] = process.argv.slice(2);
const keys: readonly string[] = JSON.parse(readFileSync(0, 'utf8'));
const edges = keys.map((key) => ({ key, verifier: createLocalVerifier({ url: verifyUrl }) }));
let [verified, failed] = [0, 0];

for (const { key, verifier } of edges) await verifier.verify({ key });
console.log('ready');

const startedAt = performance.now();
const endsAt = startedAt + Number(seconds) * 1000;
let begun = 0;
const timer = setInterval(() => {
  const due = Math.floor(((performance.now() - startedAt) / 1000) * Number(perSecond));
  for (; begun < due; begun += 1) {
    const edge = edges[begun % edges.length];
    edge?.verifier.verify({ key: edge.key }).then(
      ({ valid }) => {
        if (valid) verified += 1;
        else failed += 1;
      },
      () => {
        failed += 1;
      },
    );
  }
  if (performance.now() < endsAt) return;
  clearInterval(timer);
  console.log(JSON.stringify({ perSecond: verified / ((performance.now() - startedAt) / 1000), failed }));
}, 1);
