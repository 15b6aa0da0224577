import type { Configuration } from '../../config/configuration.ts';
import { type GeneratedSecrets, generatedSecrets, needsGeneratedSecrets } from '../../config/secrets-file.ts';
import type { KeyRing } from '../../domain/secret/key-ring.ts';

export interface ServiceSecrets {
  readonly peppers: KeyRing;
  readonly signingKeks: KeyRing;
  /** Null if the environment has every secret. */
  readonly generated: GeneratedSecrets | null;
}

/** Returns the secrets of the environment. Missing ones are read from DATA_DIR, or generated there once. */
export function serviceSecrets(configuration: Configuration): ServiceSecrets {
  const generated = needsGeneratedSecrets(configuration) ? generatedSecrets(configuration.DATA_DIR) : null;
  const peppers = configuration.KEY_PEPPERS ?? generated?.peppers;
  const signingKeks = configuration.SIGNING_KEKS ?? generated?.signingKeks;
  if (peppers === undefined || signingKeks === undefined) throw new Error('missing secrets are always generated');
  return { peppers, signingKeks, generated };
}
