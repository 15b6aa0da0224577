/** A program that did not do what was asked of it does not look like one that found nothing: 0 is success, 1 a finding. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const programs = { prove: 'test/proof/main.ts', chaos: 'test/chaos/main.ts', load: 'test/load/main.ts' } as const;

test.each<[program: keyof typeof programs, args: string, possible: RegExp]>([
  ['prove', '', /spin\|simulate\|check-history\|record-history/],
  ['prove', 'spin nothing', /configurations, mutants/],
  ['prove', 'simulate nothing', /expected broken/],
  ['prove', 'simulate --broken nothing', /expected .* or /],
  ['prove', 'simulate --seconds none', /expected a number/],
  ['prove', 'check-history', /FILE/],
  ['prove', 'record-history --nothing', /'--nothing'/],
  ['chaos', 'nothing', /torture\|durability\|network/],
  ['chaos', 'torture nothing', /verdicts or events/],
  ['chaos', 'torture --changes none', /expected a number/],
  ['chaos', 'durability --store nothing', /sqlite or postgresql/],
  ['chaos', 'durability --rounds none', /expected a number/],
  ['chaos', 'network --nothing', /--seed <value>/],
  ['load', '--help', /bench\|hostile\|overload\|soak/],
  ['load', 'bench nothing', /create reads/],
  ['load', 'hostile --only nothing', /pipelining/],
  ['load', 'overload --nothing', /--write/],
  ['load', 'soak --store nothing', /sqlite or postgresql/],
])('npm run %s -- %s: says what is possible, and exits with 2', (program, args, possible) => {
  const { status, stderr } = spawnSync(process.execPath, [programs[program], ...args.split(' ').filter(Boolean)], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect(stderr).toMatch(possible);
  expect(status).toBe(2);
});
