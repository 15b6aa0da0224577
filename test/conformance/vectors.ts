/** The vectors in `clients/conformance`, which the clients in all languages must satisfy. clients/conformance/README.md describes them. */
import { readFileSync } from 'node:fs';
import type { VerifiedKey } from '../../src/client/verdict.ts';
import type { KeyState } from '../../src/domain/key/api-key.ts';
import type { KeyLocationText } from '../../src/domain/key-location.ts';
import type { VerdictCode } from '../../src/domain/verdict/verdict-code.ts';

interface Vectors<Input, Expected> {
  readonly cases: readonly { readonly name: string; readonly input: Input; readonly expected: Expected }[];
}

export type Fields = readonly (readonly [name: string, value: string])[];

export interface VectorRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Fields;
  readonly body?: string;
}

export interface VectorAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly verdict?: object;
  readonly without?: readonly string[];
  readonly text?: string;
  readonly repeat?: { readonly text: string; readonly times: number };
  readonly padToBytes?: number;
  readonly cutOff?: true;
  readonly fault?: 'closes' | 'silent' | 'refuses' | 'garbage';
}

export interface VectorOptions {
  readonly env?: 'live' | 'test';
  readonly requireScopes?: readonly string[];
  readonly keyLocations?: readonly KeyLocationText[];
  readonly origin?: string;
  readonly bodyLimit?: number;
  readonly errorsUrl?: string;
}

type ProblemCode = VerdictCode | 'BAD_USER_INPUT' | 'UNAUTHENTICATED' | 'PAYLOAD_TOO_LARGE' | 'UNAVAILABLE';

interface VectorError {
  readonly kind: 'unavailable' | 'rejected';
  readonly status?: number;
  readonly retryAfterSeconds?: number;
}

interface VerdictVectors
  extends Vectors<
    { readonly options?: VectorOptions; readonly request?: VectorRequest; readonly answer: VectorAnswer },
    {
      readonly call?: object | null;
      readonly key?: Partial<VerifiedKey>;
      readonly problem?: { readonly code: ProblemCode; readonly type?: string; readonly detail?: string };
      readonly headers?: Readonly<Record<string, string>>;
      readonly error?: VectorError;
    }
  > {
  readonly request: VectorRequest;
  readonly verdict: object;
  readonly call: { readonly key: string };
  readonly key: VerifiedKey;
  readonly problemHeaders: Readonly<Record<string, string>>;
  readonly problems: Readonly<Record<ProblemCode, object & { readonly status: number }>>;
}

type DeriveVectors = Vectors<
  {
    readonly derivation: {
      readonly key: string;
      readonly scopes: readonly string[];
      readonly expiresAt: string;
      readonly env?: 'live' | 'test';
      readonly sources?: readonly string[];
      readonly label?: string;
    };
    readonly answer: VectorAnswer;
  },
  {
    readonly call: object;
    readonly token?: string;
    readonly expiresAt?: string;
    readonly error?: VectorError;
  }
>;

interface SignatureInput {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly keyId: string;
  readonly signingSecret: string;
  readonly created: number;
  readonly expires: number;
  readonly nonce: string;
}

type ExpectedSignature =
  | { readonly error: true }
  | {
      readonly error?: never;
      readonly components: Readonly<Record<string, string>>;
      readonly signatureBase: string;
      readonly headers: Readonly<Record<string, string>>;
    };

export interface SourceInput {
  readonly peer: string | null;
  readonly headers: Fields;
  readonly trustedProxies: readonly string[];
}

interface ExpiryInput {
  readonly now: string;
  readonly expiresAt: string | null;
  readonly expiryBefore?: string;
  readonly overlapEndsAt: string;
  readonly disabled?: true;
  readonly revoked?: true;
}

interface ExpectedExpiry {
  readonly state: KeyState;
  readonly current: VerdictCode;
  readonly previous: VerdictCode;
  readonly signedWithPrevious: VerdictCode;
  readonly previousAcceptedUntil: string | null;
  readonly rotating: boolean;
}

interface KeyLocationInput {
  readonly locations: string;
  readonly headers?: Fields;
}

interface ExpectedLocation {
  readonly key?: string;
  readonly missing?: true;
  readonly ambiguous?: string;
  readonly challenge?: string;
  readonly instruction?: string;
  readonly invalid?: true;
}

interface ExpectedResponse {
  readonly valid?: true;
  readonly unavailable?: true;
  readonly acceptedBy?: readonly 'go'[];
}

function read<V extends Vectors<unknown, unknown>>(name: string): V {
  return JSON.parse(readFileSync(`clients/conformance/${name}.json`, 'utf8'));
}

export const verdictVectors = read<VerdictVectors>('verdicts');
export const signatureVectors = read<Vectors<SignatureInput, ExpectedSignature>>('signatures').cases;
export const deriveVectors = read<DeriveVectors>('derive').cases;
export const sourceVectors = read<Vectors<SourceInput, { readonly source: string | null }>>('sources').cases;
export const expiryVectors = read<Vectors<ExpiryInput, ExpectedExpiry>>('expiry').cases;
export const keyLocationVectors = read<Vectors<KeyLocationInput, ExpectedLocation>>('key-locations').cases;
export const responseVectors = read<Vectors<{ readonly response: string }, ExpectedResponse>>('responses').cases;
