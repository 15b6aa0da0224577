/** Parts of the forms that replace a secret or a signing secret. */
import { Alert, NativeSelect } from '@mantine/core';
import { ApiError } from '../../api/api-error.ts';

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

/** Returns whether a rotation was rejected because another session had changed the key. */
export function isChanged(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'PRECONDITION_FAILED';
}

export function ChangedNotice() {
  return (
    <Alert color="yellow" role="alert" title="Changed since you opened it">
      Another session changed this key, and nothing was rotated. The page now shows the key as it is. Look at its
      history, then rotate if it is still needed.
    </Alert>
  );
}
