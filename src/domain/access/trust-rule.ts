/**
 * Whose tokens a team accepts in exchange for a short one of this service: those of an issuer, for an audience, with exactly
 * these claims.
 */
import { claimAt } from '../../lib/claim-at.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { limits } from '../limits.ts';
import { hasControlCharacters } from '../text.ts';
import type { GrantablePermission } from './management-key.ts';

export interface TrustRule {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  /** One of the issuers that the operator trusts. */
  readonly issuer: string;
  readonly audience: string;
  /** The value that each claim must have, by its name or path. */
  readonly claims: Readonly<Record<string, string>>;
  readonly permissions: readonly GrantablePermission[];
  /** Whether each token can be exchanged only once, by its `jti`. */
  readonly once: boolean;
  readonly createdAt: Date;
  readonly createdBy: string;
}

/**
 * Claims with names that their owners can change, and somebody else can take afterwards, and the ids beside them: of GitHub
 * Actions, GitLab CI and the service accounts of Kubernetes.
 */
const idsBeside: Readonly<Record<string, string>> = {
  repository: 'repository_id',
  repository_owner: 'repository_owner_id',
  actor: 'actor_id',
  project_path: 'project_id',
  namespace_path: 'namespace_id',
  user_login: 'user_id',
  user_email: 'user_id',
  'kubernetes.io.serviceaccount.name': 'kubernetes.io.serviceaccount.uid',
};

/** The subjects of these issuers, which are made of such names. */
const namesInSubject: readonly (readonly [RegExp, string])[] = [
  [
    /(?:^|:)(?:repo|repository|repository_owner|environment|job_workflow_ref):/,
    'repository_id and repository_owner_id, with environment or ref',
  ],
  [/^project_path:/, 'project_id and namespace_id, with ref_protected or environment'],
  [/^system:serviceaccount:/, 'kubernetes.io.serviceaccount.uid'],
];

/**
 * Claims that say whose workload it is. Others, such as `ref`, many workloads have; a person who is named by `actor_id`
 * causes jobs in the repositories of strangers too, such as by a comment.
 */
const identifying = new Set([
  ...['repository_id', 'repository_owner_id', 'project_id', 'namespace_id'],
  ...['kubernetes.io.serviceaccount.uid', 'sub'],
]);

export function parseClaims(value: unknown): Parsed<TrustRule['claims']> {
  if (!isJsonObject(value)) return rejected('must be an object from the names of claims to their exact values');
  const entries = Object.entries(value);
  if (entries.length > limits.trustRuleClaims) return rejected(`must have at most ${limits.trustRuleClaims} claims`);
  for (const [name, expected] of entries) {
    const problem = problemOf(name, expected);
    if (problem !== null) return rejected(problem);
  }
  if (!entries.some(([name]) => identifying.has(name))) {
    return rejected(`must have a claim that only one workload has, such as ${[...identifying].join(', ')}`);
  }
  return accepted(value as TrustRule['claims']);
}

function problemOf(name: string, expected: unknown): string | null {
  const isText = typeof expected === 'string' && expected !== '' && expected.length <= limits.claimCharacters;
  if (!isText || name.length > limits.claimCharacters || hasControlCharacters(name + expected)) {
    return `must have texts of 1 to ${limits.claimCharacters} characters as values, also for numbers and booleans`;
  }
  if (['iss', 'aud', 'exp', 'iat', 'nbf', 'jti'].includes(name))
    return `must not have ${name}, which is checked anyway`;
  if (/[*?]/.test(expected)) return `must have exact values: in ${name}, * and ? stand for themselves only`;
  const id = Object.hasOwn(idsBeside, name) ? idsBeside[name] : undefined;
  if (id !== undefined) return `must have ${id} instead of ${name}, which can be renamed and then taken by others`;
  const [, ids] = (name === 'sub' ? namesInSubject.find(([names]) => names.test(expected)) : undefined) ?? [];
  return ids === undefined ? null : `must have ${ids} instead of this sub, whose names can be taken by others`;
}

/** Returns whether a token of the issuer is of a workload that a rule is for, also if the rule does not accept the token. */
export function isAboutWorkload({ claims }: TrustRule, token: JsonObject): boolean {
  return Object.entries(claims).every(([name, expected]) => !identifying.has(name) || isValue(token, name, expected));
}

/** Returns why a token of the issuer does not meet a rule; null if it does. Names no value that the rule expects. */
export function mismatch({ audience, claims, once }: TrustRule, token: JsonObject): string | null {
  const audiences = [token.aud].flat();
  if (!audiences.includes(audience)) return 'its audience (aud) is not the one of the rule';
  for (const [name, expected] of Object.entries(claims)) {
    if (claimAt(token, name) === undefined) return `it has no claim ${name}`;
    if (!isValue(token, name, expected)) return `its claim ${name} is not the one of the rule`;
  }
  return once && typeof token.jti !== 'string' ? 'it has no id (jti), which a rule for one use needs' : null;
}

function isValue(token: JsonObject, name: string, expected: string): boolean {
  const value = claimAt(token, name);
  // A larger number has lost digits, so that it can be the id of another workload.
  const isExact = typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value);
  return isExact && String(value) === expected;
}
