/** The sections of the documents at `/docs` that pages link to. test/http/docs-pages.test.ts compares them. */
export const docs = {
  start: 'reference/dashboard',
  keys: 'reference/dashboard#keys',
  newKey: 'reference/dashboard#a-new-key',
  key: 'reference/dashboard#a-key',
  settings: 'reference/dashboard#settings-of-a-key',
  rotation: 'reference/dashboard#rotation',
  history: 'reference/dashboard#history',
  overview: 'reference/dashboard#overview',
  tryAKey: 'reference/dashboard#try-a-key',
  audit: 'reference/dashboard#audit-trail',
  addresses: 'reference/dashboard#what-an-address-touched',
  webhooks: 'reference/dashboard#webhooks',
  webhook: 'reference/dashboard#a-webhook',
  access: 'reference/dashboard#access',
  policy: 'reference/dashboard#policy',
  members: 'reference/dashboard#members',
  freeze: 'reference/dashboard#freeze',
  import: 'reference/dashboard#import',
  receivers: 'tasks/webhooks#mail-and-slack',
  eventForms: 'reference/event-forms',
  graphql: 'reference/graphql',
  sessionTokens: 'reference/configuration#session-tokens',
} as const;

export type DocsSection = keyof typeof docs;
