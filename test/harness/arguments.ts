/** The arguments of `npm run prove`, `npm run chaos` and `npm run load`. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * Loads the part of a program that its first argument names. The part reads the other arguments. If it is interrupted, it
 * ends with its servers and temporary directories.
 */
export async function runPart(program: string, parts: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> {
  const [name = ''] = process.argv.splice(2, 1);
  const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
  if (part === undefined)
    return rejectArguments(`usage: npm run ${program} -- ${Object.keys(parts).join('|')} [options]`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  await part();
}

/** Ends the program: a part that did not do what was asked of it must not look like one that found nothing. */
export function rejectArguments(problem: string): never {
  console.error(problem);
  process.exit(2);
}

export function readArguments<T extends ParseArgsConfig>(config: T) {
  try {
    return parseArgs(config);
  } catch (error) {
    const options = Object.entries(config.options ?? {});
    const possible = options.map(([name, { type }]) => (type === 'string' ? `--${name} <value>` : `--${name}`));
    return rejectArguments(`${error instanceof Error ? error.message : error}; possible are ${possible.join(', ')}`);
  }
}

export function requireOneOf(name: string, value: string, choices: readonly string[]): void {
  if (!choices.includes(value)) rejectArguments(`${name}: expected ${choices.join(' or ')}, not "${value}"`);
}

/** `least`: the least number that is possible. */
export function readNumber(name: string, value: string, least = 0): number {
  const number = Number(value);
  if (value.trim() !== '' && Number.isFinite(number) && number >= least) return number;
  return rejectArguments(`${name}: expected a number of at least ${least}, not "${value}"`);
}
