import { Checkbox, Stack } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { grantablePermissions } from '../../domain/access/management-key.ts';
import { useMay } from '../session/viewer.ts';
import { permissionTexts } from './access.ts';

interface Props {
  readonly teamId: string;
  readonly field: GetInputPropsReturnType;
}

/** What a program may do: nothing that its maker may not. */
export function PermissionsInput({ teamId, field }: Props) {
  const isInvalid = field.error != null;
  return (
    <Checkbox.Group label="Permissions" description="Only those that you have yourself." withAsterisk {...field}>
      <Stack gap="xs" mt="xs">
        {grantablePermissions.map((permission) => (
          <Permission key={permission} teamId={teamId} permission={permission} isInvalid={isInvalid} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

interface PermissionProps extends Pick<Props, 'teamId'> {
  readonly permission: keyof typeof permissionTexts;
  readonly isInvalid: boolean;
}

function Permission({ teamId, permission, isInvalid }: PermissionProps) {
  return (
    <Checkbox
      value={permission}
      label={permission}
      description={permissionTexts[permission]}
      disabled={!useMay(permission, teamId)}
      aria-invalid={isInvalid}
    />
  );
}
