/** Shows a secret that can't be shown again. The user must copy or save it before continuing. */
import { Button, Checkbox, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { LeaveGuard } from '../components/dialog/leave-guard.tsx';
import { saveFile } from '../components/save-file.ts';
import { useFirstFocus } from '../components/use-first-focus.ts';
import './secret-once.css';

interface Props {
  readonly title: string;
  readonly secret: string;
  /** The service stores only a digest of a key's secret. It stores the other secrets encrypted, because it uses them. */
  readonly kind: keyof typeof explanations;
  readonly fileName: string;
  /** What can be done with the secret, such as examples. */
  readonly children?: ReactNode;
  readonly done: () => void;
  readonly doneLabel: string;
  /** A second way to go on. */
  readonly other?: { readonly label: string; readonly act: () => void } | undefined;
}

const explanations = {
  key: 'It is shown only once. The service keeps only a digest of it, from which it can’t be computed.',
  signing: 'It is shown only once. The service keeps it encrypted, to verify signatures, and never shows it again.',
  webhook: 'It is shown only once. The service keeps it encrypted, to sign requests, and never shows it again.',
};

export function SecretOnce({ title, secret, kind, fileName, children, done, doneLabel, other }: Props) {
  const [kept, setKept] = useState(false);
  const id = useId();
  const titleShown = useFirstFocus<HTMLHeadingElement>();
  return (
    <Paper component="section" withBorder p="lg" aria-labelledby={id}>
      <Stack>
        <div>
          <Title order={2} size="h3" id={id} ref={titleShown} tabIndex={-1} className="announced breakable">
            {title}
          </Title>
          <Text size="sm">{explanations[kind]}</Text>
        </div>
        <SecretField secret={secret} fileName={fileName} setKept={setKept} />
        <Checkbox
          label="I have stored it"
          description="Copying or downloading it checks this box."
          checked={kept}
          onChange={({ currentTarget }) => setKept(currentTarget.checked)}
        />
        <Group>
          <Button disabled={!kept} onClick={done}>
            {doneLabel}
          </Button>
          {other !== undefined && (
            <Button variant="default" disabled={!kept} onClick={other.act}>
              {other.label}
            </Button>
          )}
        </Group>
        {children}
      </Stack>
      {!kept && (
        <LeaveGuard title="Leave without the secret?" text="It has not been copied, and it can’t be shown again." />
      )}
    </Paper>
  );
}

interface FieldProps {
  readonly secret: string;
  readonly fileName: string;
  readonly setKept: (kept: boolean) => void;
}

function SecretField({ secret, fileName, setKept }: FieldProps) {
  const clipboard = useClipboard({ timeout: 3000 });
  useEffect(() => {
    if (clipboard.copied) setKept(true);
  }, [clipboard.copied, setKept]);
  const download = () => {
    saveFile({ name: fileName, type: 'text/plain', text: `${secret}\n` });
    setKept(true);
  };
  return (
    <div>
      <div className="secret">
        <Code className="breakable" data-testid="secret">
          {secret}
        </Code>
        <Group gap="xs" wrap="nowrap">
          <Button size="xs" onClick={() => clipboard.copy(secret)}>
            {clipboard.copied ? 'Copied' : 'Copy'}
          </Button>
          <Button size="xs" variant="default" onClick={download}>
            Download
          </Button>
        </Group>
      </div>
      {clipboard.error !== null && (
        // Browsers have no clipboard API for pages that were loaded over plain HTTP from another machine.
        <Text size="sm" c="red" role="alert" mt={4}>
          This browser does not allow the page to copy. Select the secret and copy it, or download it.
        </Text>
      )}
    </div>
  );
}

/** Warns a user who leaves while a secret is being issued, because the secret would never be shown. */
export function IssuingGuard() {
  return (
    <LeaveGuard
      title="Leave while a secret is being issued?"
      text="The server may issue it nevertheless, and it would not be shown."
    />
  );
}
