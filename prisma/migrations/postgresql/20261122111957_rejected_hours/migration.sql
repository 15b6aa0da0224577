-- CreateTable
CREATE TABLE "RejectedHour" (
    "teamId" TEXT NOT NULL,
    "hour" TIMESTAMP(3) NOT NULL,
    "keyId" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "RejectedHour_pkey" PRIMARY KEY ("teamId","hour","keyId","code")
);

-- CreateIndex
CREATE INDEX "RejectedHour_hour_idx" ON "RejectedHour"("hour");
