/** `latchkey completion`: prints a script that lets a shell complete commands and options, by asking this program. */
import { Argument, type Command } from 'commander';
import { print } from '../print.ts';
import { candidatesFor } from './candidates.ts';
import { type Shell, scripts, shells } from './scripts.ts';

/** Not for people: the scripts run it with the words of the command line. */
const askedByShells = '__complete';
/** Printed instead of candidates if the shell completes file names. */
const filesOnly = ':files';

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a script that lets your shell complete commands and options')
    .addArgument(new Argument('<shell>', 'your shell').choices(shells))
    .addHelpText(
      'after',
      `
Load it at the start of the shell:
  bash  source <(latchkey completion bash)      in ~/.bashrc
  zsh   source <(latchkey completion zsh)       in ~/.zshrc, after compinit
  fish  latchkey completion fish | source       in ~/.config/fish/config.fish`,
    )
    .action((shell: Shell) => {
      // Aliases and functions called latchkey are not known to the function that asks.
      const program = [process.execPath, process.argv[1] ?? 'latchkey'].map(quoted).join(' ');
      void print(scripts[shell](`${program} ${askedByShells} --`, filesOnly));
    });

  program
    .command(askedByShells, { hidden: true })
    .argument('[words...]')
    .action((words: readonly string[]) => {
      const candidates = candidatesFor(program, words);
      const lines =
        candidates === 'files' ? [filesOnly] : candidates.map(({ word, description }) => `${word}\t${description}`);
      void print(lines.map((line) => `${line}\n`).join(''));
    });
}

/** Quotes a text for all three shells. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}
