-- CreateTable
CREATE TABLE "PurgedDigest" (
    "digest" TEXT NOT NULL,

    CONSTRAINT "PurgedDigest_pkey" PRIMARY KEY ("digest")
);

-- CreateIndex
CREATE INDEX "ApiKey_revoked_idx" ON "ApiKey"("revokedAt") WHERE ("revokedAt" IS NOT NULL);

-- CreateIndex
CREATE INDEX "AuditEntry_at_idx" ON "AuditEntry"("at");
