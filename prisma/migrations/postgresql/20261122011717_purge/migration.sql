-- CreateIndex
CREATE INDEX "ApiKey_revoked_idx" ON "ApiKey"("revokedAt") WHERE ("revokedAt" IS NOT NULL);

-- CreateIndex
CREATE INDEX "AuditEntry_at_idx" ON "AuditEntry"("at");
