import { Group, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { ErrorNotice } from '../error-notice.tsx';

interface Props {
  readonly error: unknown;
  readonly notice?: ReactNode;
  readonly justify?: 'flex-end';
  readonly children: ReactNode;
}

/** Buttons that submit something. The error is shown above them, where the user looks who has just pressed one. */
export function Actions({ error, notice, justify, children }: Props) {
  const actions = useRef<HTMLDivElement>(null);
  const hasNotice = Boolean(notice);

  useEffect(() => {
    // Buttons at the lower end of the window would be pushed out of it.
    if (error != null || hasNotice) actions.current?.scrollIntoView({ block: 'nearest' });
  }, [error, hasNotice]);

  return (
    <Stack gap="sm" ref={actions}>
      {notice || (error != null && <ErrorNotice error={error} />)}
      <Group {...(justify === undefined ? {} : { justify })}>{children}</Group>
    </Stack>
  );
}
