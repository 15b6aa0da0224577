/** The peer of a page over GraphQL that does the same work (same-work.ts): Apollo Server, as its documentation starts it. */
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { authenticate, authorize, countOf, pageOf, type Session } from './same-work.ts';

const [port = ''] = process.argv.slice(2);

const typeDefs = `
  scalar UUID
  type Query { keys(teamId: UUID!, first: Int! = 50, after: String): Connection! }
  type Connection { totalCount: Int!, nodes: [Key!]!, pageInfo: PageInfo! }
  type PageInfo { hasNextPage: Boolean!, endCursor: String }
  type Key { id: ID!, name: String!, env: String!, prefix: String!, lastUsedAt: String, createdAt: String! }
`;
interface PageArguments {
  readonly teamId: string;
  readonly first: number;
  readonly after?: string | null;
}
const resolvers = {
  Query: {
    keys: async (_: unknown, { teamId, first, after = null }: PageArguments, session: Session) => {
      authorize(session, teamId);
      return { ...(await pageOf(teamId, first, after)), totalCount: () => countOf(teamId) };
    },
  },
};

const server = new ApolloServer<Session>({ typeDefs, resolvers });
await startStandaloneServer(server, {
  listen: { port: Number(port), host: '127.0.0.1' },
  context: ({ req }) => authenticate(req.headers.authorization),
});
console.log('ready');
