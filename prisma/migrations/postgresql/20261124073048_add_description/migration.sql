-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN     "description" TEXT;
