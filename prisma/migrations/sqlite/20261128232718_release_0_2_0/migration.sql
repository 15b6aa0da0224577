-- AlterTable
ALTER TABLE "Delivery" ADD COLUMN "isReplay" BOOLEAN NOT NULL DEFAULT false;

-- DropIndex
DROP INDEX "Delivery_due_idx";

-- DropIndex
DROP INDEX "Delivery_order_idx";

-- CreateIndex
CREATE INDEX "Delivery_due_idx" ON "Delivery"("webhookId", "isReplay", "nextAttemptAt", "revision") WHERE "nextAttemptAt" IS NOT NULL;

-- CreateIndex
CREATE INDEX "Delivery_order_idx" ON "Delivery"("webhookId", "isReplay", "keyId", "revision") WHERE "nextAttemptAt" IS NOT NULL;
