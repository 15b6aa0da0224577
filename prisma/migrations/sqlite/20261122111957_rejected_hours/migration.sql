-- CreateTable
CREATE TABLE "RejectedHour" (
    "teamId" TEXT NOT NULL,
    "hour" DATETIME NOT NULL,
    "keyId" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    PRIMARY KEY ("teamId", "hour", "keyId", "code")
);

-- CreateIndex
CREATE INDEX "RejectedHour_hour_idx" ON "RejectedHour"("hour");
