/** PostgreSQL rejects some texts in JSON. A row with such a text must not stop the writes of all teams. */
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { noSubject } from '../../src/domain/audit-entry.ts';
import { notAttempted } from '../../src/store/rows/deliveries.ts';
import { providers } from '../support/databases.ts';
import { addWebhook } from '../support/deliveries.ts';
import { openStores } from '../support/stores.ts';
import { write } from '../support/write.ts';

/** Half of an emoji, which UTF-8 can't encode, and a null character. Text that only looks like one of them stays. */
const [given, expected] = ['a\ud83d\0b 😀 \\ud83d \\u0000 \\', 'a\ufffd\ufffdb 😀 \\ud83d \\u0000 \\'];

it.each(providers)(
  'on %s, null characters and halves of characters are stored as U+FFFD, also within JSON',
  async (provider) => {
    const { store, stop } = await openStores(provider);
    onTestFinished(stop);
    const teamId = randomUUID();
    const { id: webhookId } = await addWebhook(store, teamId, 'https://example.com/');
    const delivery = {
      webhookId,
      revision: 1n,
      type: 'key.created',
      keyId: noSubject,
      ...notAttempted(new Date()),
    } as const;
    await store.deliveries.insert({ ...delivery, responseBody: given });
    expect(await store.deliveries.list({ webhookId, limit: 1 })).toMatchObject([{ responseBody: expected }]);
    const by = {
      actor: given,
      actorKind: 'SESSION',
      credentialId: null,
      source: null,
      requestId: 'r',
      details: null,
    } as const;
    const changes = [{ field: 'name', before: null, after: given }] as const;
    const entry = { action: 'KEY_UPDATED', keyId: noSubject, teamId, ...by, at: new Date(), changes } as const;
    await write(store, { entries: [entry] });
    expect(await store.auditLog.list({ teamId, limit: 1 })).toMatchObject([
      { actor: expected, changes: [{ after: expected }] },
    ]);
  },
);
