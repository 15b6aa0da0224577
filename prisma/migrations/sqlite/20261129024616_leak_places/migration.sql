-- AlterTable
ALTER TABLE "Exposure" ADD COLUMN "reporter" TEXT;
ALTER TABLE "Exposure" ADD COLUMN "source" TEXT;
ALTER TABLE "Exposure" ADD COLUMN "url" TEXT;
ALTER TABLE "Exposure" ADD COLUMN "version" INTEGER;
