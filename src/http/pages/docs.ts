/** Serves the documents that the build has rendered (deploy/docs/docs-pages.ts), without scripts. */
import { readdirSync } from 'node:fs';
import { extname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RequestHandler, Router } from 'express';
import { docsPath } from '../../domain/docs.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import { projectFile } from '../../lib/project-files.ts';
import { onlyGet } from './page.ts';

const root = fileURLToPath(projectFile('dist/docs/'));
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function docsRouter(enter: RequestHandler): Router {
  const router = Router();
  let files: ReadonlyMap<string, string> | undefined;
  router.all([docsPath, `${docsPath}/*path`], onlyGet, enter, ({ path }, response, next) => {
    // Links of the repository, and those with a slash at the end, lead to the same page.
    const address = path.toLowerCase().replace(/(?:\.md|\/)$/, '');
    // Called at the first request and not at startup, because few clients need it.
    files ??= filesByAddress();
    const file = files.get(address);
    if (file === undefined) throw new LatchkeyError('NOT_FOUND', 'There is no document at this path.');
    if (address !== path) return response.redirect(308, address);
    response.set({
      'content-security-policy': contentSecurityPolicy,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    });
    response.sendFile(file, { root, cacheControl: false }, (error?: Error) => {
      if (error !== undefined && !response.headersSent) next(error);
    });
  });
  return router;
}

/** The files of the build: pages without their extension, and what they show. */
function filesByAddress(): ReadonlyMap<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => name.split(sep).join('/'));
  const addressOf = (name: string) => {
    if (name === 'index.html') return docsPath;
    return `${docsPath}/${extname(name) === '.html' ? name.slice(0, -'.html'.length) : name}`;
  };
  return new Map(names.filter((name) => extname(name) !== '').map((name) => [addressOf(name), name]));
}
