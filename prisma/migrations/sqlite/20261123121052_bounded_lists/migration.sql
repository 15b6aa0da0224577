-- CreateIndex
CREATE INDEX "ApiKey_team_revoked_idx" ON "ApiKey"("teamId", "createdAt" DESC, "id" DESC) WHERE "revokedAt" IS NOT NULL;

-- CreateIndex
CREATE INDEX "ApiKey_name_unrevoked_idx" ON "ApiKey"("teamId", "searchText", "id") WHERE "revokedAt" IS NULL;

-- CreateIndex
CREATE INDEX "ApiKey_name_revoked_idx" ON "ApiKey"("teamId", "searchText", "id") WHERE "revokedAt" IS NOT NULL;

-- CreateIndex
CREATE INDEX "ApiKey_expiry_unrevoked_idx" ON "ApiKey"("teamId", "expiresAt", "id") WHERE "revokedAt" IS NULL;

-- CreateIndex
CREATE INDEX "ApiKey_expiry_revoked_idx" ON "ApiKey"("teamId", "expiresAt", "id") WHERE "revokedAt" IS NOT NULL;

-- CreateIndex
CREATE INDEX "ApiKey_previous_prefix_idx" ON "ApiKey"("previousPrefix", "teamId") WHERE "previousPrefix" IS NOT NULL;

-- The use of secrets before the previous one, which is no longer shown. From now on, a rotation deletes it.
DELETE FROM "SecretUse" WHERE EXISTS (
    SELECT 1 FROM "ApiKey" WHERE "ApiKey"."id" = "SecretUse"."keyId" AND "SecretUse"."version" < "ApiKey"."secretVersion" - 1
);
