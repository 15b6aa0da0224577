import { Alert, Anchor, Badge, Code, Stack, Table, Text } from '@mantine/core';
import { Link } from 'react-router';
import { inLocalTime } from '../components/format.ts';
import type {
  ExplainVerificationQuery,
  VerificationCheckName,
  VerificationCheckOutcome,
} from '../generated/graphql.ts';

interface Props {
  readonly teamId: string;
  readonly explanation: ExplainVerificationQuery['explainVerification'];
}

const names: Readonly<Record<VerificationCheckName, string>> = {
  FORM: 'Form',
  EXISTENCE: 'Existence',
  REVOCATION: 'Revocation',
  ROTATION: 'Rotation',
  ENABLEMENT: 'Enablement',
  EXPIRY: 'Expiry',
  ENVIRONMENT: 'Environment',
  SOURCE: 'Source',
  SCOPES: 'Scopes',
  SIGNATURE: 'Signature',
  RATE_LIMIT: 'Rate limit',
};
const outcomes: Readonly<Record<VerificationCheckOutcome, { readonly label: string; readonly color: string }>> = {
  PASSED: { label: 'passed', color: '#237032' },
  FAILED: { label: 'failed', color: 'red.9' },
  SKIPPED: { label: 'skipped', color: 'gray.7' },
};

export function Explanation({ teamId, explanation: { code, apiKey, checks, signature } }: Props) {
  const good = code === 'VALID';
  return (
    <Alert
      color={good ? 'green' : 'red'}
      title={good ? 'The request is accepted' : 'The request is rejected'}
      role="status"
    >
      <Text size="sm" mb="sm">
        Verdict <Code>{code}</Code>
        {apiKey != null && (
          <>
            {' '}
            for{' '}
            <Anchor
              component={Link}
              to={`/teams/${teamId}/keys/${apiKey.id}`}
              inherit
              underline="always"
              c="var(--mantine-color-text)"
            >
              {apiKey.name}
            </Anchor>
          </>
        )}
      </Text>
      <Table fz="sm" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Check</Table.Th>
            <Table.Th>Outcome</Table.Th>
            <Table.Th>Why</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {checks.map(({ name, outcome, explanation }) => (
            <Table.Tr key={name}>
              <Table.Td>{names[name]}</Table.Td>
              <Table.Td>
                <Badge color={outcomes[outcome].color} variant="filled" tt="none" miw="max-content">
                  {outcomes[outcome].label}
                </Badge>
              </Table.Td>
              <Table.Td className="breakable">{inLocalTime(explanation)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {signature !== null && <SignatureShown {...signature} />}
    </Alert>
  );
}

type Signature = NonNullable<Props['explanation']['signature']>;

/** The signature base is what the server expects to be signed: compare it with the one of the client. */
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
