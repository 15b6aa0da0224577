-- AlterTable
ALTER TABLE "Exposure" ADD COLUMN     "reporter" TEXT,
ADD COLUMN     "source" TEXT,
ADD COLUMN     "url" TEXT,
ADD COLUMN     "version" INTEGER;

-- CreateTable
CREATE TABLE "SourceDay" (
    "teamId" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "day" TIMESTAMP(3) NOT NULL,
    "keyId" TEXT NOT NULL,
    "accepted" INTEGER NOT NULL,
    "rejected" INTEGER NOT NULL,
    "firstAt" TIMESTAMP(3) NOT NULL,
    "lastAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "SourceDay_pkey" PRIMARY KEY ("teamId","address","day","keyId")
);

-- CreateIndex
CREATE INDEX "SourceDay_keyId_day_idx" ON "SourceDay"("keyId", "day");

-- CreateIndex
CREATE INDEX "SourceDay_day_idx" ON "SourceDay"("day");
