import { ActionIcon, Anchor, Button, Popover, Stack, Text } from '@mantine/core';
import { askToLeave } from '../components/dialog/leave-guard.tsx';
import { User } from '../components/icons.tsx';
import { Moment } from '../components/moment.tsx';
import { explorers } from '../shell/navigation.ts';
import { useSession } from './session.ts';
import { expiryOf } from './token.ts';
import { signOut } from './viewer.ts';

export function SessionButton({ subject }: { readonly subject: string }) {
  const { token } = useSession();
  const expiry = token === null ? null : expiryOf(token);
  return (
    <Popover position="bottom-end" width={260} trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon variant="default" size="lg" aria-label="Session">
          <User size={18} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Text size="sm" className="breakable">
            {subject}
          </Text>
          {expiry !== null && (
            <Text size="sm" c="dimmed">
              The session ends <Moment at={expiry} />.
            </Text>
          )}
          <Text size="sm" fw={600}>
            Documentation
          </Text>
          {explorers.map(({ href, label }) => (
            <Anchor key={href} href={href} size="sm">
              {label}
            </Anchor>
          ))}
          <Button variant="default" onClick={() => askToLeave(signOut)}>
            Sign out
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
