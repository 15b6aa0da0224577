/** The dashboard: static files, and one page that is filled in for each answer. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import express, { type Router } from 'express';
import sirv from 'sirv';

/** Where the build puts it, seen from `src/http` as from `dist/http`. */
const directory = fileURLToPath(new URL('../../dist/dashboard/', import.meta.url));

export interface DashboardOptions {
  /** Where verifications are asked for, as the page shows it to somebody who came by this host name. */
  readonly verifyUrl: (hostname: string) => string;
}

export function dashboardRouter({ verifyUrl }: DashboardOptions): Router {
  const page = readPage();
  const router = express.Router();
  router.get(['/', '/index.html'], (request, response) => {
    const nonce = randomBytes(16).toString('base64');
    response.setHeader('cache-control', 'no-store');
    response.setHeader('content-security-policy', contentSecurityPolicy(nonce));
    response
      .type('html')
      .send(
        page
          .replace('%LATCHKEY_NONCE%', () => nonce)
          .replace('%LATCHKEY_VERIFY_URL%', () => escapeAttribute(verifyUrl(request.hostname))),
      );
  });
  // Every other file has a hash of its content in its name.
  router.use(sirv(directory, { gzip: true, brotli: true, immutable: true, maxAge: 31_536_000, extensions: [] }));
  return router;
}

function readPage(): string {
  try {
    return readFileSync(`${directory}index.html`, 'utf8');
  } catch (error) {
    throw new Error('the dashboard is not built: npm run build', { cause: error });
  }
}

/** Nothing from anywhere else, no script in the page, and no frame around it (clickjacking). */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // The component library writes its theme and its responsive sizes into style elements.
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** For an attribute in double quotes. A Host header may say anything. */
function escapeAttribute(text: string): string {
  return text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
