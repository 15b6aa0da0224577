import { useLocalStorage } from '@mantine/hooks';

/** The browser remembers for each team which steps were made, without anything about its keys. */
type Progress = 'unseen' | 'open' | 'tried' | 'dismissed';

/** The first steps of a team: shown from the first visit to its empty list until they are dismissed. */
export function useFirstSteps(teamId: string) {
  const [progress, setProgress] = useLocalStorage<Progress>({
    key: `latchkey-first-steps:${teamId}`,
    defaultValue: 'unseen',
    getInitialValueInEffect: false,
  });
  const isShown = progress === 'open' || progress === 'tried';
  return {
    isShown,
    isTried: progress === 'tried',
    isDismissed: progress === 'dismissed',
    open: () => setProgress('open'),
    dismiss: () => setProgress('dismissed'),
    /** Called when a key was tried, here or on the page “Try a key”. */
    markTried: () => {
      if (isShown) setProgress('tried');
    },
  };
}
