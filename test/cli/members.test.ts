/** `latchkey members`: lists, removes and imports people, and hands over their keys. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { subjectParts } from '../../src/cli/members/subjects.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { inTests } from '../support/in-tests.ts';
import { runCommand } from '../support/instance.ts';
import { both, callerOf, sessionToken, startService } from '../support/service.ts';

const running = inTests(() => startService('sqlite'));

function asTeam() {
  const team = randomUUID();
  const environment = { LATCHKEY_URL: running.url, LATCHKEY_TOKEN: sessionToken({ [team]: both }, 'admin') };
  const run = (args: readonly string[], input = '') => runCommand(['members', ...args], environment, input);
  const key = (name: string, responsible: string) =>
    createKey(running.service.management, callerOf({ [team]: both }), { teamId: team, name, env: 'live', responsible });
  return { run, key };
}

describe('members', () => {
  it('imports who has access, says who is responsible for keys and left, and hands the keys over', async () => {
    const { run, key } = asTeam();
    await key('one', 'ada');
    await key('two', 'ada');
    expect((await run(['import', '-', '--yes'], 'ada\nbob\r\n\nadmin\n')).exitCode).toBe(0);
    const second = await run(['import', '-', '--yes'], 'bob\nadmin\n');
    expect(second.stdout).toBe('0 added, 1 left\n');
    const left = JSON.parse((await run(['list', '--state', 'left', '--json'])).stdout);
    expect(left).toMatchObject([{ subject: 'ada', state: 'LEFT', keyCount: 2 }]);
    const handed = await run(['hand-over', 'ada', 'bob', '--yes']);
    expect([handed.stdout, handed.exitCode]).toEqual(['2 keys handed over to bob\n', 0]);
    const removed = await run(['remove', 'bob', '--yes']);
    expect(removed.stdout).toBe('bob has left, and is responsible for 2 keys\n');
    expect((await run(['list'])).stdout).toMatch(
      /^SUBJECT +STATE +KEYS .*\nada +left +0 .*\nadmin +active +0 .*\nbob +left +2 /,
    );
  });

  it('does not import an empty list, with which everyone would have left', async () => {
    const { run } = asTeam();
    const { stderr, exitCode } = await run(['import', '-', '--yes'], '\n');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('NO_MEMBERS')]);
  });
});

describe('the parts of a list', () => {
  it('are in order, each within a call, and together cover all subjects', () => {
    const subjects = Array.from({ length: 2500 }, (_, i) => `${i % 7}-${'ä'.repeat(100)}-${i}`);
    const parts = subjectParts(subjects);
    expect(parts.flatMap((part) => part.subjects).toSorted()).toEqual(subjects.toSorted());
    for (const part of parts) {
      expect(part.subjects.length).toBeLessThanOrEqual(1000);
      expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThan(62_000);
    }
    expect(parts.map(({ after }) => after)).toEqual([null, ...parts.slice(0, -1).map(({ upTo }) => upTo)]);
    expect(parts.at(-1)?.upTo).toBeNull();
  });
});
