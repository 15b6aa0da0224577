import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { limits } from '../../domain/limits.ts';
import { execute } from '../api/execute.ts';
import { useSubmit } from '../api/use-submit.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { DataTable } from '../components/data-table.tsx';
import { ButtonLink, TextLink } from '../components/links.tsx';
import { QueryView } from '../components/query-view.tsx';
import { Section } from '../components/section.tsx';
import { toast } from '../components/toast.ts';
import { DeleteTrustRuleDocument } from '../generated/graphql.ts';
import { permissionsIn, reloadAccess, type TrustRule, trustRulesOf } from './access.ts';
import { linesOfClaims } from './claims.ts';
import { LastUse } from './management-keys.tsx';

interface Props {
  readonly teamId: string;
}

export function TrustRules({ teamId }: Props) {
  const query = useQuery(trustRulesOf(teamId));
  const [asked, setAsked] = useState<TrustRule | null>(null);
  return (
    <Section title="Trust rules">
      <QueryView query={query}>
        {(rules) =>
          rules.length === 0 ? (
            <Text size="sm" role="status">
              This team has no trust rules yet. With one, jobs of CI manage keys with the tokens that their platform
              gives them, so that no secret is stored there. A team can have {limits.trustRules}.
            </Text>
          ) : (
            <DataTable
              label="Trust rules"
              rows={rules}
              idOf={({ id }) => id}
              columns={[
                { name: 'Name', cell: (rule) => <Name rule={rule} /> },
                { name: 'Tokens', cell: (rule) => <Tokens rule={rule} /> },
                { name: 'Permissions', cell: ({ permissions }) => permissionsIn(permissions) },
                { name: 'Last used', cell: ({ lastUsedAt }) => <LastUse at={lastUsedAt} /> },
                { name: 'Actions', cell: (rule) => <Actions teamId={teamId} rule={rule} ask={() => setAsked(rule)} /> },
              ]}
            />
          )
        }
      </QueryView>
      <Group>
        <ButtonLink to="/teams/$teamId/access/rules/new" params={{ teamId }}>
          Create a trust rule
        </ButtonLink>
      </Group>
      <DeleteDialog rule={asked} close={() => setAsked(null)} />
    </Section>
  );
}

function Name({ rule: { name, createdBy } }: { readonly rule: TrustRule }) {
  return (
    <>
      <span className="breakable">{name}</span>
      <Text size="xs" c="dimmed" className="breakable">
        by {createdBy}
      </Text>
    </>
  );
}

/** Which tokens a rule accepts. */
function Tokens({ rule: { issuer, audience, claims, once } }: { readonly rule: TrustRule }) {
  return (
    <>
      <span className="breakable">{issuer}</span>
      <Text size="xs" c="dimmed" className="breakable">
        audience {audience}
        {once && ', each token once'}
      </Text>
      {linesOfClaims(claims).map((line) => (
        <Text key={line} size="xs" c="dimmed" className="breakable">
          {line}
        </Text>
      ))}
    </>
  );
}

function Actions({ teamId, rule, ask }: Props & { readonly rule: TrustRule; readonly ask: () => void }) {
  return (
    <Group gap="xs">
      <TextLink to="/teams/$teamId/audit" params={{ teamId }} search={{ actor: rule.id }}>
        Changes
      </TextLink>
      <Button size="xs" variant="default" aria-label={`Delete ${rule.name}…`} onClick={ask}>
        Delete…
      </Button>
    </Group>
  );
}

/** @param rule the rule to delete; null while the dialog is closed */
function DeleteDialog({ rule, close }: { readonly rule: TrustRule | null; readonly close: () => void }) {
  const { submit, isPending, error, reset } = useSubmit({
    mutationFn: async ({ id }: TrustRule) => await execute(DeleteTrustRuleDocument, { id }),
    onSuccess: async (_, { name }) => {
      toast(`“${name}” is deleted.`);
      close();
      await reloadAccess();
    },
  });
  return (
    <ConfirmDialog
      opened={rule !== null}
      close={() => {
        close();
        reset();
      }}
      title="Delete this trust rule?"
      confirm={() => rule !== null && submit(rule)}
      confirmLabel="Delete permanently"
      color="red"
      pending={isPending}
      error={error}
    >
      <Text size="sm" className="breakable">
        Jobs that use “{rule?.name}” are rejected at once, also with tokens that they have already. What they made
        stays.
      </Text>
    </ConfirmDialog>
  );
}
