import { Alert, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { PolicyRules } from '../../domain/policy/key-policy.ts';
import { TextLink } from '../components/links.tsx';
import { Page } from '../components/page.tsx';
import { QueryView } from '../components/query-view.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { Section } from '../components/section.tsx';
import { linkToList } from '../keys/filter/key-query.ts';
import { useMay } from '../session/viewer.ts';
import { policiesOf } from './policy.ts';
import type { KeyPolicy } from './policy-draft.ts';
import { PolicyForm } from './policy-form.tsx';
import { defaultsInWords, rulesInWords } from './policy-in-words.ts';
import { Sentences } from './sentences.tsx';

export function PolicyPage() {
  const { teamId } = useParams({ from: '/teams/$teamId/policy' });
  return (
    <RequirePermission permission="view_team" teamId={teamId}>
      <Page title="Policy">
        <Text size="sm">
          What the team demands of its keys when they are created or changed. A running key is never broken by a new
          rule: keys that violate it keep working until the moment that you choose, if you do.
        </Text>
        <Policies key={teamId} teamId={teamId} />
      </Page>
    </RequirePermission>
  );
}

function Policies({ teamId }: { readonly teamId: string }) {
  const query = useQuery(policiesOf(teamId));
  const mayManage = useMay('manage_policy', teamId);
  return (
    <QueryView query={query}>
      {({ keyPolicies, policyBounds }) => (
        <>
          <Bounds rules={policyBounds} />
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            {keyPolicies.map((policy) => (
              <Section key={policy.env} title={`Keys for ${policy.env}`}>
                <Text size="sm">
                  <TextLink {...linkToList(teamId, { env: policy.env, policy: 'violated' })}>
                    Keys for {policy.env} that violate the policy
                  </TextLink>
                </Text>
                {/* Keyed, so that the form shows what another session has set. */}
                {mayManage ? <PolicyForm key={policy.changedAt} policy={policy} /> : <Shown policy={policy} />}
              </Section>
            ))}
          </SimpleGrid>
        </>
      )}
    </QueryView>
  );
}

/** What the operator demands, within which the team chooses. */
function Bounds({ rules }: { readonly rules: PolicyRules }) {
  const sentences = rulesInWords(rules);
  if (sentences.length === 0) return null;
  return (
    <Alert color="blue" role="status" title="What the operator demands of every key">
      <Sentences sentences={sentences} />
    </Alert>
  );
}

function Shown({ policy: { effective, defaults } }: { readonly policy: KeyPolicy }) {
  const demanded = rulesInWords(effective);
  const given = defaultsInWords(defaults);
  return (
    <>
      {demanded.length === 0 ? <Text size="sm">Nothing is demanded.</Text> : <Sentences sentences={demanded} />}
      {given.length > 0 && (
        <>
          <Text size="sm">A new key gets, where its creator chooses nothing else:</Text>
          <Sentences sentences={given} />
        </>
      )}
    </>
  );
}
