import { useQuery } from '@tanstack/react-query';
import { execute } from '../../api/execute.ts';
import { useAtNow } from '../../components/clock.ts';
import { CopyItem } from '../../components/menu.tsx';
import { TeamTrailDocument } from '../../generated/graphql.ts';
import { stateNow } from '../../key-form/expiry.ts';
import type { Key } from '../key-change.ts';
import { useSources } from '../sources/observed-sources.tsx';
import { summaryOf } from './summary.ts';

const entries = 20;

/** Items of a menu, which read the history once the menu is open: a text that is copied must be known at the click. */
export function CopySummary({ apiKey }: { readonly apiKey: Key }) {
  const { id: keyId, teamId } = apiKey;
  const state = useAtNow((now) => stateNow(apiKey, now));
  const sources = useSources(keyId).query;
  const trail = useQuery({
    queryKey: ['trail', teamId, 'summary', keyId],
    queryFn: async ({ signal }) =>
      (await execute(TeamTrailDocument, { teamId, keyId, first: entries }, signal)).auditLog,
  });
  const link = `${location.origin}${location.pathname}#/teams/${teamId}/keys/${keyId}`;
  const isReady = !trail.isPending && !sources.isPending;
  const known = sources.data ?? { observedSources: [], unlistedSources: [] };
  const text = isReady ? summaryOf({ apiKey, state, link, sources: known, trail: trail.data ?? null }) : '';
  return (
    <>
      <CopyItem label="Copy link" text={link} />
      <CopyItem label="Copy summary" text={text} disabled={!isReady} />
    </>
  );
}
