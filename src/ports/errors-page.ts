/** The page that `type` in problem documents links to. Both ports serve it, because neither knows the other's address. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { projectFile } from '../lib/project-files.ts';

export interface ErrorsPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

let page: ErrorsPage | undefined;

/** Returns the page that the build made from docs/reference/errors.md. Reads it at the first request, because few clients do. */
export function errorsPage(): ErrorsPage {
  page ??= read();
  return page;
}

function read(): ErrorsPage {
  const body = readFileSync(projectFile('dist/errors.html'), 'utf8');
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(body) ?? [];
  const styleHash = createHash('sha256').update(style).digest('base64');
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    },
    body,
  };
}
