import { Anchor, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { KeyQuery } from './key-query.ts';

interface Props {
  readonly teamId: string;
  readonly query: KeyQuery;
  readonly mayManage: boolean;
  readonly mayImport: boolean;
}

/** Says why a list has no keys, and what to do next. */
export function EmptyList({ teamId, query, mayManage, mayImport }: Props) {
  return (
    <Paper withBorder p="xl" ta="center">
      <Stack align="center" gap="sm">
        <Text role="status">{messageOf(query)}</Text>
        {query.page > 1 && <Button onClick={query.previousPage}>Previous page</Button>}
        {query.page === 1 && query.narrowed && <Button onClick={query.clear}>Clear the filters</Button>}
        {query.page === 1 && !query.narrowed && (
          <>
            <Group justify="center" gap="xs">
              {mayManage && (
                <Button component={Link} to={`/teams/${teamId}/keys/new`}>
                  Create the first key
                </Button>
              )}
              {mayImport && (
                <Button variant="default" component={Link} to={`/teams/${teamId}/import`}>
                  Import keys
                </Button>
              )}
            </Group>
            <Text size="sm" c="dimmed">
              Programs can create keys over <Anchor href="/openapi">REST</Anchor> and{' '}
              <Anchor href="/graphql">GraphQL</Anchor>.
            </Text>
          </>
        )}
      </Stack>
    </Paper>
  );
}

function messageOf({ page, narrowed }: KeyQuery): string {
  if (page > 1) return 'There are no more keys.';
  return narrowed ? 'No key matches these filters.' : 'This team has no keys yet.';
}
