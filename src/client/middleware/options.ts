import type { KeyEnv } from '../../domain/key/key-env.ts';
import type { EndpointOptions } from '../endpoint.ts';
import type { VerifierRejectedError, VerifierUnavailableError } from '../verdict.ts';
import type { Verify } from '../verification.ts';

/** The options that the middleware of every framework has. */
export interface AuthenticationOptions<Request> {
  /** The verification port. Default: `http://127.0.0.1:4001`. */
  readonly verifyUrl?: string | URL | undefined;
  /** One of the service's VERIFIER_TOKENS. */
  readonly verifierToken?: string | undefined;
  /** Reject keys of the other environment. */
  readonly env?: KeyEnv | undefined;
  /** Reject keys that lack one of these scopes. */
  readonly requireScopes?: readonly string[] | undefined;
  /** Timeout of the whole verification in milliseconds. Default: 1000. */
  readonly timeoutMs?: number | undefined;
  /** Used in place of `verifyUrl`, `verifierToken` and `timeoutMs`, such as a local verifier. The caller closes it. */
  readonly verifier?: { readonly verify: Verify } | undefined;
  /**
   * What callers put before the path, such as `https://api.example.com`. Default: the protocol of the request and its
   * Host. Set it where a proxy changes Host, and where several services share one Latchkey: then a request that was signed
   * for one of them is never valid at another, whatever Host its sender writes.
   */
  readonly origin?: string | undefined;
  /** The maximum size of the body of a signed request in bytes; other bodies are not read. Default: 1048576. */
  readonly bodyLimit?: number | undefined;
  /**
   * Called for every request that is answered 503. The error contains no secret, but the service's explanation. Default: a
   * line on the console for the first one, and then at most one per minute.
   */
  readonly onVerifierError?:
    | ((error: VerifierUnavailableError | VerifierRejectedError, request: Request) => void)
    | undefined;
}

/** Returns the options of a verifier that the middleware makes itself. */
export function endpointOptions<Request>(options: AuthenticationOptions<Request>): EndpointOptions {
  return { url: options.verifyUrl, token: options.verifierToken, timeoutMs: options.timeoutMs };
}
