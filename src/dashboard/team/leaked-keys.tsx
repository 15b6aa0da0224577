import { formatNumber } from '../components/format.ts';
import { Moment } from '../components/moment.tsx';
import type { ListLink } from '../keys/filter/key-query.ts';
import { UrgentKeys } from './urgent-keys.tsx';

interface Props {
  readonly teamId: string;
  readonly count: number;
  readonly at: string;
  readonly list: ListLink;
}

export function LeakedKeys({ teamId, count, at, list }: Props) {
  return (
    <UrgentKeys
      teamId={teamId}
      color="red"
      title={count === 1 ? 'A key has leaked' : `${formatNumber(count)} keys have leaked`}
      text="Whoever has found a leaked secret can use it, unless its key is disabled. Issue new secrets."
      at={at}
      filter={{ leaked: true }}
      list={list}
      listLabel="List all leaked keys"
    >
      {({ leak, state }) =>
        leak !== null && (
          <>
            reported <Moment at={leak.reportedAt} />
            {state === 'DISABLED' && ', disabled'}
          </>
        )
      }
    </UrgentKeys>
  );
}
