-- AlterTable
ALTER TABLE "Exposure" ADD COLUMN "reporter" TEXT;
ALTER TABLE "Exposure" ADD COLUMN "source" TEXT;
ALTER TABLE "Exposure" ADD COLUMN "url" TEXT;
ALTER TABLE "Exposure" ADD COLUMN "version" INTEGER;

-- CreateTable
CREATE TABLE "SourceDay" (
    "teamId" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "day" DATETIME NOT NULL,
    "keyId" TEXT NOT NULL,
    "accepted" INTEGER NOT NULL,
    "rejected" INTEGER NOT NULL,
    "firstAt" DATETIME NOT NULL,
    "lastAt" DATETIME NOT NULL,

    PRIMARY KEY ("teamId", "address", "day", "keyId")
);

-- CreateIndex
CREATE INDEX "SourceDay_keyId_day_idx" ON "SourceDay"("keyId", "day");

-- CreateIndex
CREATE INDEX "SourceDay_day_idx" ON "SourceDay"("day");
