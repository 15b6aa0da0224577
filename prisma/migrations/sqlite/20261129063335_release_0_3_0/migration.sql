-- AlterTable
ALTER TABLE "Exposure" ADD COLUMN "reporter" TEXT;
ALTER TABLE "Exposure" ADD COLUMN "source" TEXT;
ALTER TABLE "Exposure" ADD COLUMN "url" TEXT;
ALTER TABLE "Exposure" ADD COLUMN "version" INTEGER;

-- CreateTable
CREATE TABLE "SourceDay" (
    "teamId" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "day" DATETIME NOT NULL,
    "keyId" TEXT NOT NULL,
    "accepted" INTEGER NOT NULL,
    "rejected" INTEGER NOT NULL,
    "firstAt" DATETIME NOT NULL,
    "lastAt" DATETIME NOT NULL,

    PRIMARY KEY ("teamId", "address", "day", "keyId")
);

-- CreateIndex
CREATE INDEX "SourceDay_keyId_day_idx" ON "SourceDay"("keyId", "day");

-- CreateIndex
CREATE INDEX "SourceDay_day_idx" ON "SourceDay"("day");

-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN "responsible" TEXT;

-- AlterTable
ALTER TABLE "AuditEntry" ADD COLUMN "actorType" TEXT;
ALTER TABLE "AuditEntry" ADD COLUMN "credentialId" TEXT;

-- CreateTable
CREATE TABLE "ManagementKey" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "teamId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "pepperId" TEXT NOT NULL,
    "permissions" JSONB NOT NULL,
    "allowedIps" JSONB NOT NULL,
    "expiresAt" DATETIME NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "createdBy" TEXT NOT NULL,
    "revokedAt" DATETIME,
    "secretVersion" INTEGER NOT NULL DEFAULT 1,
    "rotatedAt" DATETIME,
    "previousPrefix" TEXT,
    "previousDigest" TEXT,
    "previousPepperId" TEXT,
    "previousExpiresAt" DATETIME,
    "signingEnvelope" TEXT,
    "signingVersion" INTEGER NOT NULL DEFAULT 0
);

-- CreateTable
CREATE TABLE "TrustRule" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "teamId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "audience" TEXT NOT NULL,
    "claims" JSONB NOT NULL,
    "permissions" JSONB NOT NULL,
    "once" BOOLEAN NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "createdBy" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "KeyPolicy" (
    "teamId" TEXT NOT NULL,
    "env" TEXT NOT NULL,
    "rules" JSONB NOT NULL,
    "enforceAfter" DATETIME,
    "changedAt" DATETIME NOT NULL,

    PRIMARY KEY ("teamId", "env")
);

-- CreateTable
CREATE TABLE "TeamMember" (
    "teamId" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "seenAt" DATETIME NOT NULL,
    "leftAt" DATETIME,

    PRIMARY KEY ("teamId", "subject")
);

-- AlterTable. A new table, which Prisma would make, would lose the triggers that write to this one.
ALTER TABLE "Revision" ADD COLUMN "policies" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE UNIQUE INDEX "ManagementKey_digest_key" ON "ManagementKey"("digest");

-- CreateIndex
CREATE INDEX "ManagementKey_unrevoked_idx" ON "ManagementKey"("teamId") WHERE "revokedAt" IS NULL;

-- CreateIndex
CREATE INDEX "ManagementKey_revoked_idx" ON "ManagementKey"("teamId", "revokedAt") WHERE "revokedAt" IS NOT NULL;

-- CreateIndex
CREATE INDEX "ManagementKey_previous_digest_idx" ON "ManagementKey"("previousDigest") WHERE "previousDigest" IS NOT NULL;

-- CreateIndex
CREATE INDEX "ManagementKey_expiring_idx" ON "ManagementKey"("expiresAt", "id");

-- CreateIndex
CREATE INDEX "TrustRule_teamId_createdAt_id_idx" ON "TrustRule"("teamId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "KeyPolicy_changedAt_teamId_env_idx" ON "KeyPolicy"("changedAt", "teamId", "env");

-- CreateIndex
CREATE INDEX "KeyPolicy_enforceAfter_teamId_env_idx" ON "KeyPolicy"("enforceAfter", "teamId", "env");

-- CreateIndex
CREATE INDEX "TeamMember_subject_teamId_idx" ON "TeamMember"("subject", "teamId");

-- CreateIndex
CREATE INDEX "ApiKey_declared_idx" ON "ApiKey"("teamId", "env", "externalId", "id") WHERE ("externalId" IS NOT NULL AND "revokedAt" IS NULL);

-- CreateTable
CREATE TABLE "Fence" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "teamId" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "env" TEXT,
    "tags" JSONB NOT NULL,
    "externalId" TEXT,
    "responsible" TEXT,
    "createdBefore" DATETIME,
    "until" DATETIME,
    "createdAt" DATETIME NOT NULL,
    "createdBy" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "AnsweredChange" (
    "revision" BIGINT NOT NULL PRIMARY KEY,
    "answeredAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "Verifier" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "kind" TEXT NOT NULL,
    "revision" BIGINT NOT NULL,
    "confirmedAt" DATETIME NOT NULL,
    "seenAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "DerivedUse" (
    "keyId" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "count" BIGINT NOT NULL,
    "lastUsedAt" DATETIME NOT NULL,

    PRIMARY KEY ("keyId", "label")
);

-- CreateIndex
CREATE INDEX "DerivedUse_lastUsedAt_idx" ON "DerivedUse"("lastUsedAt");

-- CreateIndex
CREATE INDEX "Fence_teamId_createdAt_id_idx" ON "Fence"("teamId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Fence_until_idx" ON "Fence"("until");

-- CreateIndex
CREATE INDEX "AnsweredChange_answeredAt_idx" ON "AnsweredChange"("answeredAt");

-- CreateIndex
CREATE INDEX "Verifier_seenAt_idx" ON "Verifier"("seenAt");

-- AlterTable. A new table, which Prisma would make, would lose the triggers that write to this one.
ALTER TABLE "Revision" ADD COLUMN "fences" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "Revision" ADD COLUMN "confirmed" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN "tripwire" BOOLEAN NOT NULL DEFAULT false;

-- No older instance has ever used a database without changes.
UPDATE "Revision" SET "confirmed" = true WHERE "current" = 0;

-- Every change of a fence moves the revision, also one by hand.
CREATE TRIGGER "Fence_insert" AFTER INSERT ON "Fence" FOR EACH ROW
BEGIN
  UPDATE "Revision" SET "current" = "current" + 1, "fences" = "current" + 1 WHERE "id" = 1;
END;

CREATE TRIGGER "Fence_update" AFTER UPDATE ON "Fence" FOR EACH ROW
BEGIN
  UPDATE "Revision" SET "current" = "current" + 1, "fences" = "current" + 1 WHERE "id" = 1;
END;

CREATE TRIGGER "Fence_delete" AFTER DELETE ON "Fence" FOR EACH ROW
BEGIN
  UPDATE "Revision" SET "current" = "current" + 1, "fences" = "current" + 1 WHERE "id" = 1;
END;
