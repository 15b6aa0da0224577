import { Alert } from '@mantine/core';
import type { PolicyRules } from '../../domain/policy/key-policy.ts';
import type { KeyEnv } from '../generated/graphql.ts';
import { rulesInWords } from './policy-in-words.ts';
import { Sentences } from './sentences.tsx';

interface Props {
  readonly env: KeyEnv;
  readonly rules: PolicyRules | undefined;
  /** Which parts of a key to speak of; absent: all. */
  readonly about?: readonly string[];
}

/** Says what a policy demands of a key before the server would reject it. Nothing without rules. */
export function PolicyNotice({ env, rules, about }: Props) {
  const sentences = rules === undefined ? [] : rulesInWords(rules).filter((one) => about?.includes(one.about) ?? true);
  if (sentences.length === 0) return null;
  return (
    <Alert color="blue" role="status" title={`What the policy demands of a ${env} key`}>
      <Sentences sentences={sentences} />
    </Alert>
  );
}
