-- CreateEnum
CREATE TYPE "ActorKind" AS ENUM ('SESSION', 'KEY_HOLDER', 'OPERATOR');

-- AlterTable
ALTER TABLE "AuditEntry" ADD COLUMN     "actorKind" "ActorKind";
