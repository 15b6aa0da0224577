-- The new indexes first: instances of the version before look keys up by them too, as the first column is the same.

-- CreateIndex
CREATE UNIQUE INDEX "ApiKey_digest_teamId_key" ON "ApiKey"("digest", "teamId");

-- CreateIndex
CREATE UNIQUE INDEX "ApiKey_prefix_teamId_key" ON "ApiKey"("prefix", "teamId");

-- DropIndex
DROP INDEX "ApiKey_prefix_key";

-- DropIndex
DROP INDEX "ApiKey_digest_key";

-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN "importRevision" BIGINT;

-- The keys that were imported before, in their order.
UPDATE "ApiKey" SET "importRevision" =
    (SELECT min(e."revision") FROM "AuditEntry" e WHERE e."keyId" = "ApiKey"."id" AND e."action" = 'KEY_IMPORTED')
WHERE "id" IN (SELECT "keyId" FROM "AuditEntry" WHERE "action" = 'KEY_IMPORTED');

-- CreateTable
CREATE TABLE "KeyConflict" (
    "keyId" TEXT NOT NULL,
    "otherKeyId" TEXT NOT NULL,
    "seenAt" DATETIME NOT NULL,

    PRIMARY KEY ("keyId", "otherKeyId")
);
