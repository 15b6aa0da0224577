/** The position of `latchkey events tail` in a file, so that it continues where it ended. */
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { replacePrivateFile } from '../../lib/private-file.ts';
import { tryParseJson } from '../../lib/try-parse-json.ts';
import { isUuid } from '../../lib/uuid.ts';
import { Failure, usageFailure } from '../failure.ts';

const contents = z.object({
  teamId: z.string().refine(isUuid),
  /** The `next` of the last printed page. */
  after: z.string().min(1),
});

export type Cursor = Readonly<z.output<typeof contents>>;

const maxBytes = 1000;

/** Returns null if there is no file. Throws Failure if it is no cursor of this team, whose events would be missed. */
export function readCursor(path: string, teamId: string): Cursor | null {
  const text = readSmallFile(path);
  if (text === null) return null;
  const cursor = parse(text);
  if (cursor === null) throw badFile(path, 'is not a cursor file; name another file, or remove it to start anew');
  if (cursor.teamId.toLowerCase() !== teamId.toLowerCase()) {
    throw usageFailure('OTHER_TEAM', `${path} is for the team ${cursor.teamId}: name another file`);
  }
  return cursor;
}

/** Replaces the file atomically. Only its owner can read it. */
export function writeCursor(path: string, cursor: Cursor): void {
  try {
    replacePrivateFile(path, `${JSON.stringify(cursor)}\n`);
  } catch (error) {
    throw badFile(path, `can't be written${codeOf(error)}`);
  }
}

function readSmallFile(path: string): string | null {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= maxBytes ? readFileSync(path, 'utf8') : '';
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return null;
    throw badFile(path, `can't be read${codeOf(error)}`);
  }
}

function parse(text: string): Cursor | null {
  return contents.safeParse(tryParseJson(text)).data ?? null;
}

function codeOf(error: unknown): string {
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return code === undefined ? '' : ` (${code})`;
}

function badFile(path: string, problem: string): Failure {
  return new Failure('BAD_FILE', `${path}: ${problem}`);
}
