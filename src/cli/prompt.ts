/** Questions to a person at a terminal. They are on standard error, so that a pipe gets only results. */
import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { escapeLine } from '../domain/text.ts';
import { Failure } from './failure.ts';

/** Returns a secret from the terminal, which does not show it, or else all of standard input. */
export async function readSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim();
  // With a terminal as input, readline turns off its echo and writes the typed characters to its output: nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  // Written after the echo is off. A person, or a program, may answer as soon as they see it.
  process.stderr.write(escapeLine(question));
  try {
    return (await answerOf(terminal, '')).trim();
  } finally {
    process.stderr.write('\n');
  }
}

/** Returns whether a person can be asked: scripts whose input or messages are redirected are not. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Throws Failure unless the answer is yes. */
export async function confirm(question: string): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await answerOf(terminal, `${escapeLine(question)} [y/N] `);
  if (!/^y(?:es)?$/i.test(answer.trim())) throw canceled();
}

/** Throws Failure at the end of the input (Ctrl+D), and after Ctrl+C. */
async function answerOf(terminal: Interface, question: string): Promise<string> {
  try {
    return await new Promise((resolve, reject) => {
      terminal.once('SIGINT', () => reject(canceled()));
      terminal.once('close', () => reject(canceled()));
      terminal.question(question).then(resolve, reject);
    });
  } finally {
    terminal.close();
  }
}

function canceled(): Failure {
  return new Failure('CANCELED', 'nothing was done');
}
