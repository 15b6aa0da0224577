/** Parts of the forms that replace a secret or a signing secret. */
import { Alert, NativeSelect } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { UseMutationResult } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error.ts';
import { useIsPast } from '../../components/clock.ts';
import { Moment } from '../../components/moment.tsx';

interface Props {
  readonly what: string;
  readonly value: number;
  readonly change: (seconds: number) => void;
}

export const defaultOverlapSeconds = 86_400;

const overlaps = [
  { value: '0', label: 'No time: it ends at once' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
];

export function OverlapSelect({ what, value, change }: Props) {
  return (
    <>
      <NativeSelect
        label={`Accept the current ${what} for`}
        description="Long enough for every client to change over."
        data={overlaps}
        value={String(value)}
        onChange={({ currentTarget }) => change(Number(currentTarget.value))}
        maw={360}
      />
      {value === 0 && <EndsAtOnce what={what} />}
    </>
  );
}

export function EndsAtOnce({ what }: Pick<Props, 'what'>) {
  return (
    <Alert color="yellow" role="status">
      Clients that use the current {what} are rejected as soon as you rotate.
    </Alert>
  );
}

interface EndsPreviousProps {
  /** The requests that are rejected then. */
  readonly requests: string;
  readonly lastUsedAt?: string | null;
}

/** Warns that a rotation ends what the last one replaced, because a key has at most two secrets of a kind. */
export function EndsPrevious({ requests, lastUsedAt = null }: EndsPreviousProps) {
  return (
    <Alert color="yellow" role="status">
      The overlap of the last rotation has not ended. If you rotate now, {requests} are rejected at once.
      {lastUsedAt !== null && (
        <>
          {' '}
          It was last used <Moment at={lastUsedAt} />.
        </>
      )}
    </Alert>
  );
}

/** Returns until when something replaced is accepted; null once that has passed. */
export function useAcceptedUntil(until: string | null): string | null {
  return useIsPast(until) ? null : until;
}

/** The dialog that confirms a change of secrets. Spread `dialog` into `ConfirmDialog`. */
export function useConfirmation({ error, isPending, reset }: Pick<UseMutationResult, 'error' | 'isPending' | 'reset'>) {
  const [isOpen, { open, close }] = useDisclosure();
  const isChanged = error instanceof ApiError && error.code === 'PRECONDITION_FAILED';
  return {
    ask: () => {
      reset();
      open();
    },
    hide: close,
    /** What the page shows about a change that was not made because another session changed the key. */
    notice: isChanged && (
      <Alert color="yellow" role="alert" title="Changed since you opened it">
        Another session changed this key, and nothing was rotated. The page now shows the key as it is. Look at its
        history, then rotate if it is still needed.
      </Alert>
    ),
    dialog: {
      // Closes after a change by another session, so that the user sees the page behind the dialog.
      opened: isOpen && !isChanged,
      close: () => {
        close();
        reset();
      },
      pending: isPending,
      error,
    },
  };
}
