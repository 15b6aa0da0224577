-- CreateTable
CREATE TABLE "TeamUsageHour" (
    "teamId" TEXT NOT NULL,
    "hour" TIMESTAMP(3) NOT NULL,
    "code" TEXT NOT NULL,
    "count" BIGINT NOT NULL,

    CONSTRAINT "TeamUsageHour_pkey" PRIMARY KEY ("teamId","hour","code")
);

-- CreateIndex
CREATE INDEX "TeamUsageHour_hour_idx" ON "TeamUsageHour"("hour");

-- What was counted before.
INSERT INTO "TeamUsageHour" ("teamId", "hour", "code", "count")
SELECT k."teamId", h."hour", h."code", SUM(h."count")
FROM "UsageHour" h JOIN "ApiKey" k ON k."id" = h."keyId"
GROUP BY 1, 2, 3;
