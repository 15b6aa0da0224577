-- CreateTable
CREATE TABLE "UsageHour" (
    "keyId" TEXT NOT NULL,
    "hour" TIMESTAMP(3) NOT NULL,
    "code" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "UsageHour_pkey" PRIMARY KEY ("keyId","hour","code")
);

-- CreateIndex
CREATE INDEX "UsageHour_hour_idx" ON "UsageHour"("hour");
