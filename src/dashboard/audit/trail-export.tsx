import { Group, Text } from '@mantine/core';
import { csvOf } from '../../key-file/csv.ts';
import { execute } from '../api/execute.ts';
import { readPages } from '../api/read-pages.ts';
import { ExportProgress, useExport } from '../components/csv-export.tsx';
import { FocusableButton } from '../components/form/focusable-button.tsx';
import { formatNumber } from '../components/format.ts';
import { TeamTrailDocument, type TeamTrailQuery } from '../generated/graphql.ts';
import { actionNames } from '../key/history/action-names.ts';
import { sentencesOf } from '../key/history/changes-in-words.ts';
import type { TrailFilter } from './trail-search.ts';

const pageSize = 200;
const columns = ['at', 'action', 'key', 'key name', 'actor', 'actor kind', 'source', 'changes', 'request'];

export function TrailExport({ teamId, filter }: { readonly teamId: string; readonly filter: TrailFilter }) {
  const run = useExport({
    name: `audit-${teamId}.csv`,
    read: async (signal, onProgress) => {
      const readPage = async (after: string | null) =>
        (await execute(TeamTrailDocument, { teamId, ...filter, first: pageSize, after }, signal)).auditLog;
      return csvOf([columns, ...(await readPages(readPage, onProgress)).map(rowOf)]);
    },
  });
  return (
    <Group>
      {(run.isPending || run.error !== null) && <ExportProgress what="entries" run={run} close={run.cancel} />}
      {run.isSuccess && (
        <Text size="sm" role="status">
          {formatNumber(run.count)} entries exported
        </Text>
      )}
      <FocusableButton variant="default" loading={run.isPending} onClick={() => run.start()}>
        Export as CSV
      </FocusableButton>
    </Group>
  );
}

function rowOf(entry: TeamTrailQuery['auditLog']['nodes'][number]) {
  const { at, action, keyId, keyName, actor, actorKind, source, requestId } = entry;
  return [at, actionNames[action], keyId, keyName, actor, actorKind, source, sentencesOf(entry).join('\n'), requestId];
}
