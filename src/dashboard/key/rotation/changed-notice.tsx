import { Alert } from '@mantine/core';
import { ApiError } from '../../api/api-error.ts';

/** Whether nothing was rotated, because the key is not as the user saw it. */
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
