/** Checks the database, and that the secrets are those of its keys. */
import { existsSync } from 'node:fs';
import type { Configuration } from '../../../config/configuration.ts';
import { needsGeneratedSecrets, secretsPath } from '../../../config/secrets-file.ts';
import { storeProblem } from '../../../service/compose/open-store.ts';
import { inspectDatabase } from '../../../store/migrate.ts';
import type { CopyRings } from '../../../store/sqlite-copy.ts';
import type { Store } from '../../../store/store.ts';
import { ringsOf, withStore } from '../own-store.ts';
import { error, type Finding, messageOf, ok, warning } from './finding.ts';

interface StoreFindings {
  readonly findings: readonly Finding[];
  /** Set if the secrets do not fit the database. */
  readonly secrets: Finding | null;
}

export async function examineStore(configuration: Configuration): Promise<StoreFindings> {
  const { DATABASE_URL: address } = configuration;
  const what = address.provider === 'sqlite' ? `store ${address.file}` : 'store PostgreSQL';
  const only = (finding: Finding): StoreFindings => ({ findings: [finding], secrets: null });
  if (address.provider === 'sqlite' && !existsSync(address.file)) {
    return only(warning(what, 'none yet: the first start creates it'));
  }
  try {
    const { isNew, pending, version } = await inspectDatabase(address);
    if (isNew) return only(warning(what, 'has no tables yet: the first start creates them'));
    if (pending.length > 0) {
      const note = `${pending.length} migrations of this version are pending: make a backup; the next start applies them`;
      return only(warning(what, note));
    }
    return await withStore(async (store) => {
      await store.ping();
      await store.testWrite();
      const problems = await store.settingsProblems();
      const findings = [
        ok(what, 'can be read and written, with all migrations of this version'),
        ...(version === null ? [] : [warning(what, version)]),
        ...problems.map(({ isSerious, note }) => (isSerious ? error(what, note) : warning(what, note))),
      ];
      return { findings, secrets: await examineRings(store, configuration) };
    });
  } catch (thrown) {
    return only(error(what, messageOf(storeProblem(configuration, thrown))));
  }
}

/** Returns an error if keys in the database need secrets that are not there; null if none does. */
async function examineRings(store: Store, configuration: Configuration): Promise<Finding | null> {
  const what = 'secrets';
  const path = secretsPath(configuration.DATA_DIR);
  if (needsGeneratedSecrets(configuration) && !existsSync(path)) {
    const needed = (await store.ringUse('pepper')).size > 0 || (await store.ringUse('signing-kek')).size > 0;
    const lost = `${path} is missing, and keys in the database need it: restore it from a backup, or set DATA_DIR`;
    return needed ? error(what, lost) : null;
  }
  let found: CopyRings;
  try {
    found = ringsOf(configuration);
  } catch {
    // `examineSecrets` reports it.
    return null;
  }
  const problems = [
    ...(await store.checkRing('pepper', found.peppers)).problems.map((problem) => `KEY_PEPPERS: ${problem}`),
    ...(await store.checkRing('signing-kek', found.signingKeks)).problems.map((problem) => `SIGNING_KEKS: ${problem}`),
  ];
  return problems.length === 0 ? null : error(what, `${problems.join('; ')}: restore the missing ones from a backup`);
}
