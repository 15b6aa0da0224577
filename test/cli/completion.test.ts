/** Shells complete the commands and options that exist, by the scripts that `latchkey completion` prints. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { blockOf } from '../support/documents.ts';
import { runCommand, serviceEnvironment } from '../support/instance.ts';

const shellCompletion = blockOf('docs/reference/command-line.md', 'Shell completion').trim();

/** Each prints the candidates for the words, one per line. `load` defines the completion, as the user does. */
const shells = {
  bash: (load: string, words: readonly string[]) =>
    `${load}\nCOMP_WORDS=(latchkey ${words.map(quoted).join(' ')}); COMP_CWORD=${words.length}
compopt() { echo "[files]"; }
_latchkey; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // The functions of zsh's completion work only in its line editor: these print what they would offer.
  zsh: (load: string, words: readonly string[]) =>
    `compdef() { :; }; _files() { echo "[files]"; }; _describe() { print -rl -- "\${(@)candidates%%:*}"; }
${load}\nwords=(latchkey ${words.map(quoted).join(' ')}); CURRENT=${words.length + 1}; _latchkey`,
  fish: (load: string, words: readonly string[]) =>
    `${load}\nfunction __fish_complete_path; echo "[files]"; end
complete -C ${quoted(`latchkey ${words.join(' ')}`)} | string replace -r '\\t.*' ''
exit 0`,
} as const;

function quoted(word: string): string {
  return `'${word}'`;
}

const cases: readonly (readonly [words: readonly string[], candidates: readonly string[]])[] = [
  [
    ['keys', 'en'],
    ['end-overlap', 'enable'],
  ],
  [
    ['keys', 'list', '--s'],
    ['--state', '--search', '--scope', '--signing', '--sort'],
  ],
  [
    ['keys', 'list', '--state', ''],
    ['active', 'expired', 'disabled', 'revoked'],
  ],
  // A variadic option takes more values, and an option of the program is known everywhere.
  [['keys', 'list', '--state', 'active', 'ex'], ['expired']],
  [
    ['--profile', 'keys', 'audit', ''],
    ['export', 'help'],
  ],
  [['keys', 'get', '--prof'], ['--profile']],
  [
    ['ring', 'add', ''],
    ['pepper', 'signing-kek'],
  ],
  [['verify', '--en'], ['--env']],
  [['keys', 'import', ''], ['[files]']],
  [['events', 'tail', '--cursor-file', ''], ['[files]']],
  [['keys', 'create', '--name', 'x*', '--tag', ''], []],
  [['keys', 'no-such', ''], []],
];

describe.each(['bash', 'zsh', 'fish'] as const)('in %s', (shell) => {
  const isInstalled = spawnSync(shell, ['-c', 'exit 0']).status === 0;
  if (!isInstalled) console.warn(`${shell} is not installed: its completion is not tested`);

  it.runIf(isInstalled)(
    'commands, options, choices and files are completed, and what a shell cannot know is not',
    async () => {
      const define =
        shell === 'fish'
          ? `function latchkey; ${process.execPath} dist/cli/latchkey.js $argv; end`
          : `latchkey() { ${process.execPath} dist/cli/latchkey.js "$@"; }`;
      const load = shell === 'fish' ? 'latchkey completion fish | source' : shellCompletion.replace('bash', shell);
      const env = serviceEnvironment({ HOME: '/nonexistent' });
      const completed = await Promise.all(
        cases.map(async ([words]) => {
          const script = shells[shell](`${define}\n${load}`, words);
          const { stdout } = await promisify(execFile)(shell, ['-c', script], { env });
          return stdout.split('\n').filter((line) => line !== '');
        }),
      );
      const sorted = (lists: readonly (readonly string[])[]) => lists.map((list) => [...list].sort());
      expect(sorted(completed)).toEqual(sorted(cases.map(([, candidates]) => candidates)));
    },
  );
});

it('every command of the help is completed, and the one that shells ask is not', async () => {
  const { stdout } = await runCommand(['__complete', '--', ''], {});
  const completed = stdout.split('\n').map((line) => line.split('\t', 1)[0]);
  const help = (await runCommand(['--help'], {})).stdout.split(/^Commands:$|^Environment:$/m)[1] ?? '';
  const listed = [...help.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name);
  expect(listed.length).toBeGreaterThan(15);
  expect(completed).toEqual([...listed, '']);
});
