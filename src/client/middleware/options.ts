import type { KeyEnv } from '../../domain/key/key-env.ts';
import type { KeyLocationText } from '../../domain/key-location.ts';
import type { VerifierRejectedError, VerifierUnavailableError } from '../verdict.ts';
import type { Verify } from '../verification.ts';
import type { VerificationPortOptions } from '../verification-port.ts';

/** The options that the middleware of every framework has. */
export interface AuthenticationOptions<Request> {
  /** The verification port. Default: `http://127.0.0.1:4001`. */
  readonly verifyUrl?: string | URL | undefined;
  /** One of the service's VERIFIER_TOKENS. */
  readonly verifierToken?: string | undefined;
  /**
   * The places of a request from which the key is read: `authorization` (the token of `Authorization: Bearer`),
   * `header:<name>` (the whole value of this header), and `basic`, `basic:username` or `basic:password` (HTTP Basic). A
   * request with two different keys gets 401. Default: `['authorization']`.
   */
  readonly keyLocations?: readonly KeyLocationText[] | undefined;
  /** Rejects keys of the other environment. */
  readonly env?: KeyEnv | undefined;
  /** Rejects keys that lack one of these scopes. */
  readonly requireScopes?: readonly string[] | undefined;
  /** Timeout of the whole verification in milliseconds. Default: 1000. */
  readonly timeoutMs?: number | undefined;
  /** Replaces `verifyUrl`, `verifierToken` and `timeoutMs`, for example with a local verifier. The caller closes it. */
  readonly verifier?: { readonly verify: Verify } | undefined;
  /**
   * The scheme and host that callers use, such as `https://api.example.com`. Default: the protocol and Host of the
   * request. Set it if a proxy changes Host, or if several services share one Latchkey: a request that was signed for
   * one service is then never valid at another, even if the sender changes Host.
   */
  readonly origin?: string | undefined;
  /** The maximum size in bytes of the body of a signed request. Other bodies are not read. Default: 1048576. */
  readonly bodyLimit?: number | undefined;
  /**
   * The URL of the page that explains every code, such as `https://keys.example.com/errors`: the path `/errors` of
   * either port of Latchkey, or a page of your own. `type` in problem documents then links to the code's entry. Default:
   * `type` is `urn:latchkey:problem:<code>`.
   */
  readonly errorsUrl?: string | undefined;
  /**
   * Called for every request that is answered with 503. The error contains the service's explanation, but no secret.
   * Default: logs the first error on the console, and later errors at most once per minute.
   */
  readonly onVerifierError?:
    | ((error: VerifierUnavailableError | VerifierRejectedError, request: Request) => void)
    | undefined;
}

/** Returns the options of the verifier that the middleware creates. */
export function endpointOptions<Request>(options: AuthenticationOptions<Request>): VerificationPortOptions {
  return { url: options.verifyUrl, token: options.verifierToken, timeoutMs: options.timeoutMs };
}
