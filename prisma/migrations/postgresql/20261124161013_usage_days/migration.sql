-- CreateTable
CREATE TABLE "UsageDay" (
    "keyId" TEXT NOT NULL,
    "day" TIMESTAMP(3) NOT NULL,
    "count" BIGINT NOT NULL,

    CONSTRAINT "UsageDay_pkey" PRIMARY KEY ("keyId","day")
);

-- CreateIndex
CREATE INDEX "UsageDay_day_idx" ON "UsageDay"("day");

-- What was counted before, as far back as it can be read.
INSERT INTO "UsageDay" ("keyId", "day", "count")
SELECT "keyId", date_trunc('day', "hour"), SUM("count")
FROM "UsageHour" WHERE "hour" >= now() AT TIME ZONE 'UTC' - INTERVAL '31 days' GROUP BY 1, 2;
