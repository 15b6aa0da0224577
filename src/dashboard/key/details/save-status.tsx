import { Text } from '@mantine/core';
import { LeaveGuard } from '../../components/leave-guard.tsx';

export function SavedStatus({ isSaved }: { readonly isSaved: boolean }) {
  if (!isSaved) return null;
  return (
    <Text size="sm" role="status">
      Saved
    </Text>
  );
}

/** Mounted while a form has unsaved edits. */
export function UnsavedGuard() {
  return <LeaveGuard title="Leave without saving?" text="What you changed on this page has not been saved." />;
}
