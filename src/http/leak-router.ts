/**
 * `POST /v1/leaks/github`: reports of leaked keys by GitHub's secret scanning. There is no session token: the signature of
 * the body authenticates GitHub, and is checked before anything else is done with the body.
 */
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { LatchkeyError } from '../domain/errors.ts';
import type { GithubKeys } from '../leaks/github-keys.ts';
import { type GithubSignature, githubSignatureOf, isSignedByGithub } from '../leaks/github-signature.ts';
import { answersTo, parseMatches } from '../leaks/matches.ts';
import { repeatedField } from '../lib/json-losses.ts';
import type { ControlPlane } from '../wire/control-plane.ts';
import { bodyLimit, bodyReader, parseJson, type TakeBodyTurn } from './json-body.ts';
import type { RateLimits } from './rate-limits.ts';
import { githubLeaksPath } from './route-of.ts';
import { sourceOf } from './source-of.ts';

export interface LeakOptions {
  readonly githubKeys: Pick<GithubKeys, 'find'>;
  readonly reportLeaks: ControlPlane['reportLeaks'];
}

export interface LeakRouterParts extends LeakOptions {
  readonly rateLimits: RateLimits;
  readonly enterReport: RequestHandler;
  readonly enterLargeReport: RequestHandler;
  readonly takeBodyTurn: TakeBodyTurn;
}

/** Enough for 1,000 matches with URLs of ordinary length. */
const reportLimitBytes = 2 * 1024 * 1024;
/** A large body holds one of a few slots while it arrives, before its signature can be checked. */
const bodyTimeoutMs = 5000;

export function leakRouter(parts: LeakRouterParts): Router {
  const { enterReport, enterLargeReport, takeBodyTurn } = parts;
  const router = Router();
  router.post(
    githubLeaksPath,
    closeConnection,
    requireSignature,
    onlyIf(isLarge, enterLargeReport),
    // The signature is that of the bytes as they were sent.
    bodyReader({ limit: reportLimitBytes, inflate: false, timeoutMs: bodyTimeoutMs, takeBodyTurn }),
    keepConnection,
    // A small report holds no slot while it arrives, so that clients that send slowly do not keep others out.
    onlyIf((request) => !isLarge(request), enterReport),
    answerReport(parts),
  );
  router.all(githubLeaksPath, ({ method }, response) => {
    response.setHeader('allow', 'POST');
    throw new LatchkeyError('METHOD_NOT_ALLOWED', `${method} is not supported at this path.`);
  });
  return router;
}

/** For a report that is rejected before its body is read: Node.js would read the rest, to keep the connection. */
const closeConnection: RequestHandler = (_, response, next) => {
  response.setHeader('connection', 'close');
  next();
};

const keepConnection: RequestHandler = (_, response, next) => {
  response.removeHeader('connection');
  next();
};

/** Rejects requests without a signature before their body is read. */
const requireSignature: RequestHandler = (request, _, next) => {
  signatureOf(request);
  next();
};

function signatureOf({ headers }: Request): GithubSignature {
  const signature = githubSignatureOf(headers);
  if (signature !== null) return signature;
  const message = 'A signature of GitHub is needed in Github-Public-Key-Identifier and Github-Public-Key-Signature.';
  throw new LatchkeyError('UNAUTHENTICATED', message);
}

/** Returns whether the body is, or may be, longer than those of other requests. */
function isLarge({ headers }: Request): boolean {
  const length = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);
  return length > bodyLimit;
}

function onlyIf(condition: (request: Request) => boolean, handler: RequestHandler): RequestHandler {
  return (request, response, next) => (condition(request) ? handler(request, response, next) : next());
}

function answerReport({ githubKeys, reportLeaks, rateLimits }: LeakRouterParts) {
  return async (request: Request, response: Response): Promise<void> => {
    const now = new Date();
    const source = sourceOf(request);
    const body: Buffer = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    await rateLimits.countingFailures(source, () => checkSignature(githubKeys, signatureOf(request), body));
    // Numbers are in fields that are ignored, which must not cost the report.
    const matches = parseMatches(parseJson(body, request.headers['content-type'], repeatedField));
    const report = { reporter: 'github', source, requestId: String(request.id), now } as const;
    response.json(answersTo(matches, await reportLeaks(matches, report)));
  };
}

async function checkSignature(
  keys: LeakOptions['githubKeys'],
  signature: GithubSignature,
  body: Buffer,
): Promise<void> {
  const key = await keys.find(signature.keyId, performance.now());
  if (key !== null && isSignedByGithub(body, signature, key)) return;
  throw new LatchkeyError('UNAUTHENTICATED', 'The body is not signed with one of the keys that GitHub publishes.');
}
