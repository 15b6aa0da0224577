import { Alert, Paper, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { execute } from '../api/execute.ts';
import { formatNumber } from '../components/format.ts';
import { AnchorLink } from '../components/links.tsx';
import { Page } from '../components/page.tsx';
import { QueryView } from '../components/query-view.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { Section } from '../components/section.tsx';
import { Steady } from '../components/steady.tsx';
import { TeamOverviewDocument, type TeamOverviewQuery, TeamUsageDocument } from '../generated/graphql.ts';
import { expiringSoonDays } from '../key-form/expiry.ts';
import { useQuickChange } from '../keys/changes/quick-change.ts';
import { longUnusedDays } from '../keys/filter/key-filter.ts';
import { type ListSearch, linkToList } from '../keys/filter/key-query.ts';
import { FirstKeyLinks } from '../keys/list/empty-list.tsx';
import { allRevoked, useHasRevoked } from '../keys/list/list-queries.tsx';
import { useMay, useViewer } from '../session/viewer.ts';
import { type ChosenPeriod, usePeriod } from '../usage/period.tsx';
import { RejectedKeys } from '../usage/rejected-keys.tsx';
import { UseIn } from '../usage/use.tsx';
import { FailingWebhooks } from '../webhooks/failing-webhooks.tsx';
import { ExpiringKeys } from './expiring-keys.tsx';
import { LeakPolicy } from './leak-policy.tsx';
import { LeakedKeys } from './leaked-keys.tsx';

type Overview = TeamOverviewQuery['keysOverview'];
type Count = Exclude<keyof Overview, '__typename' | 'at' | 'isPartial'>;

/** The counts of the overview. Each count links to the list of the counted keys. */
const counts: readonly { readonly count: Count; readonly label: string; readonly filter: ListSearch }[] = [
  { count: 'leaked', label: 'Leaked', filter: { state: 'leaked' } },
  { count: 'active', label: 'Active', filter: { state: 'active' } },
  {
    count: 'expiringSoon',
    label: `Expire within ${expiringSoonDays} days`,
    filter: { state: 'expiring', sort: 'EXPIRES_AT' },
  },
  { count: 'violating', label: 'Violate the policy', filter: { state: 'active', policy: 'violated' } },
  { count: 'neverUsed', label: 'Never used', filter: { state: 'active', use: 'never' } },
  { count: 'unusedFor90Days', label: `Unused for ${longUnusedDays} days`, filter: { state: 'active', use: 'long' } },
  { count: 'expired', label: 'Expired', filter: { state: 'expired' } },
  { count: 'disabled', label: 'Disabled', filter: { state: 'disabled' } },
];

export function TeamPage() {
  const { teamId = '' } = useParams({ strict: false });
  const { data: viewer } = useViewer();
  const name = viewer?.teams.find(({ id }) => id === teamId)?.name;
  const period = usePeriod();
  return (
    <Page title="Overview" aside={period.input}>
      <Text size="sm" c="dimmed" className="breakable">
        Team {name == null ? teamId : `${name}, ${teamId}`}
      </Text>
      <RequirePermission permission="view_team" teamId={teamId}>
        {/* Keyed: the numbers of one team must never show under the name of another. */}
        <Steady key={teamId}>
          <TeamOverview teamId={teamId} period={period} />
        </Steady>
      </RequirePermission>
    </Page>
  );
}

interface OverviewProps {
  readonly teamId: string;
  readonly period: ChosenPeriod;
}

function TeamOverview({ teamId, period: { span, bar, chooseBar } }: OverviewProps) {
  const quick = useQuickChange(teamId);
  const mayManageWebhooks = useMay('manage_webhooks', teamId);
  const overview = useQuery({
    queryKey: ['overview', teamId],
    queryFn: async ({ signal }) => (await execute(TeamOverviewDocument, { teamId }, signal)).keysOverview,
  });
  return (
    <>
      {mayManageWebhooks && <FailingWebhooks teamId={teamId} />}
      {/* Not part of the warning, which disappears with its last key. */}
      <QueryView query={overview}>
        {(data) => (
          <>
            {data.active + data.expired + data.disabled === 0 && <NoKeys teamId={teamId} />}
            {data.leaked > 0 && (
              <LeakedKeys teamId={teamId} count={data.leaked} at={data.at} list={listOf(teamId, 'leaked', data)} />
            )}
            {data.expiringSoon > 0 && (
              <ExpiringKeys
                teamId={teamId}
                count={data.expiringSoon}
                at={data.at}
                list={listOf(teamId, 'expiringSoon', data)}
                renew={quick.renew}
              />
            )}
            <Counts teamId={teamId} overview={data} />
            {data.isPartial && (
              <Text size="sm" c="dimmed">
                This team has more than 10,000 keys. The newest 10,000 are counted.
              </Text>
            )}
          </>
        )}
      </QueryView>
      {span !== null && (
        <>
          <Section title="Calls">
            <UseIn of={['team', teamId]} read={readOf(teamId)} span={span} bar={bar} chooseBar={chooseBar} />
          </Section>
          <Section title="Rejected keys">
            <RejectedKeys teamId={teamId} span={span} bar={bar} chooseBar={chooseBar} />
          </Section>
        </>
      )}
      <LeakPolicy teamId={teamId} />
    </>
  );
}

function Counts({ teamId, overview }: { readonly teamId: string; readonly overview: Overview }) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 4, lg: 7 }}>
      {counts.map(({ count, label }) => (
        <Paper key={count} withBorder p="md">
          <AnchorLink {...listOf(teamId, count, overview)} c="var(--mantine-color-text)">
            <Text size="xl" fw={700} {...(count === 'leaked' && overview.leaked > 0 && { c: 'red' })}>
              {formatNumber(overview[count])}
            </Text>
            <Text size="sm">{label}</Text>
          </AnchorLink>
        </Paper>
      ))}
    </SimpleGrid>
  );
}

/** Returns the link to the list behind a count, with the time of the count, so that both cover the same days. */
function listOf(teamId: string, count: Count, { at }: Overview) {
  const filter = counts.find((known) => known.count === count)?.filter;
  const isTimed = filter?.use === 'long' || filter?.state === 'expiring';
  return linkToList(teamId, { ...filter, ...(isTimed ? { at } : {}) });
}

function NoKeys({ teamId }: { readonly teamId: string }) {
  const query = useHasRevoked(teamId);
  return (
    <QueryView query={query}>
      {(hasRevoked) => (
        <Alert title={hasRevoked ? allRevoked : 'This team has no keys yet'} role="status">
          <FirstKeyLinks
            teamId={teamId}
            hasRevoked={hasRevoked}
            otherwise={<Text size="sm">Your session token can’t create keys in it.</Text>}
          />
        </Alert>
      )}
    </QueryView>
  );
}

function readOf(teamId: string) {
  return async (from: Date, to: Date, signal: AbortSignal) =>
    (await execute(TeamUsageDocument, { teamId, from: from.toISOString(), to: to.toISOString() }, signal)).teamUsage;
}
