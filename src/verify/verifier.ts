/** Verdicts on presented keys: confirmed state in, verdict out, and the use recorded. */
import { hash } from 'node:crypto';
import type { KeyEnv } from '../domain/api-key.ts';
import { verifySignature } from '../domain/http-signature.ts';
import { type IpAddress, isSameAddress } from '../domain/ip-address.ts';
import type { KeyRing } from '../domain/key-ring.ts';
import { isConflict } from '../domain/matching-keys.ts';
import { hasSecretShape, isPresentable, prefixOfSecret } from '../domain/secret.ts';
import type { SignedRequest } from '../domain/signed-request.ts';
import { openSigningSecret } from '../domain/signing-secret.ts';
import { hostsOf, matchesLiterally } from '../domain/source-match.ts';
import { verdict } from '../domain/verdict.ts';
import { type VerdictCode, verdictCodes } from '../domain/verdict-code.ts';
import type { CachedKey, CachedMatch, SealedSecret } from './cached-key.ts';
import type { Confirmation } from './confirmation.ts';
import type { ConflictReports } from './conflict-reports.ts';
import type { HostResolver } from './host-resolver.ts';
import type { KeyCache } from './key-cache.ts';
import type { NonceBatch } from './nonce-batch.ts';
import type { UsageRecorder } from './usage-recorder.ts';

export interface Presented {
  readonly secret: string;
  /** The environment that the caller serves; undefined when it does not care. */
  readonly env: KeyEnv | undefined;
  /** Where the request came from; undefined when it is not known. */
  readonly source: IpAddress | undefined;
  /** The request itself, for its signature: asked for only where one is needed. */
  readonly request: () => SignedRequest | undefined;
}

export interface Outcome {
  readonly code: VerdictCode;
  /** Null for MALFORMED, NOT_FOUND, and REVOKED where keys of several teams match. */
  readonly key: CachedKey | null;
}

/** Called back rather than promised: this runs once for each request of somebody's API. */
export interface Respond {
  readonly answer: (outcome: Outcome) => void;
  /** The store could not be asked, so there is no answer: never a yes by default. */
  readonly fail: (error: unknown) => void;
}

export interface VerifierParts {
  readonly cache: KeyCache;
  readonly confirmation: Confirmation;
  readonly nonces: NonceBatch;
  readonly usage: UsageRecorder;
  readonly conflicts: ConflictReports;
  readonly hosts: HostResolver;
  readonly signingKeks: KeyRing;
}

const malformed: Outcome = { code: 'MALFORMED', key: null };
const notFound: Outcome = { code: 'NOT_FOUND', key: null };
const revokedForAll: Outcome = { code: 'REVOKED', key: null };

interface SignatureUse {
  readonly nonce: string;
  readonly expiresAt: Date;
}

export class Verifier {
  /** How often each verdict was given. */
  readonly verdicts: Record<VerdictCode, number>;
  readonly #parts: VerifierParts;

  constructor(parts: VerifierParts) {
    this.#parts = parts;
    this.verdicts = Object.fromEntries(verdictCodes.map((code) => [code, 0])) as Record<VerdictCode, number>;
  }

  verify(presented: Presented, respond: Respond): void {
    const { secret } = presented;
    const isOurs = hasSecretShape(secret);
    if (!isOurs && !isPresentable(secret)) {
      this.#refuseJunk(respond);
      return;
    }
    if (!isOurs && !this.#parts.confirmation.imports) {
      this.#lookForImports(presented, respond);
      return;
    }
    const digest = hash('sha256', secret, 'base64url');
    // Of our form, only well-formed keys are ever cached; of the others, the checksum tells without asking anybody.
    if (isOurs && this.#parts.cache.get(digest) === undefined && prefixOfSecret(secret) === null) {
      this.#refuseJunk(respond);
      return;
    }
    this.#parts.confirmation.ask({
      secret,
      presented: digest,
      decide: (match) => this.#decide(match, presented, respond),
      fail: respond.fail,
    });
  }

  /** In another form than ours it can only be a key when some have been imported, maybe just now. */
  #lookForImports(presented: Presented, respond: Respond): void {
    const { confirmation } = this.#parts;
    confirmation.ask({
      secret: presented.secret,
      presented: null,
      decide: () => {
        if (confirmation.imports) this.verify(presented, respond);
        else this.#refuse(malformed, respond);
      },
      fail: respond.fail,
    });
  }

  #refuse(outcome: Outcome, respond: Respond): void {
    this.verdicts[outcome.code] += 1;
    respond.answer(outcome);
  }

  /**
   * Together with the other answers of this turn of the event loop: reading all requests first and writing all answers
   * then takes a tenth less time than doing both for each in turn.
   */
  #refuseJunk(respond: Respond): void {
    this.verdicts.MALFORMED += 1;
    setImmediate(respond.answer, malformed);
  }

  #decide(key: CachedMatch | undefined, presented: Presented, respond: Respond): void {
    if (key === undefined) {
      // In another form than ours it would have been an imported key.
      this.#refuse(hasSecretShape(presented.secret) ? notFound : malformed, respond);
      return;
    }
    if (isConflict(key)) {
      this.#parts.conflicts.add(key);
      this.#refuse(key.revoked ? revokedForAll : notFound, respond);
      return;
    }
    const { source } = presented;
    const literally = !key.restricted || (source !== undefined && matchesLiterally(key.sources, source));
    const hosts = literally ? [] : hostsOf(key.sources);
    if (source === undefined || hosts.length === 0) {
      this.#judge(key, presented, literally, respond);
      return;
    }
    this.#comesFrom(source, hosts).then((allowed) => this.#judge(key, presented, allowed, respond), respond.fail);
  }

  async #comesFrom(source: IpAddress, hosts: readonly string[]): Promise<boolean> {
    const answers = await Promise.all(hosts.map((host) => this.#parts.hosts.addresses(host)));
    return answers.flat().some((address) => isSameAddress(address, source));
  }

  #judge(key: CachedKey, { env, request }: Presented, sourceAllowed: boolean, respond: Respond): void {
    const now = Date.now();
    let use: SignatureUse | undefined;
    let code: VerdictCode;
    try {
      code = verdict(key, {
        now,
        env,
        sourceAllowed: () => sourceAllowed,
        signature: () => {
          if (key.signing === null) return 'valid';
          const signed = request();
          if (signed === undefined) return 'SIGNATURE_REQUIRED';
          const secret = this.#secretOf(key, key.signing);
          const checked = verifySignature({ request: signed, keyId: key.id, secret, now: new Date(now) });
          if (checked.outcome === 'valid') use = checked;
          return checked.outcome;
        },
      });
    } catch (error) {
      respond.fail(error);
      return;
    }
    if (code === 'VALID' && use !== undefined) this.#claim(key, use, now, respond);
    else this.#answer(key, code, now, respond);
  }

  /** A signature is good once: its nonce is recorded where every instance sees it, before anybody hears a yes. */
  #claim(key: CachedKey, { nonce, expiresAt }: SignatureUse, now: number, respond: Respond): void {
    this.#parts.nonces
      .claim({ keyId: key.id, nonce, expiresAt })
      .then((fresh) => this.#answer(key, fresh ? 'VALID' : 'SIGNATURE_REPLAYED', now, respond), respond.fail);
  }

  #answer(key: CachedKey, code: VerdictCode, now: number, respond: Respond): void {
    this.verdicts[code] += 1;
    this.#parts.usage.record(key, code, now);
    respond.answer({ code, key });
  }

  #secretOf(key: CachedKey, sealed: SealedSecret): Buffer {
    sealed.opened ??= openSigningSecret(
      sealed.envelope,
      { keyId: key.id, version: sealed.version },
      this.#parts.signingKeks,
    );
    return sealed.opened;
  }
}
