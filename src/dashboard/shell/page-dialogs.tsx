/** The dialogs that every page can show. Loaded when the first of them opens. */
import { LeaveDialog } from '../components/dialog/leave-dialog.tsx';
import { SessionEndDialog } from '../session/session-end-dialog.tsx';
import { SessionOffer } from '../session/session-offer.tsx';
import type { Viewer } from '../session/viewer.ts';

export function PageDialogs({ viewer }: { readonly viewer: Viewer }) {
  return (
    <>
      <LeaveDialog />
      <SessionOffer present={viewer} />
      <SessionEndDialog viewer={viewer} />
    </>
  );
}
