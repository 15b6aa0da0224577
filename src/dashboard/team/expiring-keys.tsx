import { dayMs } from '../../domain/moment.ts';
import { useAtNow } from '../components/clock.ts';
import { formatNumber } from '../components/format.ts';
import { Moment } from '../components/moment.tsx';
import { expiringSoonDays, hasExpired } from '../key-form/expiry.ts';
import { RenewButton } from '../keys/changes/renew-button.tsx';
import type { ListLink } from '../keys/filter/key-query.ts';
import type { Key } from '../keys/list/columns.tsx';
import { useMay } from '../session/viewer.ts';
import { UrgentKeys } from './urgent-keys.tsx';

interface Props {
  readonly teamId: string;
  readonly count: number;
  readonly at: string;
  readonly list: ListLink;
  readonly renew: (key: Key) => void;
}

export function ExpiringKeys({ teamId, count, at, list, renew }: Props) {
  const mayManage = useMay('manage_keys', teamId);
  const expiresBefore = new Date(Date.parse(at) + expiringSoonDays * dayMs).toISOString();
  return (
    <UrgentKeys
      teamId={teamId}
      color="yellow"
      title={`${count === 1 ? 'A key expires' : `${formatNumber(count)} keys expire`} within ${expiringSoonDays} days`}
      text="Requests with an expired key are rejected. Renew the keys that are still needed."
      at={at}
      filter={{ state: ['ACTIVE'], expiresAfter: at, expiresBefore }}
      orderBy={{ field: 'EXPIRES_AT', direction: 'ASC' }}
      list={list}
      listLabel="List all keys that expire soon"
    >
      {(key) => <Expiry apiKey={key} renew={mayManage ? renew : undefined} />}
    </UrgentKeys>
  );
}

interface ExpiryProps {
  readonly apiKey: Key;
  readonly renew: ((key: Key) => void) | undefined;
}

function Expiry({ apiKey, renew }: ExpiryProps) {
  const isOver = useAtNow((now) => hasExpired(apiKey, now));
  return (
    <>
      {apiKey.expiresAt != null && <Moment at={apiKey.expiresAt} />}{' '}
      {renew !== undefined && !isOver && <RenewButton apiKey={apiKey} renew={renew} />}
    </>
  );
}
