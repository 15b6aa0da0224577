import { TextLink } from '../../components/links.tsx';

interface Props {
  readonly teamId: string;
  /** The action of an audit entry, or the type of an event. */
  readonly action: string;
  /** Of the key or webhook. */
  readonly id: string;
  readonly name?: string | null | undefined;
}

/** Links to what an entry or an event is about: a key, a webhook, or nothing if it is about the team. */
export function Subject({ teamId, action, id, name }: Props) {
  if (/^leak/i.test(action)) return 'the team';
  if (/^access[._]key/i.test(action)) {
    return (
      <TextLink to="/teams/$teamId/access/keys/$managementKeyId" params={{ teamId, managementKeyId: id }}>
        {`management key ${id.slice(0, 8)}…`}
      </TextLink>
    );
  }
  if (/^access[._]rule/i.test(action)) return `trust rule ${id.slice(0, 8)}…`;
  if (/^(?:webhook|events)/i.test(action)) {
    return (
      <TextLink to="/teams/$teamId/webhooks/$webhookId" params={{ teamId, webhookId: id }} title={name ?? id}>
        {name ?? `webhook ${id.slice(0, 8)}…`}
      </TextLink>
    );
  }
  return (
    <TextLink to="/teams/$teamId/keys/$keyId" params={{ teamId, keyId: id }} title={name ?? id}>
      {name ?? `key ${id.slice(0, 8)}…`}
    </TextLink>
  );
}
