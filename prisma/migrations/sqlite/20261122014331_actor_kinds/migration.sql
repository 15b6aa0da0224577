-- AlterTable
ALTER TABLE "AuditEntry" ADD COLUMN "actorKind" TEXT;
