/** What a key that is put is to be. Its settings are parsed once it is known whether the key exists. */
import type { ApiKey } from '../../domain/key/api-key.ts';
import { type KeySettingsInput, settings } from '../../domain/key/settings.ts';
import { parseFields, parseOptional } from '../../domain/parse-fields.ts';
import { parseClientDigest } from '../../domain/secret/imported-digest.ts';
import type { RingKey } from '../../domain/secret/key-ring.ts';
import { parseOverlap } from '../../domain/secret/rotated-secret.ts';
import { mintPrefix } from '../../domain/secret/secret.ts';
import { clientMadeDigestsOf, digestClientMade } from '../../domain/secret/secret-digest.ts';
import { isClientMade } from '../../domain/secret/secret-shape.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import type { Management } from '../management.ts';
import type { KeyName } from './named-key.ts';

export interface PutKeyInput extends Omit<KeySettingsInput, 'externalId'>, KeyName {
  readonly name: string;
  /** The SHA-256 of a secret in the form for those that clients make. Another one than before is a rotation. */
  readonly digest?: string | null | undefined;
  /** The first part of that secret, `<tag>_<env>_c_<8 base62>`. */
  readonly prefix?: string | null | undefined;
  readonly overlapSeconds?: number | null | undefined;
}

/** A secret that a client made, as the store has it. */
type ClientSecret = Pick<ApiKey, 'prefix' | 'digest' | 'pepperId'>;

export interface ParsedPut {
  readonly input: PutKeyInput;
  readonly client: ClientSecret | null;
  /** The digests of the client's secret under every pepper. */
  readonly sameDigests: readonly string[];
  /** The digests under which any key of any team can have it. */
  readonly takenDigests: readonly string[];
  readonly overlapMs: number;
}

export function parsePut({ keyTag, peppers, randomBytes }: Management, given: PutKeyInput): ParsedPut {
  const { env } = given;
  const { externalId, ...parsed } = parseFields({
    externalId: settings.externalId.parse(given.externalId),
    digest: parseOptional(given.digest, parseClientDigest),
    prefix: parseOptional(given.prefix, (prefix) => parseClientPrefix(prefix, `${keyTag}_${env}_c`, given.digest)),
    overlapSeconds: parseOverlap(given.overlapSeconds ?? 0),
  });
  // As it is stored, so that every spelling names the same key.
  const input = { ...given, externalId };
  const { digest } = parsed;
  const overlapMs = 1000 * parsed.overlapSeconds;
  if (digest === null) return { input, client: null, sameDigests: [], takenDigests: [], overlapMs };
  const digestUnder = (pepper: RingKey) => digestClientMade(digest, `${keyTag}_${env}`, pepper);
  return {
    input,
    client: {
      prefix: parsed.prefix ?? mintPrefix(keyTag, `${env}_c`, randomBytes),
      digest: digestUnder(peppers.current),
      pepperId: peppers.current.id,
    },
    sameDigests: [...peppers.byId.values()].map(digestUnder),
    takenDigests: clientMadeDigestsOf(digest, keyTag, peppers),
    overlapMs,
  };
}

function parseClientPrefix(prefix: string, start: string, digest: string | null | undefined): Parsed<string> {
  if (digest == null) return rejected('must be absent if there is no digest');
  return isClientMade(prefix) && prefix.startsWith(`${start}_`)
    ? accepted(prefix)
    : rejected(`must be the first part of the secret, such as ${start}_4fJx81Qz`);
}
