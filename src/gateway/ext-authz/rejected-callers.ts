/** Rejects callers without a verifier token. */
import { type Metadata, type ServerInterceptingCallInterface, status } from '@grpc/grpc-js';
import { LatchkeyError } from '../../domain/errors.ts';
import { bearerToken } from '../../lib/bearer-token.ts';
import { rejectionPace } from '../errors.ts';
import type { PortOptions } from '../options.ts';
import { errorAnswer } from './check-answer.ts';
import { metadataValue } from './metadata.ts';

/** The answer is a denial and not an RPC error, which would let requests pass with Envoy's `failure_mode_allow`. */
const denial = errorAnswer(
  new LatchkeyError('UNAUTHENTICATED', 'A verifier token is needed in the metadata authorization: Bearer <token>.'),
  { challenge: 'Bearer' },
);

export class RejectedCallers {
  readonly #tokens: PortOptions['tokens'];
  readonly #requests: PortOptions['requests'];
  readonly #pace = rejectionPace();

  constructor({ tokens, requests }: PortOptions) {
    this.#tokens = tokens;
    this.#requests = requests;
  }

  /** Accepts the token in the metadata `authorization: Bearer <token>` or `x-latchkey-verifier: <token>`. */
  hasToken(metadata: Metadata): boolean {
    const tokens = this.#tokens;
    if (tokens === null) return true;
    return (
      tokens.has(bearerToken(metadataValue(metadata, 'authorization'))) ||
      tokens.has(metadataValue(metadata, 'x-latchkey-verifier'))
    );
  }

  /** Answers floods of such calls slowly. */
  answer(call: ServerInterceptingCallInterface): void {
    this.#pace(() => {
      this.#requests.add('ext_authz', denial.status, 0);
      call.sendMessage(denial.bytes, () => call.sendStatus({ code: status.OK, details: 'OK' }));
    });
  }
}
