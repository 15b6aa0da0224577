/** A floor of `npm run load -- bench reads`: Apollo Server as its documentation starts it, with Prisma, without authentication. */
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { keysOf, openReader, pageOf } from './plain-prisma.ts';

const [port = '', file = ''] = process.argv.slice(2);
const reader = await openReader(file);

const typeDefs = `
  type Query { keys(teamId: ID!, first: Int!): Connection! }
  type Connection { totalCount: Int!, nodes: [Key!]!, pageInfo: PageInfo! }
  type PageInfo { hasNextPage: Boolean!, endCursor: String }
  type Key { id: ID!, name: String!, env: String!, prefix: String!, lastUsedAt: String, createdAt: String! }
`;
const resolvers = {
  Query: {
    keys: async (_: unknown, { teamId, first }: { readonly teamId: string; readonly first: number }) => {
      const [keys, totalCount] = await Promise.all([
        pageOf(reader, teamId, first + 1),
        reader.apiKey.count({ where: keysOf(teamId) }),
      ]);
      const nodes = keys.slice(0, first);
      return { totalCount, nodes, pageInfo: { hasNextPage: keys.length > first, endCursor: nodes.at(-1)?.id } };
    },
  },
};

const server = new ApolloServer({ typeDefs, resolvers });
await startStandaloneServer(server, { listen: { port: Number(port), host: '127.0.0.1' } });
console.log('ready');
