import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useMay } from '../../session/viewer.ts';

interface Props {
  readonly teamId: string;
  readonly hasRevoked: boolean;
  /** Shown if the session can neither create nor import keys. */
  readonly otherwise?: ReactNode;
}

export function FirstKeyLinks({ teamId, hasRevoked, otherwise }: Props) {
  const mayManage = useMay('manage_keys', teamId);
  const mayImport = useMay('import_keys', teamId);
  return (
    <Group gap="xs" mt="xs">
      {mayManage && (
        <Button component={Link} to={`/teams/${teamId}/keys/new`}>
          {hasRevoked ? 'Create a key' : 'Create the first key'}
        </Button>
      )}
      {hasRevoked && (
        <Button variant="default" component={Link} to={`/teams/${teamId}/keys?state=all`}>
          Show the revoked keys
        </Button>
      )}
      {mayImport && (
        <Button variant="default" component={Link} to={`/teams/${teamId}/import`}>
          Import keys
        </Button>
      )}
      {!mayManage && !mayImport && otherwise}
    </Group>
  );
}
