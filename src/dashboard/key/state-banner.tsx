import { Alert, Button, Stack, Text } from '@mantine/core';
import { CodeLink } from '../components/code-link.tsx';
import { ButtonLink } from '../components/links.tsx';
import { Moment } from '../components/moment.tsx';
import { SaveReceipt } from '../fences/save-receipt.tsx';
import type { DeedFragment, KeyState } from '../generated/graphql.ts';
import { renewalDays } from '../key-form/expiry.ts';
import type { PartProps } from './key-change.ts';
import { By, reasonOf } from './origin.tsx';

interface Props extends Pick<PartProps, 'apiKey' | 'ask'> {
  readonly state: KeyState;
  readonly mayManage: boolean;
  readonly cause: DeedFragment | undefined;
}

/** Says why a key does not work, since when and because of whom, and offers the action that ends this. */
export function StateBanner({ apiKey, state, mayManage, cause, ask }: Props) {
  if (apiKey.tripwire && state === 'ACTIVE') return <TripwireNotice />;
  if (state === 'ACTIVE') return null;
  const at = { EXPIRED: apiKey.expiresAt, DISABLED: apiKey.disabledAt, REVOKED: apiKey.revokedAt }[state];
  const reason = reasonOf(cause);
  return (
    <Alert
      role="status"
      variant={state === 'REVOKED' ? 'default' : 'outline'}
      color="yellow"
      title={
        <span className="breakable">
          {state[0]}
          {state.slice(1).toLowerCase()} {at !== null && <Moment at={at} />}
          {state !== 'EXPIRED' && <By deed={cause} />}
        </span>
      }
    >
      <Stack gap="xs" align="flex-start">
        {reason !== null && (
          <Text size="sm" className="breakable">
            Reason: {reason}
          </Text>
        )}
        <Text size="sm" className="breakable">
          {state === 'EXPIRED' && cause !== undefined && (
            <>
              The expiry was set <Moment at={cause.at} />
              <By deed={cause} />.{' '}
            </>
          )}
          Requests with the key get the verdict <CodeLink code={state} />.
          {state === 'REVOKED' && ' A revoked key can’t be changed.'}
          {cause !== undefined && state !== 'EXPIRED' && (
            <>
              {' '}
              <SaveReceipt revision={cause.id} />
            </>
          )}
        </Text>
        {mayManage &&
          (state === 'REVOKED' ? (
            <ButtonLink
              size="xs"
              variant="default"
              to="/teams/$teamId/keys/new"
              params={{ teamId: apiKey.teamId }}
              search={{ from: apiKey.id }}
            >
              Create another one like it
            </ButtonLink>
          ) : (
            <Button
              size="xs"
              {...(apiKey.leak !== null && { variant: 'default' })}
              onClick={() => ask(state === 'DISABLED' ? 'enable' : 'renew')}
            >
              {state === 'DISABLED' ? 'Enable…' : `Renew by ${renewalDays} days…`}
            </Button>
          ))}
      </Stack>
    </Alert>
  );
}

function TripwireNotice() {
  return (
    <Alert role="status" color="blue" title="Tripwire">
      <Text size="sm">
        Nobody uses this key: whoever presents it gets <CodeLink code="NOT_FOUND" />, and the team the event{' '}
        <code>key.tripped</code>.
      </Text>
    </Alert>
  );
}
