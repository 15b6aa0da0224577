/** What a shell can complete a command line with, from commander's own description of the commands. */
import type { Argument, Command, Option } from 'commander';

export interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** `files`: the shell completes the names of files itself. */
export type Candidates = readonly Candidate[] | 'files';

/**
 * Returns the candidates for the last word, which can be empty or incomplete.
 *
 * @param words the words of the command line after the name of the program
 */
export function candidatesFor(program: Command, words: readonly string[]): Candidates {
  const last = words.at(-1) ?? '';
  const { command, values, option } = readWords(program, words.slice(0, -1));
  if (option !== undefined) return valuesOf(option.argChoices, option.flags, last);
  if (last.startsWith('-')) return beginningWith(last, optionsOf(command));
  const commands = subcommandsOf(command);
  if (commands.length > 0) return values === 0 ? beginningWith(last, commands) : [];
  const expected = command.registeredArguments;
  const argument = expected[values] ?? expected.findLast(({ variadic }) => variadic);
  if (argument !== undefined) return valuesOf(argument.argChoices, argument.name(), last);
  return beginningWith(last, optionsOf(command));
}

interface Position {
  readonly command: Command;
  /** How many arguments the command has already. */
  readonly values: number;
  /** The option whose value comes next. */
  readonly option: Option | undefined;
}

function readWords(program: Command, words: readonly string[]): Position {
  let position: Position = { command: program, values: 0, option: undefined };
  for (const word of words) position = afterWord(position, word);
  return position;
}

function afterWord({ command, values, option }: Position, word: string): Position {
  const given = withParents(command)
    .flatMap(({ options }) => options)
    .find(({ long, short }) => word === long || word === short);
  if (given !== undefined) return { command, values, option: takesValue(given) ? given : undefined };
  // A value of an option. A variadic option takes all that follow.
  if (option !== undefined) return { command, values, option: option.variadic ? option : undefined };
  if (word.startsWith('-')) return { command, values, option };
  const next = command.commands.find((candidate) => candidate.name() === word || candidate.aliases().includes(word));
  if (next !== undefined) return { command: next, values: 0, option };
  return { command, values: values + 1, option };
}

const takesValue = ({ required, optional }: Option) => required || optional;

function withParents(command: Command): readonly Command[] {
  return command.parent === null ? [command] : [command, ...withParents(command.parent)];
}

function optionsOf(command: Command): readonly Candidate[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].map((option) => ({
    word: option.long ?? option.flags,
    description: option.description,
  }));
}

function subcommandsOf(command: Command): readonly Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((candidate) => ({ word: candidate.name(), description: candidate.description() }));
}

/** Values of options and arguments: known choices, files, or nothing that a shell can know. */
function valuesOf(choices: Argument['argChoices'] | undefined, name: string, last: string): Candidates {
  if (choices !== undefined)
    return beginningWith(
      last,
      choices.map((word) => ({ word, description: '' })),
    );
  return /\b(?:file|path|directory)\b/.test(name) ? 'files' : [];
}

function beginningWith(start: string, candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter(({ word }) => word.startsWith(start));
}
