/** What the largest accepted GraphQL documents cost, each alone: CPU time of the whole service and bytes of the answer. */

import { progress } from '../../harness/print.ts';
import type { Server } from '../../harness/server.ts';
import {
  type ExpensiveTeams,
  expensiveDocuments,
  fillExpensiveTeams,
  type GraphQLDocument,
} from '../../support/expensive-documents.ts';
import { cpuSeconds } from '../../support/processes.ts';
import type { Row } from './attack.ts';

const repeats = 10;
const bounds = { cpuMs: 100, bytes: 1_000_000 };

interface DocumentCost {
  readonly document: GraphQLDocument;
  readonly cpuMs: number;
  readonly bytes: number;
}

/** Teams in which documents are expensive: one has 10,000 keys, the other long allow-lists. */
export async function fillTeams(server: Server, token: string, full: string, long: string): Promise<ExpensiveTeams> {
  const run = async (document: Omit<GraphQLDocument, 'name'>) => {
    const { data, errors } = JSON.parse((await send(server, token, document)).text);
    if (errors !== undefined) throw new Error(`the teams can't be filled: ${JSON.stringify(errors)}`);
    return data;
  };
  return await fillExpensiveTeams(run, full, long);
}

/** Returns the costs of the documents, the most expensive one first. */
export async function documentCosts(server: Server, token: string, teams: ExpensiveTeams): Promise<DocumentCost[]> {
  const costs: DocumentCost[] = [];
  for (const document of expensiveDocuments(teams)) {
    progress(`the cost of ${document.name}`);
    const { text } = await send(server, token, document);
    if (!text.startsWith('{"errors"')) costs.push(await costOf(server, token, document));
  }
  return costs.toSorted((a, b) => b.cpuMs - a.cpuMs);
}

async function costOf(server: Server, token: string, document: GraphQLDocument): Promise<DocumentCost> {
  let bytes = 0;
  const before = cpuSeconds(...server.pids);
  for (let i = 0; i < repeats; i += 1) bytes = (await send(server, token, document)).bytes;
  return { document, cpuMs: ((cpuSeconds(...server.pids) - before) * 1000) / repeats, bytes };
}

async function send({ url }: Server, token: string, { query, variables }: Omit<GraphQLDocument, 'name'>) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status >= 500) throw new Error(`a document was answered with ${response.status}`);
  return { text: bytes.toString(), bytes: bytes.length };
}

export function costRow({ document, cpuMs, bytes }: DocumentCost): Row {
  return {
    victim: document.name,
    found: `${cpuMs.toFixed(0)} ms of CPU, ${(bytes / 1000).toFixed(0)} kB`,
    bound: `${bounds.cpuMs} ms, ${bounds.bytes / 1000} kB`,
    violations: [
      ...(cpuMs > bounds.cpuMs ? [`${cpuMs.toFixed(0)} ms of CPU`] : []),
      ...(bytes > bounds.bytes ? [`an answer of ${bytes} bytes`] : []),
    ],
  };
}
