import { LeaveGuard } from '../../components/leave-guard.tsx';

/** Mounted while a form has unsaved edits. */
export function UnsavedGuard() {
  return <LeaveGuard title="Leave without saving?" text="What you changed on this page has not been saved." />;
}
