import { createReadStream, fstatSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';

export interface InputFile {
  readonly stream: Readable;
  /** In bytes; null if it is not known before the end. */
  readonly size: number | null;
}

/** Opens a file; standard input for `-`. Throws at once if it can't, because a stream would tell it whoever listens. */
export function openInput(path: string): InputFile {
  const isInput = path === '-';
  const fd = isInput ? process.stdin.fd : openSync(path, 'r');
  const stats = fstatSync(fd);
  if (stats.isDirectory()) throw new Error(`EISDIR: ${isInput ? 'standard input' : path} is a directory`);
  const stream = isInput ? process.stdin : createReadStream(path, { fd });
  return { stream, size: stats.isFile() ? stats.size : null };
}
