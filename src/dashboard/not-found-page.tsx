import { Anchor, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';

export function NotFoundPage() {
  return (
    <Stack>
      <Title order={1} size="h2">
        There is no such page
      </Title>
      <Text>
        The address may be incomplete.{' '}
        <Anchor component={Link} to="/" underline="always">
          Go to the keys
        </Anchor>{' '}
        of your first team.
      </Text>
    </Stack>
  );
}
