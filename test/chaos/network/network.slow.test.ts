/** A short `npm run chaos -- network`. */
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { torture } from '../torture/run.ts';
import { summarise } from '../torture/summary.ts';
import { type Hosts, startHosts } from './hosts.ts';
import { asInstances, createLinkFaults } from './link-faults.ts';
import { Link } from './links.ts';
import { Network, thisProgram, whyNoHosts } from './network.ts';

const obstacle = whyNoHosts();
if (obstacle !== '') console.warn(`No hosts in network namespaces: ${obstacle}`);
const testOnHosts = test.skipIf(obstacle !== '');

const closes: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

/** Resolves to the time until the other host has answered; to null if it has not within the timeout. */
async function answerMs(address: string, timeoutMs = 60_000): Promise<number | null> {
  const started = performance.now();
  return await new Promise((resolve) => {
    const socket = connect(9, address);
    socket.setTimeout(timeoutMs, () => {
      socket.destroy();
      resolve(null);
    });
    // No program listens there: the kernel of the other host answers.
    socket.once('error', () => resolve(performance.now() - started));
  });
}

testOnHosts('hosts are as far apart as their link says, and do not reach each other while it is cut', async () => {
  const network = await Network.start(['other'], 1);
  closes.push(() => network.stop());
  const link = new Link(network, thisProgram, 'other');
  const { address } = network.place('other');
  await link.use({ delayMs: 10, loss: 0 });
  expect(await answerMs(address)).toBeGreaterThanOrEqual(20);
  for (const fault of ['partition', 'one-way partition', 'one-way partition'] as const) {
    await link.disturb(fault);
    expect(await answerMs(address, 300)).toBe(null);
    await link.restore();
    expect(await answerMs(address)).not.toBe(null);
  }
});

testOnHosts(
  'no instance or edge decides on a state older than the request, while links delay, lose and cut',
  async () => {
    const hosts: Hosts = await startHosts({ leaseMs: 50, seed: 1 });
    closes.push(hosts.stop);
    await hosts.use({ delayMs: 10, loss: 0.01 });
    const faults = createLinkFaults(hosts, { minMs: 500, maxMs: 1000 });
    const plan = { seconds: 8, keys: 16, changers: 8, pauseMs: 10, faults: 3, leaseMs: 50 };
    const { violations, strange, telling, ports } = summarise(await torture(asInstances(hosts, faults), plan));
    expect(violations).toEqual([]);
    expect(strange).toEqual([]);
    expect(telling).toBeGreaterThan(0);
    for (const { name } of hosts.edges) expect(ports.get(name)?.sent).toBeGreaterThan(0);
  },
);
