import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { dayMs } from '../../../domain/moment.ts';
import { execute } from '../../api/execute.ts';
import { useAtNow, useIsPast } from '../../components/clock.ts';
import { CodeLink } from '../../components/code-link.tsx';
import { formatNumber } from '../../components/format.ts';
import { Moment } from '../../components/moment.tsx';
import { Section } from '../../components/section.tsx';
import { KeyUsageDocument, type VerdictCode } from '../../generated/graphql.ts';
import { hasExpired, isExpiring, renewalDays } from '../../key-form/expiry.ts';
import { policiesOf } from '../../policy/policy.ts';
import { useMay } from '../../session/viewer.ts';
import { startOfHour, totalsOf } from '../../usage/usage-bars.ts';
import { nameOf } from '../history/changes-in-words.ts';
import type { Key, PartProps, Question } from '../key-change.ts';
import type { Tab } from '../key-search.ts';
import { useTab } from '../key-tab.ts';
import { useSources } from '../sources/observed-sources.tsx';
import { isAccepted } from '../sources/suggestions.ts';

/** Asks a question, or shows the tab where the user can act. */
type Action = { readonly label: string } & ({ readonly question: Question } | { readonly tab: Tab });

interface Item {
  readonly id: string;
  readonly text: ReactNode;
  readonly action?: Action | undefined;
}

/** What needs attention, each with the action for it. */
export function Attention({ apiKey, editable, ask }: PartProps) {
  const { show } = useTab();
  const rejected = useRejected(apiKey);
  const lifetime = useLifetime(apiKey);
  const access = useAccess(apiKey);
  const violations = useViolations(apiKey);
  const items = [...leaksOf(apiKey), ...violations, ...lifetime, ...rejected, ...access];
  // The banner says what is wrong with other keys.
  if (apiKey.state !== 'ACTIVE' && items.length === 0) return null;
  return (
    <Section title="Needs attention">
      {items.length === 0 && <Text size="sm">Nothing needs attention.</Text>}
      {items.map(({ id, text, action }) => (
        <Group key={id} justify="space-between" gap="xs">
          <Text size="sm" className="breakable">
            {text}
          </Text>
          {editable && action !== undefined && (
            <Button
              size="xs"
              variant="default"
              onClick={() => ('tab' in action ? show(action.tab) : ask(action.question))}
            >
              {action.label}
            </Button>
          )}
        </Group>
      ))}
    </Section>
  );
}

/** The part of the page where a setting can be changed that causes a verdict. */
const remedies: Partial<Record<VerdictCode, Action>> = {
  SOURCE_NOT_ALLOWED: { label: 'Review allowed sources', tab: 'access' },
  INSUFFICIENT_SCOPE: { label: 'Review scopes', tab: 'access' },
  RATE_LIMITED: { label: 'Review the rate limit', tab: 'access' },
  SIGNATURE_REQUIRED: { label: 'Review signing', tab: 'access' },
  SIGNATURE_INVALID: { label: 'Review signing', tab: 'access' },
  ROTATED: { label: 'See the rotation', tab: 'rotation' },
};

function useRejected({ id: keyId }: Key): Item[] {
  const hour = useAtNow(startOfHour);
  const from = new Date(hour - dayMs).toISOString();
  const { data = [] } = useQuery({
    queryKey: ['rejected', keyId, hour],
    queryFn: async ({ signal }) =>
      (await execute(KeyUsageDocument, { keyId, from, to: new Date(hour + dayMs / 24).toISOString() }, signal)).usage,
  });
  return totalsOf(data)
    .filter(({ code }) => code !== 'VALID')
    .map(({ code, count }) => ({
      id: code,
      text: (
        <>
          {formatNumber(count)} {count === 1 ? 'request was' : 'requests were'} rejected in the last 24 hours:{' '}
          <CodeLink code={code} />
        </>
      ),
      action: remedies[code],
    }));
}

function leaksOf({ leak }: Key): Item[] {
  if (leak === null) return [];
  const isCurrent = leak.secret === 'CURRENT';
  const text = (
    <>
      The {isCurrent ? 'current' : 'previous'} secret was reported as leaked <Moment at={leak.reportedAt} />.
    </>
  );
  const action = isCurrent
    ? ({ label: 'Issue a new secret…', question: 'replaceLeaked' } as const)
    : ({ label: 'End the overlap…', question: 'endOverlap' } as const);
  return [{ id: 'leak', text, action }];
}

/** Where the setting is changed that violates a rule. */
const placeOf: Readonly<Record<string, Action>> = {
  expiresAt: { label: 'Change the expiry', tab: 'settings' },
  allowedIps: { label: 'Choose allowed sources', tab: 'access' },
  signing: { label: 'Enable signing', tab: 'access' },
  scopes: { label: 'Review scopes', tab: 'access' },
  rateLimit: { label: 'Review the rate limit', tab: 'access' },
  secret: { label: 'Rotate it', tab: 'rotation' },
};

/** A running key is never broken by a policy, until the policy says that it is enforced. */
function useViolations({ teamId, env, state, policyViolations }: Key): Item[] {
  const mayView = useMay('view_team', teamId);
  const { data } = useQuery({ ...policiesOf(teamId), enabled: mayView && policyViolations.length > 0 });
  const enforceAfter = data?.keyPolicies.find((policy) => policy.env === env)?.enforceAfter ?? null;
  return policyViolations.map(({ rule, field, message }) => ({
    id: `policy ${rule}`,
    text: (
      <>
        The policy is violated: {nameOf(field).toLowerCase()} {message}.
        {enforceAfter !== null && state === 'ACTIVE' && (
          <>
            {' '}
            The key is disabled <Moment at={enforceAfter} />.
          </>
        )}
      </>
    ),
    action: placeOf[field],
  }));
}

const unusedDays = 90;

function useLifetime(apiKey: Key): Item[] {
  const { state, expiresAt, lastUsedAt, createdAt, previousPrefix, previousSecretExpiresAt } = apiKey;
  const isExpiringSoon = useAtNow((now) => isExpiring(apiKey, now) && !hasExpired(apiKey, now));
  const isUnused = useAtNow((now) => Date.parse(lastUsedAt ?? createdAt) < now - unusedDays * dayMs);
  const isOverlapOver = useIsPast(previousSecretExpiresAt);
  const items: Item[] = [];
  if (isExpiringSoon && expiresAt !== null) {
    const text = (
      <>
        The key expires <Moment at={expiresAt} />.
      </>
    );
    items.push({ id: 'expiry', text, action: { label: `Renew by ${renewalDays} days…`, question: 'renew' } });
  }
  if (previousSecretExpiresAt !== null && !isOverlapOver && state === 'ACTIVE') {
    const text = (
      <>
        The previous secret {previousPrefix} is accepted too. This ends <Moment at={previousSecretExpiresAt} />.
      </>
    );
    items.push({ id: 'overlap', text, action: { label: 'See who uses it', tab: 'rotation' } });
  }
  if (isUnused && state === 'ACTIVE') {
    const text = `The key was not used for more than ${unusedDays} days. If nothing needs it, disable it.`;
    items.push({ id: 'unused', text, action: { label: 'Disable…', question: 'disable' } });
  }
  return items;
}

function useAccess({ id, env, state, allowedIps }: Key): Item[] {
  const { observedSources = [], unlistedSources = [] } = useSources(id).query.data ?? {};
  const count = new Set(observedSources.filter(isAccepted).map(({ address }) => address)).size;
  if (env !== 'live' || state !== 'ACTIVE' || allowedIps.length > 0) return [];
  if (count === 0 || unlistedSources.length > 0) return [];
  const text = `The key works from everywhere, and was used from ${count === 1 ? 'one address' : `${formatNumber(count)} addresses`}.`;
  return [{ id: 'sources', text, action: { label: 'Choose allowed sources', tab: 'access' } }];
}
