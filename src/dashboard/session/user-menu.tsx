/** Who is signed in and until when, with links to the explorers and the sign-out. Loaded when it is first opened. */
import { Anchor, Popover, Stack, Text } from '@mantine/core';
import { useSubmit } from '../api/use-submit.ts';
import { askToLeave } from '../components/dialog/leave-guard.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { FocusableButton } from '../components/form/focusable-button.tsx';
import { useOpened } from '../components/menu-on-demand.tsx';
import { Moment } from '../components/moment.tsx';
import { explorers } from '../shell/navigation.ts';
import { useSessionEnd } from './use-session-end.ts';
import { UserButton } from './user-button.tsx';
import { signOut } from './viewer.ts';

export function UserMenu({ subject }: { readonly subject: string }) {
  const { target, opened, setOpened } = useOpened();
  const endsAt = useSessionEnd();
  const { submit, error, isPending } = useSubmit({ mutationFn: signOut });
  return (
    <Popover position="bottom-end" width={260} trapFocus returnFocus opened={opened} onChange={setOpened}>
      <Popover.Target>
        <UserButton ref={target} onClick={() => setOpened(!opened)} />
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Text size="sm" className="breakable">
            {subject}
          </Text>
          {endsAt !== undefined && (
            <Text size="sm" c="dimmed">
              The session ends <Moment at={endsAt} />.
            </Text>
          )}
          {explorers.map(({ href, label }) => (
            <Anchor key={href} href={href} size="sm">
              {label}
            </Anchor>
          ))}
          {error !== null && <ErrorNotice error={error} />}
          <FocusableButton variant="default" loading={isPending} onClick={() => askToLeave(submit)}>
            Sign out
          </FocusableButton>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
