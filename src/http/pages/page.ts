/** Serves the HTML pages of the build, with values filled in and a strict Content-Security-Policy. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RequestHandler, Response } from 'express';
import { LatchkeyError } from '../../domain/errors.ts';
import { projectFile } from '../../lib/project-files.ts';

export const pagesDirectory = fileURLToPath(projectFile('dist/dashboard/'));

/** Sends the page with a new nonce, and replaces each `%NAME%` with the given value. */
export type SendPage = (response: Response, values?: Readonly<Record<string, string>>) => void;

export function readPage(file: string): SendPage {
  const page = readBuilt(file);
  return (response, values = {}) => {
    const nonce = randomBytes(16).toString('base64');
    response.setHeader('cache-control', 'no-store');
    response.setHeader('content-security-policy', contentSecurityPolicy(nonce).join('; '));
    const filled = Object.entries({ ...values, LATCHKEY_NONCE: nonce }).reduce(
      (text, [name, value]) => text.replaceAll(`%${name}%`, () => escapeAttribute(value)),
      page,
    );
    response.type('html').send(filled);
  };
}

function readBuilt(file: string): string {
  try {
    return readFileSync(`${pagesDirectory}${file}`, 'utf8');
  } catch (error) {
    throw new Error('the dashboard is not built: npm run build', { cause: error });
  }
}

/** Allows only files of this origin. Forbids inline scripts, and frames (clickjacking). */
function contentSecurityPolicy(nonce: string): readonly string[] {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // Component libraries write themes and responsive sizes into style elements.
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
}

/** Escapes text for an attribute in double quotes. The text can come from a Host header and is not trusted. */
function escapeAttribute(text: string): string {
  return text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

export const onlyGet: RequestHandler = ({ method }, response, next) => {
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    throw new LatchkeyError('METHOD_NOT_ALLOWED', `${method} is not supported at this path.`);
  }
  next();
};
