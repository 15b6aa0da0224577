/** The pages of this server that describe its APIs. They open in the same tab, which has the session. */
import { fromServer } from './server-values.ts';

export const explorers: readonly { readonly href: string; readonly label: string }[] = [
  ...(fromServer('graphiql') === 'true' ? [{ href: '/graphql', label: 'GraphQL explorer and schema' }] : []),
  { href: '/openapi', label: 'REST and verification reference' },
];
