import { randomUUID } from 'node:crypto';
import { type ApiKey, initialState, type KeyEnv, type StoredKey } from '../../domain/key/api-key.ts';
import { type KeySettings, type KeySettingsInput, parseNewSettings } from '../../domain/key/settings.ts';
import { limits } from '../../domain/limits.ts';
import { type ParsedFields, parsedList, parsedObject, parseFields } from '../../domain/parse-fields.ts';
import type { PolicyViolation } from '../../domain/policy/policy-violation.ts';
import { type ImportedDigest, parseImportedDigest } from '../../domain/secret/imported-digest.ts';
import { mintPrefix, parseImportedPrefix } from '../../domain/secret/secret.ts';
import { digestImported, importedDigestsOf } from '../../domain/secret/secret-digest.ts';
import { accepted } from '../../lib/parsed.ts';
import { type Change, Decision } from '../../store/changes/change.ts';
import { type BeforeImport, importInto } from '../../store/changes/key-state.ts';
import { auditEntry, authorizeTeam, type Caller, type Management, responsibleFor } from '../management.ts';
import { policed } from '../policy/policed.ts';
import { inBatches } from './in-batches.ts';

export interface ImportKeyInput extends KeySettingsInput {
  /** SHA-256 or SHA-512 of the whole key. */
  readonly digest: string;
  readonly name: string;
  readonly env: KeyEnv;
  readonly prefix?: string | null | undefined;
}

export interface ImportKeysInput {
  readonly teamId: string;
  readonly keys: readonly ImportKeyInput[];
  readonly dryRun: boolean;
}

export interface ImportResult {
  readonly outcome: 'IMPORTED' | 'EXISTED' | 'IN_USE' | 'LIMIT_REACHED' | 'POLICY_VIOLATED';
  readonly apiKey: StoredKey | null;
  /** Empty unless the outcome is POLICY_VIOLATED. */
  readonly policyViolations: readonly PolicyViolation[];
}

export interface ImportedKeys {
  readonly dryRun: boolean;
  /** One result for each key, in the order of the input. */
  readonly results: readonly ImportResult[];
}

interface ParsedImport extends KeySettings, Pick<ApiKey, 'env' | 'prefix'> {
  readonly digest: ImportedDigest;
}

/**
 * Imports keys of another system by their digests. A digest belongs to the team that imported it first, under every
 * pepper, also after the key was revoked or rotated. A key that the team already has is not changed, so that the same call
 * can be repeated; one of another team is `IN_USE`, and nothing else is said about it. Needs `import_keys`.
 * Throws FORBIDDEN, BAD_USER_INPUT (`keys`, `keys[i].name`), RATE_LIMITED; UNAVAILABLE, also after some keys are imported.
 */
export async function importKeys(
  management: Management,
  caller: Caller,
  { teamId, keys, dryRun }: ImportKeysInput,
): Promise<ImportedKeys> {
  authorizeTeam(caller, teamId, 'import_keys');
  const parseOne = (key: ImportKeyInput) => parseKey(management, caller, key);
  const parsed = parseFields({ keys: parsedList(keys, limits.importedKeys, parseOne) }).keys;
  if (!dryRun) management.budget.check(teamId);
  const { changes: queue } = management.store;
  const results = await inBatches(parsed, (batch) => {
    const changes = batch.map((key) => importOf(management, caller, teamId, key, dryRun));
    return dryRun ? queue.preview(changes) : Promise.all(changes.map((change) => queue.submit(change)));
  });
  return { dryRun, results };
}

function parseKey({ randomBytes }: Management, caller: Caller, key: ImportKeyInput): ParsedFields<ParsedImport> {
  const { digest, env, prefix } = key;
  const { responsible, ...settings } = parseNewSettings(key, caller.now);
  return parsedObject({
    digest: parseImportedDigest(digest),
    ...settings,
    responsible: responsible.ok ? accepted(responsibleFor(key, caller, responsible.value)) : responsible,
    env: accepted(env),
    prefix: parseImportedPrefix(prefix ?? mintPrefix('imported', env, randomBytes), env),
  });
}

function importOf(
  management: Management,
  caller: Caller,
  teamId: string,
  { digest, ...fields }: ParsedImport,
  dryRun: boolean,
): Change<ImportResult> {
  const { peppers, maxKeysPerTeam, budget } = management;
  const apiKey: ApiKey = {
    ...initialState,
    ...fields,
    id: randomUUID(),
    teamId,
    digest: digestImported(digest, peppers.current),
    pepperId: peppers.current.id,
    createdAt: caller.now,
  };
  const change: Change<ImportResult, BeforeImport> = {
    queueKey: teamId,
    caller,
    load: importInto(teamId, importedDigestsOf(digest, peppers)),
    decide: ({ unrevokedKeys, existing }, revision) => {
      if (existing !== null) {
        const isOwn = existing.teamId === teamId;
        return new Decision(isOwn ? resultOf('EXISTED', existing) : resultOf('IN_USE'));
      }
      if (unrevokedKeys >= maxKeysPerTeam) return new Decision(resultOf('LIMIT_REACHED'));
      const key = { ...apiKey, importRevision: revision };
      const entries = [auditEntry(caller, 'KEY_IMPORTED', null, key)];
      const imported = dryRun ? null : { ...key, revision };
      // Also in a dry run, which decides what would be written and writes nothing.
      return new Decision(resultOf('IMPORTED', imported), { key, isNew: true, entries });
    },
  };
  const decided = policed(management, caller, teamId, change, (policyViolations) => ({
    ...resultOf('POLICY_VIOLATED'),
    policyViolations,
  }));
  return dryRun ? decided : budget.counted(decided);
}

function resultOf(outcome: ImportResult['outcome'], apiKey: StoredKey | null = null): ImportResult {
  return { outcome, apiKey, policyViolations: [] };
}
