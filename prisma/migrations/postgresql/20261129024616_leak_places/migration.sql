-- AlterTable
ALTER TABLE "Exposure" ADD COLUMN     "reporter" TEXT,
ADD COLUMN     "source" TEXT,
ADD COLUMN     "url" TEXT,
ADD COLUMN     "version" INTEGER;
