/**
 * A digest belongs to one key. Versions before 0.2 let several teams import one key, and then rejected it for all of them.
 * Which of them should go on is for an operator to decide: a migration that decided could accept what was rejected.
 *
 * During a rolling upgrade, an old instance can still import a digest that another team has. Old instances then reject the
 * key. For instances of this version, the first import decides: its revision is the lowest.
 */

/** From this migration on, the earliest import decides. */
export const firstImportsMigration = '20261128060000_first_imports';

export interface SharedDigest {
  readonly keyId: string;
  readonly teamId: string;
  readonly otherKeyId: string;
  readonly otherTeamId: string;
}

const maxListed = 20;

/** For both databases: pairs with the same digest, and pairs that a verification has met, also with two digests. */
export const selectSharedDigests = `
  WITH imported AS (SELECT "id", "teamId", "digest" FROM "ApiKey"
    WHERE "importRevision" IS NOT NULL AND "digest" NOT LIKE 'released %'),
  held AS (SELECT "id", "digest" FROM imported
    UNION SELECT s."keyId", s."digest" FROM "RotatedSecret" s JOIN imported i ON i."id" = s."keyId" WHERE s."version" = 1),
  pair AS (SELECT a."id" AS "keyId", b."id" AS "otherKeyId" FROM held a
      JOIN held b ON b."digest" = a."digest" AND b."id" > a."id"
    UNION SELECT "keyId", "otherKeyId" FROM "KeyConflict")
  SELECT k."id" AS "keyId", k."teamId", o."id" AS "otherKeyId", o."teamId" AS "otherTeamId" FROM pair p
    JOIN imported k ON k."id" = p."keyId" JOIN imported o ON o."id" = p."otherKeyId"
    ORDER BY k."id", o."id" LIMIT ${maxListed + 1}`;

/** Throws if there are any, so that the migration is not committed. */
export function rejectSharedDigests(found: readonly SharedDigest[]): void {
  if (found.length === 0) return;
  const pairs = found
    .slice(0, maxListed)
    .map(
      ({ keyId, teamId, otherKeyId, otherTeamId }) =>
        `${keyId} of team ${teamId} and ${otherKeyId} of team ${otherTeamId}`,
    );
  throw new Error(
    `an imported key belongs to one team from this version on, but these match the same key: ${pairs.join('; ')}` +
      `${found.length > maxListed ? '; and more' : ''}. ` +
      'Start the version before, release the key of the wrong team with its command release-key, and start this version again',
  );
}
