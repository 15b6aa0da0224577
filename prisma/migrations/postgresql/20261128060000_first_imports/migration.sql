-- Written by hand. From this version on, the earliest import of a key alone decides. Before, of several imports of one key
-- by its two digests, a revoked one decided, then one that had rotated the secret: they become the earliest, in the same
-- order, so that no key that was rejected is accepted. The start rejects a database in which several teams have a digest.
UPDATE "ApiKey"
SET "importRevision" = "importRevision" - CASE WHEN "revokedAt" IS NULL THEN 2000000000000000 ELSE 4000000000000000 END
WHERE "importRevision" IS NOT NULL AND ("revokedAt" IS NOT NULL OR "secretVersion" > 1);
