/** Errors of wrong usage: they lead to the help of their command, and do not repeat what may be a secret. */
import type { Command, CommanderError } from 'commander';
import { secretPattern } from '../domain/secret/secret-shape.ts';

/** Adds to the errors of each command how to see its help. */
export function leadToHelp(command: Command): void {
  command.showHelpAfterError(helpHint(command));
  command.commands.forEach(leadToHelp);
}

export function helpHint(command: Command): string {
  return `Run ${nameOf(command)} --help`;
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

/** Long enough for a key or a token, and longer than the names of commands and options. */
const longText = /[^\s'"]{32,}/g;

/** Removes long arguments, which commander's errors repeat: someone may have pasted a key where none belongs. */
export function withoutLongTexts(message: string): string {
  return message.replaceAll(longText, '[removed]');
}

const anyKey = new RegExp(secretPattern(), 'g');

/** Removes keys from an error of the system, which repeats the name of a file, and names of files are long. */
export function withoutKeys(message: string): string {
  return message.replaceAll(anyKey, '[removed]');
}

/** Returns what is wrong, in the words of commander. */
export function usageProblem({ code, message }: CommanderError): string {
  // Instead of this error, commander prints the help.
  if (code === 'commander.help') return 'a command is missing or not known';
  return withoutLongTexts(message.replaceAll(/^error: /gm, ''));
}
