-- CreateTable
CREATE TABLE "UsageHour" (
    "keyId" TEXT NOT NULL,
    "hour" DATETIME NOT NULL,
    "code" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    PRIMARY KEY ("keyId", "hour", "code")
);

-- CreateIndex
CREATE INDEX "UsageHour_hour_idx" ON "UsageHour"("hour");
