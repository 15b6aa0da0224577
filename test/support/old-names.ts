import type { StoredKey } from '../../src/domain/key/api-key.ts';
import { runSql } from './sql.ts';

/** Writes the names of keys again, as version 0.1 does when it changes them: as it searches, and by which it sorts. */
export async function writeNamesAsBefore(
  url: string,
  keys: readonly Pick<StoredKey, 'id' | 'name' | 'prefix'>[],
): Promise<void> {
  const updates = keys.map(({ id, name, prefix }) => {
    const folded = [name, prefix].map((part) =>
      part.normalize('NFKC').toLowerCase().replaceAll('%', '\ue000').replaceAll('_', '\ue001'),
    );
    return `UPDATE "Revision" SET "current" = "current" + 1;
      UPDATE "ApiKey" SET "searchText" = '${folded.join('\n')}', "revision" = (SELECT "current" FROM "Revision")
      WHERE "id" = '${id}';`;
  });
  await runSql(url, `BEGIN; ${updates.join('\n')} COMMIT;`);
}
