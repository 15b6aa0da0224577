import { Code, Paper, Stack, Text } from '@mantine/core';
import { CodeLink } from '../components/code-link.tsx';
import { DataTable } from '../components/data-table.tsx';
import { inLocalTime } from '../components/format.ts';
import { TextLink } from '../components/links.tsx';
import type {
  ExplainVerificationQuery,
  VerificationCheckName,
  VerificationCheckOutcome,
} from '../generated/graphql.ts';

interface Props {
  readonly teamId: string;
  readonly explanation: ExplainVerificationQuery['explainVerification'];
}

/** Only a failed check needs attention. */
const colors: Readonly<Record<VerificationCheckOutcome, string>> = {
  PASSED: 'var(--mantine-color-text)',
  FAILED: 'var(--mantine-color-error)',
  SKIPPED: 'dimmed',
};

export function Explanation({ teamId, explanation: { code, apiKey, checks, signature } }: Props) {
  const isValid = code === 'VALID';
  return (
    <Paper withBorder p="md" role="status" bg="var(--mantine-color-body)">
      <Text fw={700} {...(isValid ? {} : { c: colors.FAILED })}>
        {isValid ? '✓ The request is accepted' : '✗ The request is rejected'}
      </Text>
      <Text size="sm" mb="sm">
        Verdict <CodeLink code={code} />
        {apiKey != null && (
          <>
            {' '}
            for{' '}
            <TextLink
              to="/teams/$teamId/keys/$keyId"
              params={{ teamId, keyId: apiKey.id }}
              c="var(--mantine-color-text)"
              className="breakable"
            >
              {apiKey.name}
            </TextLink>
          </>
        )}
      </Text>
      <DataTable
        label="Checks"
        rows={checks}
        idOf={({ name }) => name}
        columns={[
          { name: 'Check', cell: ({ name }) => labelOf(name) },
          {
            name: 'Outcome',
            cell: ({ outcome }) => (
              <Text size="sm" c={colors[outcome]} fw={outcome === 'FAILED' ? 700 : 400}>
                {outcome.toLowerCase()}
              </Text>
            ),
          },
          { name: 'Why', cell: ({ explanation }) => <span className="breakable">{inLocalTime(explanation)}</span> },
        ]}
      />
      {signature !== null && <SignatureShown {...signature} />}
    </Paper>
  );
}

function labelOf(name: VerificationCheckName): string {
  return name.charAt(0) + name.slice(1).toLowerCase().replaceAll('_', ' ');
}

type Signature = NonNullable<Props['explanation']['signature']>;

function SignatureShown({ failedCheck, reason, signatureBase }: Signature) {
  return (
    <Stack gap="xs" mt="sm">
      <Text size="sm">
        {failedCheck === null ? (
          'The signature is valid.'
        ) : (
          <>
            The signature check <Code>{failedCheck}</Code> failed. {reason}
          </>
        )}
      </Text>
      {signatureBase !== null && (
        <>
          <Text size="sm">The signature base that the server computes:</Text>
          <Code block className="breakable" tabIndex={0}>
            {signatureBase}
          </Code>
        </>
      )}
    </Stack>
  );
}
