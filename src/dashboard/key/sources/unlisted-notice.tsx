import { Alert } from '@mantine/core';
import { Moment } from '../../components/moment.tsx';
import type { ObservedSourcesQuery } from '../../generated/graphql.ts';

export type Unlisted = ObservedSourcesQuery['unlistedSources'];

interface Props {
  readonly unlisted: Unlisted;
  /** What the user should do or expect. */
  readonly children: string;
}

/** Says that the list of sources is full, so not complete. */
export function UnlistedNotice({ unlisted, children }: Props) {
  const latest = unlisted
    .map(({ lastAt }) => lastAt)
    .sort()
    .at(-1);
  if (latest === undefined) return null;
  return (
    <Alert color="yellow" role="status" title="The list of recent sources is full">
      The key was used from more addresses than are listed. An address that is not listed was last seen{' '}
      <Moment at={latest} />. {children}
    </Alert>
  );
}
