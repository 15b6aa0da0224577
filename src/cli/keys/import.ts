/** `latchkey keys import`: imports keys of another system by their digests. */
import { appendFileSync, closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { keyEnvs } from '../../domain/key/key-env.ts';
import { escapeLine } from '../../domain/text.ts';
import {
  batchesOf,
  type ImportedKey,
  type ImportReportEntry,
  importBatch,
  Rejections,
} from '../../key-file/import-batches.ts';
import { fileProblem } from '../../lib/file-problem.ts';
import { Failure } from '../failure.ts';
import { openInput } from '../input-file.ts';
import { teamOf } from '../login/team.ts';
import { addTeamOption, type JsonOption, type TeamOption } from '../options.ts';
import { print, printMessage } from '../print.ts';
import { startProgress } from '../progress.ts';
import type { ImportKeyInput, KeyEnv } from '../service/generated/graphql.ts';
import { importKeys } from '../service/operations.ts';
import { executeWithRetries } from '../service/service.ts';
import { type Format, formatOf, formats, readImportLines } from './import-lines.ts';

export function addImportCommand(keys: Command): void {
  const command = keys
    .command('import')
    .argument('<file>', 'an NDJSON or CSV file; - for standard input')
    .description('import keys of another system by their SHA-256 or SHA-512 digests');
  addTeamOption(command, 'the team that will own the keys')
    .addOption(new Option('--env <env>', 'the environment of lines without env').choices(keyEnvs))
    .addOption(new Option('--format <format>', 'the format, if the file name has no such extension').choices(formats))
    .option('--dry-run', 'import nothing, and only report the outcome that each line would have')
    .option('--report <file>', 'write the outcome of each line to this file, as NDJSON')
    .option('--json', 'print the outcome of each line, as NDJSON')
    .addHelpText(
      'after',
      `
Each line has digest and, with the same names as in an export, the settings of the key:
  {"digest":"sha256:<64 hexadecimal characters>","name":"Billing","env":"live","allowedIps":["10.0.0.0/8"]}
In CSV the first line names the columns, semicolons separate the entries of a
list, metadata is JSON, and rateLimit is a number of requests per seconds, such as 100/60.
Rejected lines are reported, and the others are imported. Keys that the team already has are not changed:
after an interruption, run the same command again.`,
    )
    .action(importFile);
}

interface Options extends JsonOption, TeamOption {
  readonly env?: KeyEnv;
  readonly format?: Format;
  readonly dryRun?: boolean;
  readonly report?: string;
}

async function importFile(file: string, options: Options, command: Command): Promise<void> {
  const format = options.format ?? formatOf(file);
  if (format === undefined) command.error('--format is required: the file name ends in neither .ndjson nor .csv');
  if (options.report !== undefined && resolve(options.report) === resolve(file)) {
    command.error('--report must be another file than the imported one');
  }
  const team = await teamOf(options.team);
  const { stream, size } = openInput(file);
  const report = new ImportReport(options);
  const progress = startProgress(size, '{bar} {percentage}% of the file, {eta_formatted} left');
  let bytes = 0;
  async function* counted() {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  try {
    for await (const batch of batchesOf(readImportLines(counted(), format), options.env)) {
      const entries = await importBatch(batch, {
        send: (keys) => send(team, options.dryRun === true, keys),
        fieldsOf: (error) => (error instanceof Failure ? error.fields : []),
      });
      for (const entry of entries) await report.add(entry);
      progress.reach(bytes);
    }
  } finally {
    progress.stop();
    await report.printRejections();
    report.close();
  }
  printMessage(`${report.summary(options.dryRun === true)}\n`);
  if (report.rejected > 0) throw new Failure('REJECTED', `${report.rejected} lines were rejected`);
}

async function send(teamId: string, dryRun: boolean, keys: readonly ImportedKey[]) {
  // The service validates the keys.
  const variables = { teamId, dryRun, keys: keys as unknown as ImportKeyInput[] };
  return (await executeWithRetries(importKeys, variables)).importKeys.results;
}

class ImportReport {
  readonly #file: { readonly path: string; readonly fd: number } | undefined;
  readonly #json: boolean;
  readonly #counts = { IMPORTED: 0, EXISTED: 0 };
  readonly #rejections = new Rejections();
  rejected = 0;

  constructor({ report, json = false }: Options) {
    // Only the owner can read the report, which lists keys. If it can't be opened, nothing is imported.
    this.#file = report === undefined ? undefined : { path: report, fd: openSync(report, 'w', 0o600) };
    this.#json = json;
  }

  async add(entry: ImportReportEntry): Promise<void> {
    const { outcome } = entry;
    const isRejected = outcome !== 'IMPORTED' && outcome !== 'EXISTED';
    if (isRejected) this.rejected += 1;
    else this.#counts[outcome] += 1;
    const text = `${JSON.stringify(entry)}\n`;
    if (this.#file !== undefined) write(this.#file, text);
    if (this.#json) await print(text);
    else if (isRejected) this.#rejections.add(entry);
  }

  /** Prints a reason that many lines have once. */
  async printRejections(): Promise<void> {
    for (const { reason, lines, count } of this.#rejections.all) {
      await print(`${count === 1 ? `line ${lines}` : `${count} lines (${lines})`}: ${escapeLine(reason)}\n`);
    }
  }

  summary(dryRun: boolean): string {
    const { IMPORTED, EXISTED } = this.#counts;
    const imported = dryRun ? 'would be imported' : 'imported';
    return `${IMPORTED} ${imported}, ${EXISTED} existed already, ${this.rejected} rejected`;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file.fd);
  }
}

/** Names the file in the error, for example of a full disk. */
function write({ path, fd }: { readonly path: string; readonly fd: number }, text: string): void {
  try {
    appendFileSync(fd, text);
  } catch (error) {
    throw new Failure('FAILED', `${path}: ${fileProblem(error)}`);
  }
}
