import { LeaveGuard } from '../components/leave-guard.tsx';

/** Asks before the user leaves while a secret is being issued: it would exist, but the user would not see it. */
export function IssuingGuard() {
  return (
    <LeaveGuard
      title="Leave while a secret is being issued?"
      text="The server may issue it nevertheless, and it would not be shown."
    />
  );
}
