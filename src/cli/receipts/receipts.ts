/** `latchkey receipt`: the signed statement about a revocation or a freeze, and its verification without the service. */
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { type ReceiptStatement, receiptKeysPath } from '../../domain/receipt/receipt.ts';
import { verifiedStatement } from '../../domain/receipt/receipt-signature.ts';
import { Failure } from '../failure.ts';
import { openInput } from '../input-file.ts';
import type { JsonOption } from '../options.ts';
import { printMessage, printResult } from '../print.ts';
import { readReceipt } from '../service/operations.ts';
import { execute, readResource } from '../service/service.ts';

const pollMs = 1000;
/** Longer than every verifier needs: it reports once a second, or is silent for longer than a lease. */
const maxWaitMs = 60_000;

export function addReceiptCommands(program: Command): void {
  const receipt = program
    .command('receipt')
    .description('print the receipt of a revocation, rotation or freeze, by the Latchkey-Revision of its answer')
    .argument('<revision>', 'the Latchkey-Revision, or the id of the entry in the audit trail')
    .option('--wait', 'wait until every verifier has confirmed the change, or can accept nothing before it does')
    .option('--json', 'print the signed JSON')
    .action(show);

  receipt
    .command('verify')
    .description('verify the signature of a receipt')
    .argument('<file>', 'the signed JSON; - for standard input')
    .option('--keys <file>', `the keys of ${receiptKeysPath}, to need no service`)
    .option('--json', 'print what is stated, as JSON')
    .action(verify);
}

async function show(revision: string, { wait, json }: JsonOption & { readonly wait?: true }): Promise<void> {
  const deadline = Date.now() + maxWaitMs;
  for (;;) {
    const { receipt } = await execute(readReceipt, { revision });
    const statement = receipt.statement as ReceiptStatement;
    // That the change was answered is recorded a moment later.
    const isWhole = statement.complete && statement.answeredAt !== null;
    if (wait === true && !isWhole && Date.now() < deadline) {
      await pause(pollMs);
      continue;
    }
    printResult(receipt, json, () => described(statement));
    if (wait === true && !statement.complete)
      throw new Failure('INCOMPLETE', 'some verifiers have not confirmed the change');
    return;
  }
}

async function verify(file: string, { keys, json }: JsonOption & { readonly keys?: string }): Promise<void> {
  const receipt = parsed(await text(openInput(file).stream), 'The receipt');
  const known =
    keys === undefined
      ? await readResource(receiptKeysPath, { timeoutMs: 10_000, signal: new AbortController().signal })
      : parsed(await text(openInput(keys).stream), 'The file of keys');
  const statement = verifiedStatement(receipt, known);
  if (statement === null) throw new Failure('NOT_SIGNED', 'none of the keys has signed this receipt');
  // Only this is not signed, so it can say anything.
  const isSame = JSON.stringify(Object(receipt).statement ?? statement) === JSON.stringify(statement);
  if (!isSame) throw new Failure('NOT_SIGNED', 'its `statement` is not what was signed');
  printMessage('The signature is valid.\n');
  printResult(statement, json, (stated) => described(stated as ReceiptStatement));
}

function parsed(content: string, what: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw new Failure('BAD_FILE', `${what} is not JSON.`);
  }
}

function described(statement: ReceiptStatement): string {
  const { action, subject, verifiers, lastUse, complete } = statement;
  const silent = verifiers.filter(({ state }) => state === 'SILENT').length;
  const lines = [
    `${action}: ${[subject.name, subject.prefix, subject.id].filter(Boolean).join(', ')}`,
    `requested       ${statement.requestedAt} by ${statement.requestedBy}`,
    `answered        ${statement.answeredAt ?? 'not recorded'}`,
    `in force since  ${statement.inForceSince}`,
    `verifiers       ${verifiers.length - silent} confirmed, ${silent} silent`,
    `complete        ${complete ? 'yes' : 'no'}`,
  ];
  const { acceptedAt, reportedUntil } = lastUse ?? {};
  if (lastUse !== null)
    lines.push(`last accepted   ${acceptedAt ?? 'never'}; reported until ${reportedUntil ?? 'no report'}`);
  return lines.join('\n');
}
