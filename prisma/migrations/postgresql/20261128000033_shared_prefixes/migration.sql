-- Imported keys can have the same prefix. The new index first: instances of the version before read by it too.

-- CreateIndex
CREATE INDEX "ApiKey_prefix_teamId_idx" ON "ApiKey"("prefix", "teamId");

-- DropIndex
DROP INDEX "ApiKey_prefix_teamId_key";
