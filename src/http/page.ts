/** A page of the build: filled in for each answer, and allowed no more than it needs. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Response } from 'express';

/** Where the build puts pages and their files, seen from `src/http` as from `dist/http`. */
export const pagesDirectory = fileURLToPath(new URL('../../dist/dashboard/', import.meta.url));

/** Sends it with a nonce of its own, and with these values in place of `%NAME%`. */
export type SendPage = (response: Response, values?: Readonly<Record<string, string>>) => void;

export function readPage(file: string): SendPage {
  const page = readBuilt(file);
  return (response, values = {}) => {
    const nonce = randomBytes(16).toString('base64');
    response.setHeader('cache-control', 'no-store');
    response.setHeader('content-security-policy', contentSecurityPolicy(nonce).join('; '));
    const filled = Object.entries({ ...values, LATCHKEY_NONCE: nonce }).reduce(
      (text, [name, value]) => text.replace(`%${name}%`, () => escapeAttribute(value)),
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

/** Nothing from anywhere else, no script in the page, and no frame around it (clickjacking). */
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

/** For an attribute in double quotes. A Host header may say anything. */
function escapeAttribute(text: string): string {
  return text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
