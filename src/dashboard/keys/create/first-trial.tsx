import { Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { execute } from '../../api/execute.ts';
import { useSubmit } from '../../api/use-submit.ts';
import { FocusableButton } from '../../components/form/focusable-button.tsx';
import { Actions } from '../../components/form/form.tsx';
import { Explanation } from '../../explain/explanation.tsx';
import {
  DisableKeyDocument,
  EnableKeyDocument,
  ExplainVerificationDocument,
  type FirstStepsQuery,
} from '../../generated/graphql.ts';
import { useMay } from '../../session/viewer.ts';

interface Props {
  readonly teamId: string;
  readonly apiKey: FirstStepsQuery['keys']['nodes'][number];
  readonly onValid: () => void;
}

type Trial = 'as it is' | 'unknown' | 'disabled' | 'enabled';

/** Shows real verdicts: on the newest key, on an unknown one, and on one that stopped working. */
export function FirstTrial({ teamId, apiKey, onValid }: Props) {
  const { id, name, prefix, state } = apiKey;
  const queries = useQueryClient();
  const mayManage = useMay('manage_keys', teamId);
  const isDisabled = state === 'DISABLED';
  const explain = async (prefix: string) =>
    (await execute(ExplainVerificationDocument, { input: { teamId, prefix } })).explainVerification;
  const { data, error, isPending, variables, submit } = useSubmit({
    mutationFn: async (trial: Trial) => {
      if (trial === 'disabled') await execute(DisableKeyDocument, { id, reason: 'First steps' });
      if (trial === 'enabled') await execute(EnableKeyDocument, { id, reason: 'First steps' });
      return await explain(trial === 'unknown' ? unknownLike(prefix) : prefix);
    },
    onSuccess: ({ code }) => {
      if (code === 'VALID') onValid();
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'keys' || queryKey[1] === id });
    },
  });
  const button = (trial: Trial, label: string) => (
    <FocusableButton
      variant={trial === 'as it is' ? 'filled' : 'default'}
      loading={isPending && variables === trial}
      onClick={() => submit(trial)}
    >
      {label}
    </FocusableButton>
  );
  return (
    <Stack gap="sm">
      <Text size="sm">
        Shows the verdict that an API would get for a request with “{name}” now, check by check. A revoked key gets
        REVOKED in the same way, but it can’t be enabled again.
      </Text>
      <Actions error={error}>
        {button('as it is', 'Try the key')}
        {button('unknown', 'Try an unknown key')}
        {mayManage &&
          (state === 'ACTIVE' || isDisabled) &&
          button(isDisabled ? 'enabled' : 'disabled', isDisabled ? 'Enable it, and try' : 'Disable it, and try')}
      </Actions>
      {data !== undefined && !isPending && <Explanation teamId={teamId} explanation={data} />}
    </Stack>
  );
}

/** Returns the prefix of a key that does not exist. */
function unknownLike(prefix: string): string {
  const [start = '', env = '', characters = ''] = prefix.split('_');
  return `${start}_${env}_${[...characters].reverse().join('')}`;
}
