/** `latchkey members`: lists, removes and imports people, and hands over their keys. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { subjectParts } from '../../src/domain/access/subject-parts.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { sectionOf } from '../support/documents.ts';
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
  return { environment, run, key };
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

it('docs/tasks/responsible-people.md lists who left, and hands their keys over', async () => {
  const { environment } = asTeam();
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-members-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'current-subjects.txt'), 'admin\neve@example.com\n');
  const commandsIn = (title: string) =>
    sectionOf('docs/tasks/responsible-people.md', title).blocks.map(({ text }) =>
      text.replaceAll('npx latchkey', `"${process.execPath}" "${resolve('dist/cli/latchkey.js')}"`),
    );
  const shell = async (script = '') => {
    const options = { cwd: directory, env: { ...process.env, ...environment } };
    return (await promisify(execFile)('sh', ['-eu', '-c', script], options)).stdout;
  };
  expect(await shell(commandsIn('Who is responsible')[0])).toMatch(/lk_live_\w+[\s\S]*\bBilling\b/);
  const [listing, change] = commandsIn('Who has access');
  await shell(change);
  // It was not known that Ada has access: nothing says that she has left.
  expect(await shell(listing)).toMatch(/bob@example.com +left/);
  await shell(change?.replace('bob', 'ada'));
  expect(await shell(listing)).toMatch(/ada@example.com +left +1 [\s\S]*\bBilling\b/);
  expect(await shell(commandsIn('Hand keys over')[0])).toBe('1 key handed over to Team Billing\n');
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
