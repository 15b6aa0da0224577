/** The faults of all links, one after the other, for test/chaos/torture. */
import { setTimeout as pause } from 'node:timers/promises';
import { random } from '../../harness/random.ts';
import type { Instances } from '../torture/instances.ts';
import type { Hosts } from './hosts.ts';
import { type LinkFault, linkFaults } from './links.ts';

export type LinkFaults = ReturnType<typeof createLinkFaults>;

/** How long a fault lasts. */
interface FaultTime {
  readonly minMs: number;
  readonly maxMs: number;
}

export function createLinkFaults({ links }: Pick<Hosts, 'links'>, { minMs, maxMs }: FaultTime) {
  const counts = new Map(links.map(({ name }) => [name, { ...noFaults }]));
  let turn = 0;
  const cause = async (kind: string) => {
    const link = links[turn % links.length];
    turn += 1;
    const fault = linkFaults.find((one) => one === kind);
    const count = counts.get(link?.name ?? '');
    if (link === undefined || fault === undefined || count === undefined) throw new RangeError(`no fault: ${kind}`);
    await link.disturb(fault);
    await pause(random.between(minMs, maxMs));
    await link.restore();
    count[fault] += 1;
    return { returned: performance.now() };
  };
  return { counts, network: { turns, cause } };
}

const noFaults: Record<LinkFault, number> = { partition: 0, 'one-way partition': 0, 'slow link': 0, 'lossy link': 0 };

/** Their number and that of the links have no common divisor, so that each link has each kind of fault in turn. */
const turns: readonly string[] = [...linkFaults, 'stop'];

/** As test/chaos/torture runs them. */
export function asInstances({ instances, edges, stop }: Hosts, { network }: LinkFaults): Instances {
  return { all: instances, edges, network, stop };
}
