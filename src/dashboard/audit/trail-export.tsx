import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { execute } from '../api/execute.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatNumber } from '../components/format.ts';
import type { TeamTrailQuery } from '../generated/graphql.ts';
import { actionNames } from '../key/audit-entry.tsx';
import { inWords } from '../key/changes-in-words.ts';
import { csvOf } from '../keys/csv.ts';
import { download } from './download.ts';
import { teamTrail } from './operations.ts';
import type { TrailFilter } from './trail-query.ts';

const pageSize = 200;
const columns = ['at', 'action', 'key', 'actor', 'actor kind', 'source', 'changes', 'request'];

interface Props {
  readonly teamId: string;
  readonly filter: TrailFilter;
}

/** Saves all entries that the filter selects, page by page. */
export function TrailExport({ teamId, filter }: Props) {
  const [read, setRead] = useState(0);
  const saving = useMutation({
    mutationFn: async () => {
      const rows = [columns];
      let after: string | null = null;
      do {
        const page: TeamTrailQuery = await execute(teamTrail, { teamId, ...filter, first: pageSize, after });
        const { nodes, pageInfo } = page.auditLog;
        rows.push(...nodes.map(rowOf));
        setRead(rows.length - 1);
        after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
      } while (after !== null);
      download(csvOf(rows), `audit-${teamId}.csv`);
    },
  });
  return (
    <Group>
      {saving.error !== null && <ErrorNotice error={saving.error} />}
      {(saving.isPending || saving.isSuccess) && (
        <Text size="sm" role="status">
          {formatNumber(read)} entries {saving.isSuccess ? 'exported' : 'read'}
        </Text>
      )}
      <Button variant="default" loading={saving.isPending} onClick={() => saving.mutate()}>
        Export as CSV
      </Button>
    </Group>
  );
}

function rowOf(entry: TeamTrailQuery['auditLog']['nodes'][number]): string[] {
  const { at, action, keyId, actor, actorKind, source, changes, requestId } = entry;
  return [at, actionNames[action], keyId, actor, actorKind ?? '', source ?? '', inWords(changes).join('\n'), requestId];
}
