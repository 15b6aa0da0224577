/** Replaces the secret or the signing secret of a key. The previous one is accepted until the chosen overlap ends. */
import { Alert, NativeSelect, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ComponentProps, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { execute } from '../../api/execute.ts';
import { useAtNow, useIsPast } from '../../components/clock.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Form } from '../../components/form/form.tsx';
import { Moment } from '../../components/moment.tsx';
import { Section } from '../../components/section.tsx';
import { OneKeyDocument, RotateKeyDocument, RotateSigningSecretDocument } from '../../generated/graphql.ts';
import { CodeExamples, SigningExamples } from '../../secrets/code-examples.tsx';
import { overlaps } from '../../secrets/overlaps.ts';
import { IssuingGuard, SecretOnce } from '../../secrets/secret-once.tsx';
import { type PartProps, useKeyChange } from '../key-change.ts';

const kinds = {
  key: {
    what: 'secret',
    label: 'Rotate',
    text: 'The key keeps its id, settings and history. Clients get the new secret from you; until the overlap ends, both secrets are accepted.',
    doneLabel: 'Watch the previous secret',
  },
  signing: {
    what: 'signing secret',
    label: 'Rotate signing secret',
    text: 'Until the overlap ends, signatures made with the current one are accepted too.',
    doneLabel: 'Done',
  },
} as const;

interface Props extends Pick<PartProps, 'apiKey' | 'editable'> {
  readonly kind: keyof typeof kinds;
  /** The end of the overlap of the last rotation. */
  readonly previousExpiresAt: string | null;
  /** When the secret that the last rotation replaced was last used, if that is known. */
  readonly previousUsedAt?: string | null;
}

export function Replacement({ editable, ...props }: Props) {
  const { apiKey, kind } = props;
  const change = useReplacement(apiKey.id, kind);
  return (
    <>
      <IssuedSecret apiKey={apiKey} kind={kind} doneLabel={kinds[kind].doneLabel} {...change} />
      {change.data === undefined && editable && <ReplacementForm {...props} change={change} />}
    </>
  );
}

interface IssuedProps extends Pick<Props, 'apiKey' | 'kind'> {
  readonly isPending: boolean;
  readonly data: { readonly secret: string } | undefined;
  readonly reset: () => void;
  readonly doneLabel: string;
  readonly other?: ComponentProps<typeof SecretOnce>['other'];
}

/** Shows the secret of a response until the user has stored it, and warns a user who leaves before. */
export function IssuedSecret({ apiKey, kind, isPending, data, reset, doneLabel, other }: IssuedProps) {
  const { id, name, prefix } = apiKey;
  const isKey = kind === 'key';
  if (isPending) return <IssuingGuard />;
  if (data === undefined) return null;
  return (
    <SecretOnce
      // `key` resets the component for each secret, so that it warns again.
      key={data.secret}
      title={`The new ${kinds[kind].what} of “${name}”`}
      kind={kind}
      secret={data.secret}
      fileName={isKey ? `${prefix}.txt` : `${prefix}-signing.txt`}
      done={reset}
      doneLabel={doneLabel}
      other={other}
    >
      {isKey ? <CodeExamples apiKey={apiKey} /> : <SigningExamples keyId={id} />}
    </SecretOnce>
  );
}

interface Request {
  readonly overlapSeconds: number;
  /** The revision that the user saw. Otherwise a second user who rotates would end the first user's new secret. */
  readonly revision: string;
}

function useReplacement(id: string, kind: Props['kind']) {
  return useKeyChange(async ({ overlapSeconds, revision }: Request) => {
    if (kind === 'key')
      return (await execute(RotateKeyDocument, { id, overlapSeconds, ifRevision: [revision] })).rotateKey;
    // The mutation has no `ifRevision`, and could replace another user's new secret.
    if ((await execute(OneKeyDocument, { id })).key.revision !== revision)
      throw new ApiError('PRECONDITION_FAILED', 'Another session changed this key.', null);
    const { rotateSigningSecret } = await execute(RotateSigningSecretDocument, { id, overlapSeconds });
    return { apiKey: rotateSigningSecret.apiKey, secret: rotateSigningSecret.signingSecret };
  });
}

const withoutOverlap =
  'The key keeps its id, settings and history. A disabled key gets no overlap, and stays disabled until you enable it.';

interface FormProps extends Omit<Props, 'editable'> {
  readonly change: ReturnType<typeof useReplacement>;
}

function ReplacementForm({ apiKey, kind, previousExpiresAt, previousUsedAt = null, change }: FormProps) {
  const { revision, previousPrefix, disabledAt, expiresAt } = apiKey;
  const { what, label, text } = kinds[kind];
  // A disabled key gets no overlap.
  const isDisabled = kind === 'key' && disabledAt !== null;
  const [chosen, setRequest] = useState<Request>({ revision, overlapSeconds: 86_400 });
  const request = isDisabled ? { ...chosen, overlapSeconds: 0 } : chosen;
  const [asks, { open, close }] = useDisclosure();
  const { submit, error, isPending, reset } = change;
  const isOver = useIsPast(previousExpiresAt);
  const endsPrevious = previousExpiresAt !== null && !isOver;
  const endsAtOnce = request.overlapSeconds === 0;
  const endsWithKey = useAtNow(
    (now) => !endsAtOnce && expiresAt !== null && Date.parse(expiresAt) < now + 1000 * request.overlapSeconds,
  );
  const needsConfirmation = endsPrevious || endsAtOnce;
  // The page shows this error, not the dialog, which hides the key as it is now.
  const isChanged = isOfOtherRevision(error);
  const start = () => {
    const current = { ...request, revision };
    setRequest(current);
    if (!needsConfirmation) return submit(current);
    reset();
    open();
  };
  return (
    <Section title={`Replace the ${what}`}>
      <Text size="sm">{isDisabled ? withoutOverlap : text}</Text>
      <Form
        submit={start}
        error={asks || isChanged ? null : error}
        notice={isChanged && <ChangedMeanwhile />}
        isPending={isPending}
        submitLabel={needsConfirmation ? `${label}…` : label}
      >
        <NativeSelect
          disabled={isDisabled}
          label={`Accept the current ${what} for`}
          description="Long enough for every client to change over."
          data={overlaps}
          value={String(request.overlapSeconds)}
          onChange={({ currentTarget }) => setRequest({ ...request, overlapSeconds: Number(currentTarget.value) })}
          maw={360}
        />
        {endsWithKey && expiresAt !== null && (
          <Text size="sm" role="status">
            The overlap ends when the key expires, <Moment at={expiresAt} />.
          </Text>
        )}
      </Form>
      <ConfirmDialog
        opened={asks}
        close={close}
        title={endsAtOnce ? 'Rotate without an overlap?' : 'Rotate during the overlap?'}
        confirm={() => submit(request, { onError: (error) => isOfOtherRevision(error) && close() })}
        confirmLabel={endsAtOnce ? 'Rotate without an overlap' : 'Rotate anyway'}
        color="red"
        pending={isPending}
        error={isChanged ? null : error}
      >
        {endsAtOnce && <Text>Clients that use the current {what} are rejected as soon as you rotate.</Text>}
        {endsPrevious && (
          <Text>
            The overlap of the last rotation has not ended. If you rotate now, the previous {what}
            {kind === 'key' && ` ${previousPrefix}`} is rejected at once.
            {previousUsedAt !== null && (
              <>
                {' '}
                It was last used <Moment at={previousUsedAt} />.
              </>
            )}
          </Text>
        )}
      </ConfirmDialog>
    </Section>
  );
}

function isOfOtherRevision(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'PRECONDITION_FAILED';
}

function ChangedMeanwhile() {
  return (
    <Alert color="yellow" role="alert" title="Changed since you opened it">
      Another session changed this key, and nothing was rotated. The page now shows the key as it is. Look at its
      history, then rotate if it is still needed.
    </Alert>
  );
}
