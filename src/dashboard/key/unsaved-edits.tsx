/** Asks before the user leaves a page on which a form has unsaved edits. */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useId, useState } from 'react';
import { LeaveGuard } from '../components/leave-guard.tsx';

type What = 'edits' | 'secret' | null;

const Report = createContext<(id: string, what: What) => void>(() => undefined);

export function UnsavedEdits({ children }: { readonly children: ReactNode }) {
  const [unsaved, setUnsaved] = useState<ReadonlyMap<string, What>>(new Map());
  const report = useCallback((id: string, what: What) => setUnsaved((before) => new Map(before).set(id, what)), []);
  const kinds = [...unsaved.values()];
  return (
    <Report.Provider value={report}>
      {children}
      {/* A secret that is shown has a guard of its own, and only one can ask. */}
      {kinds.includes('edits') && !kinds.includes('secret') && (
        <LeaveGuard title="Leave without saving?" text="What you changed on this page has not been saved." />
      )}
    </Report.Provider>
  );
}

/** Reports that the component has unsaved edits, or shows a secret. */
export function useUnsaved(what: What): void {
  const report = useContext(Report);
  const id = useId();
  useEffect(() => {
    report(id, what);
    return () => report(id, null);
  }, [report, id, what]);
}
