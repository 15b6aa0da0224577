-- AlterTable
ALTER TABLE "Exposure" ADD COLUMN     "reporter" TEXT,
ADD COLUMN     "source" TEXT,
ADD COLUMN     "url" TEXT,
ADD COLUMN     "version" INTEGER;

-- CreateTable
CREATE TABLE "SourceDay" (
    "teamId" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "day" TIMESTAMP(3) NOT NULL,
    "keyId" TEXT NOT NULL,
    "accepted" INTEGER NOT NULL,
    "rejected" INTEGER NOT NULL,
    "firstAt" TIMESTAMP(3) NOT NULL,
    "lastAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "SourceDay_pkey" PRIMARY KEY ("teamId","address","day","keyId")
);

-- CreateIndex
CREATE INDEX "SourceDay_keyId_day_idx" ON "SourceDay"("keyId", "day");

-- CreateIndex
CREATE INDEX "SourceDay_day_idx" ON "SourceDay"("day");

-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN     "responsible" TEXT;

-- AlterTable
ALTER TABLE "Revision" ADD COLUMN     "policies" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "AuditEntry" ADD COLUMN     "actorType" TEXT,
ADD COLUMN     "credentialId" TEXT;

-- CreateTable
CREATE TABLE "ManagementKey" (
    "id" TEXT NOT NULL,
    "teamId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "pepperId" TEXT NOT NULL,
    "permissions" JSONB NOT NULL,
    "allowedIps" JSONB NOT NULL,
    "expiresAt" TIMESTAMP(3) NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "createdBy" TEXT NOT NULL,
    "revokedAt" TIMESTAMP(3),
    "secretVersion" INTEGER NOT NULL DEFAULT 1,
    "rotatedAt" TIMESTAMP(3),
    "previousPrefix" TEXT,
    "previousDigest" TEXT,
    "previousPepperId" TEXT,
    "previousExpiresAt" TIMESTAMP(3),
    "signingEnvelope" TEXT,
    "signingVersion" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "ManagementKey_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "TrustRule" (
    "id" TEXT NOT NULL,
    "teamId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "audience" TEXT NOT NULL,
    "claims" JSONB NOT NULL,
    "permissions" JSONB NOT NULL,
    "once" BOOLEAN NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "createdBy" TEXT NOT NULL,

    CONSTRAINT "TrustRule_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "KeyPolicy" (
    "teamId" TEXT NOT NULL,
    "env" "KeyEnv" NOT NULL,
    "rules" JSONB NOT NULL,
    "enforceAfter" TIMESTAMP(3),
    "changedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "KeyPolicy_pkey" PRIMARY KEY ("teamId","env")
);

-- CreateTable
CREATE TABLE "TeamMember" (
    "teamId" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "seenAt" TIMESTAMP(3) NOT NULL,
    "leftAt" TIMESTAMP(3),

    CONSTRAINT "TeamMember_pkey" PRIMARY KEY ("teamId","subject")
);

-- CreateIndex
CREATE UNIQUE INDEX "ManagementKey_digest_key" ON "ManagementKey"("digest");

-- CreateIndex
CREATE INDEX "ManagementKey_unrevoked_idx" ON "ManagementKey"("teamId") WHERE ("revokedAt" IS NULL);

-- CreateIndex
CREATE INDEX "ManagementKey_revoked_idx" ON "ManagementKey"("teamId", "revokedAt") WHERE ("revokedAt" IS NOT NULL);

-- CreateIndex
CREATE INDEX "ManagementKey_previous_digest_idx" ON "ManagementKey"("previousDigest") WHERE ("previousDigest" IS NOT NULL);

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
    "id" TEXT NOT NULL,
    "teamId" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "env" "KeyEnv",
    "tags" JSONB NOT NULL,
    "externalId" TEXT,
    "responsible" TEXT,
    "createdBefore" TIMESTAMP(3),
    "until" TIMESTAMP(3),
    "createdAt" TIMESTAMP(3) NOT NULL,
    "createdBy" TEXT NOT NULL,

    CONSTRAINT "Fence_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "AnsweredChange" (
    "revision" BIGINT NOT NULL,
    "answeredAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "AnsweredChange_pkey" PRIMARY KEY ("revision")
);

-- CreateTable
CREATE TABLE "Verifier" (
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "revision" BIGINT NOT NULL,
    "confirmedAt" TIMESTAMP(3) NOT NULL,
    "seenAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Verifier_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "DerivedUse" (
    "keyId" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "count" BIGINT NOT NULL,
    "lastUsedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "DerivedUse_pkey" PRIMARY KEY ("keyId","label")
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

-- AlterTable
ALTER TABLE "Revision" ADD COLUMN     "confirmed" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "fences" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN     "tripwire" BOOLEAN NOT NULL DEFAULT false;

-- No older instance has ever used a database without changes.
UPDATE "Revision" SET "confirmed" = true WHERE "current" = 0;

-- Every change of a fence moves the revision, also one by hand.
CREATE FUNCTION latchkey_fence_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('UPDATE %I."Revision" SET "current" = "current" + 1, "fences" = "current" + 1 WHERE "id" = 1', TG_TABLE_SCHEMA);
  RETURN NULL;
END $$;

CREATE TRIGGER "Fence_change" BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "Fence" FOR EACH STATEMENT
  EXECUTE FUNCTION latchkey_fence_change();
