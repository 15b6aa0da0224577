/** Serves the files of the build. A file's name has a hash of the content. Compressed variants are next to the file. */
import { readdirSync } from 'node:fs';
import { extname, sep } from 'node:path';
import express, { type NextFunction, type RequestHandler, type Response, type Router } from 'express';
import Negotiator from 'negotiator';
import { LatchkeyError } from '../../domain/errors.ts';
import { onlyGet } from './page.ts';

const encodings = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
] as const;
type Encoding = (typeof encodings)[number];

/** page.ts serves pages. Compressed variants are served under the name of the uncompressed file. */
const unserved: ReadonlySet<string> = new Set(['', '.html', ...encodings.map(({ extension }) => extension)]);
const oneYearMs = 31_536_000_000;

/** Serves the files that are in the directory at startup. If a file is removed later, no cache stores the 404. */
export function staticFiles(root: string, enter: RequestHandler): Router {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const files = new Set(names.map((name) => `/${name.split(sep).join('/')}`));
  const router = express.Router();
  router.use(({ path }, _, next) => next(files.has(path) && !unserved.has(extname(path)) ? undefined : 'router'));
  router.use(onlyGet, enter, ({ path, headers }, response, next) => {
    const compressed = encodings.filter(({ extension }) => files.has(path + extension));
    if (compressed.length > 0) response.vary('Accept-Encoding');
    const accepted = new Negotiator({ headers });
    const encoding = compressed.find(({ name }) => accepted.encoding([name, 'identity']) === name);
    sendFile(response, root, path, encoding, next);
  });
  return router;
}

function sendFile(
  response: Response,
  root: string,
  path: string,
  encoding: Encoding | undefined,
  next: NextFunction,
): void {
  const before = new Set(response.getHeaderNames());
  response.type(extname(path));
  if (encoding !== undefined) response.setHeader('content-encoding', encoding.name);
  const file = path + (encoding?.extension ?? '');
  response.sendFile(file, { root, immutable: true, maxAge: oneYearMs }, (error?: Error) => {
    if (error === undefined || response.headersSent) return;
    // Removes the headers that were set for the file.
    for (const name of response.getHeaderNames()) if (!before.has(name)) response.removeHeader(name);
    const isGone = Reflect.get(error, 'code') === 'ENOENT';
    next(isGone ? new LatchkeyError('NOT_FOUND', 'There is nothing at this path.') : error);
  });
}
