import { Group, NativeSelect, Text } from '@mantine/core';
import { FocusableButton } from '../../components/form/focusable-button.tsx';
import { formatCount, formatNumber } from '../../components/format.ts';
import { type KeyQuery, pageSizes } from '../filter/key-query.ts';
import type { KeyPage } from './list-queries.tsx';

interface Props {
  readonly query: KeyQuery;
  readonly page: KeyPage;
  readonly stale: boolean;
}

export function Pager({ query, page: { nodes, totalCount, totalCountIsPartial, pageInfo }, stale }: Props) {
  const { endCursor, hasNextPage } = pageInfo;
  const before = (query.page - 1) * query.pageSize;
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm" c="dimmed" role="status">
        {!stale &&
          `${formatNumber(before + 1)} to ${formatNumber(before + nodes.length)} of ${formatCount(totalCount, totalCountIsPartial)}`}
      </Text>
      <Group gap="xs">
        <NativeSelect
          aria-label="Rows"
          title="Rows on a page"
          size="xs"
          w={70}
          data={pageSizes}
          value={String(query.pageSize)}
          onChange={({ currentTarget }) => query.choose({ size: currentTarget.value })}
        />
        <FocusableButton variant="default" size="xs" disabled={query.page === 1} onClick={query.previousPage}>
          Previous page
        </FocusableButton>
        <FocusableButton
          variant="default"
          size="xs"
          disabled={!hasNextPage || stale}
          onClick={() => endCursor != null && query.nextPage(endCursor)}
        >
          Next page
        </FocusableButton>
      </Group>
    </Group>
  );
}
