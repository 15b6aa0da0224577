import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Permission } from '../generated/graphql.ts';
import { useMay } from '../session/viewer.ts';

interface Props {
  readonly permission: Permission;
  readonly teamId: string;
  readonly children: ReactNode;
}

/** Shows a part of a page if the session has a permission on the team; otherwise names the missing permission. */
export function RequirePermission({ permission, teamId, children }: Props) {
  if (useMay(permission, teamId)) return children;
  return (
    <Alert title="Not for this session" role="status">
      Your session does not grant {permission} on this team.
    </Alert>
  );
}
