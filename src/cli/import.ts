/** `latchkey keys import`: keys of another system, by their digests. */
import { createReadStream, createWriteStream, openSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { type Command, Option } from 'commander';
import { type ClientConfiguration, readClientConfiguration } from '../config/configuration.ts';
import { unlistedFields } from '../domain/errors.ts';
import { Failure } from './failure.ts';
import type { CliImportKeysMutation, ImportKeyInput, KeyEnv } from './generated/graphql.ts';
import { type Format, formatOf, formats, type ImportLine, readImportLines } from './import-lines.ts';
import { importKeys } from './operations.ts';
import { parseId } from './options.ts';
import { startProgress } from './progress.ts';
import { askPatiently } from './service.ts';

export function addImportCommand(keys: Command): void {
  keys
    .command('import')
    .argument('<file>', 'NDJSON or CSV; - for standard input')
    .description('take in keys of another system by their SHA-256 or SHA-512 digests')
    .requiredOption('--team <id>', 'the team that shall own the keys', parseId)
    .addOption(new Option('--env <env>', 'the environment of lines that name none').choices(['live', 'test']))
    .addOption(new Option('--format <format>', 'where the name of the file does not tell').choices(formats))
    .option('--dry-run', 'import nothing, and only tell what would become of each line')
    .option('--report <file>', 'write what became of each line, as NDJSON')
    .option('--json', 'print what became of each line, as NDJSON')
    .addHelpText(
      'after',
      `
Each line has digest and name, and may have env, expiresAt, allowedIps and prefix:
  {"digest":"sha256:<64 hexadecimal characters>","name":"Billing","env":"live","allowedIps":["10.0.0.0/8"]}
In CSV the first line names the columns, and semicolons stand between several sources.
Lines that are refused are told, and the others imported. What the team has already is left as it is:
after an interruption, run the same command again.`,
    )
    .action(importFile);
}

interface Options {
  readonly team: string;
  readonly env?: KeyEnv;
  readonly format?: Format;
  readonly dryRun?: boolean;
  readonly report?: string;
  readonly json?: boolean;
}

type ServiceOutcome = CliImportKeysMutation['importKeys']['results'][number]['outcome'];

interface ReportEntry {
  readonly line: number;
  /** REFUSED where fields are wrong, as `problems` tells. */
  readonly outcome: ServiceOutcome | 'REFUSED';
  readonly id?: string;
  readonly prefix?: string;
  readonly problems?: readonly string[];
}

/** What one call takes: the service has a limit for each. */
const batchLines = 200;
const batchBytes = 40 * 1024;

async function importFile(file: string, options: Options, command: Command): Promise<void> {
  const format = options.format ?? formatOf(file);
  if (format === undefined) command.error('--format is needed: the name of the file ends in neither .ndjson nor .csv');
  if (options.report !== undefined && resolve(options.report) === resolve(file)) {
    command.error('--report must name another file than the one to be imported');
  }
  const service = readClientConfiguration(process.env);
  const report = new Report(options);
  const source = file === '-' ? process.stdin : createReadStream(file);
  const progress = startProgress(
    file === '-' ? null : statSync(file).size,
    '{bar} {percentage}% of the file, {eta_formatted} to go',
  );
  let bytes = 0;
  source.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  try {
    for await (const batch of batches(readImportLines(source, format), options.env)) {
      for (const entry of await importBatch(service, batch, options)) await report.add(entry);
      progress.reach(bytes);
    }
  } finally {
    progress.stop();
    await report.close();
  }
  process.stderr.write(`${report.summary(options.dryRun === true)}\n`);
  if (report.refusals > 0) throw new Failure('REFUSED', `${report.refusals} of the lines were refused`);
}

interface Batch {
  /** Nothing could be read from these. */
  readonly unreadable: readonly ReportEntry[];
  readonly keys: readonly { readonly line: number; readonly key: Readonly<Record<string, unknown>> }[];
}

async function* batches(lines: AsyncIterable<ImportLine>, env: KeyEnv | undefined): AsyncIterable<Batch> {
  let [unreadable, keys, bytes]: [ReportEntry[], Batch['keys'][number][], number] = [[], [], 0];
  for await (const { line, content } of lines) {
    const key = 'problem' in content ? null : { env, ...content.key };
    const size = key === null ? 0 : Buffer.byteLength(JSON.stringify(key)) + 1;
    if (unreadable.length + keys.length === batchLines || bytes + size > batchBytes) {
      yield { unreadable, keys };
      [unreadable, keys, bytes] = [[], [], 0];
    }
    if ('problem' in content) unreadable.push(rejected(line, [content.problem]));
    else if (key !== null) keys.push({ line, key });
    bytes += size;
  }
  yield { unreadable, keys };
}

/** What became of each line, in their order. */
async function importBatch(
  service: ClientConfiguration,
  { unreadable, keys }: Batch,
  { team: teamId, dryRun = false }: Options,
): Promise<ReportEntry[]> {
  const entries: ReportEntry[] = [...unreadable];
  let rest = keys;
  while (rest.length > 0) {
    try {
      const variables = { teamId, dryRun, keys: rest.map(({ key }) => key as unknown as ImportKeyInput) };
      const { importKeys: imported } = await askPatiently(service, importKeys, variables);
      for (const [i, { outcome, apiKey }] of imported.results.entries()) {
        const line = rest[i]?.line ?? 0;
        entries.push(apiKey == null ? { line, outcome } : { line, outcome, id: apiKey.id, prefix: apiKey.prefix });
      }
      break;
    } catch (error) {
      // Wrong fields refuse the whole call: once more without their lines.
      const problems = problemsByKey(error);
      entries.push(...rest.flatMap(({ line }, i) => (problems.has(i) ? [rejected(line, problems.get(i) ?? [])] : [])));
      rest = rest.filter((_, i) => !problems.has(i));
    }
  }
  return entries.sort((a, b) => a.line - b.line);
}

/** From `keys[3].name`: to 3. Rethrows what is about no single key. */
function problemsByKey(error: unknown): Map<number, string[]> {
  const problems = new Map<number, string[]>();
  for (const { field, message } of error instanceof Failure ? error.fields : []) {
    // They are told in the next answer.
    if (field === unlistedFields) continue;
    const [, place, within] = /^keys\[(\d+)\](?:\.(.+))?$/.exec(field) ?? [];
    if (place === undefined) throw error;
    const said = within === undefined ? message : `${within}: ${message}`;
    problems.set(Number(place), [...(problems.get(Number(place)) ?? []), said]);
  }
  if (problems.size === 0) throw error;
  return problems;
}

function rejected(line: number, problems: readonly string[]): ReportEntry {
  return { line, outcome: 'REFUSED', problems };
}

const explanations: Readonly<Partial<Record<ReportEntry['outcome'], string>>> = {
  PREFIX_TAKEN: 'another key of the team has this prefix',
  LIMIT_REACHED: 'the team has as many keys as it may (MAX_KEYS_PER_TEAM)',
};

class Report {
  readonly #file: Writable | undefined;
  readonly #json: boolean;
  readonly #counts = { IMPORTED: 0, EXISTED: 0 };
  refusals = 0;

  constructor({ report, json = false }: Options) {
    // For its owner only: it tells which keys there are. Opened before anything is imported, as it may not be possible.
    this.#file = report === undefined ? undefined : createWriteStream(report, { fd: openSync(report, 'w', 0o600) });
    this.#json = json;
  }

  async add(entry: ReportEntry): Promise<void> {
    const { line, outcome, problems } = entry;
    const isRefused = outcome !== 'IMPORTED' && outcome !== 'EXISTED';
    if (isRefused) this.refusals += 1;
    else this.#counts[outcome] += 1;
    const text = `${JSON.stringify(entry)}\n`;
    if (this.#file !== undefined) await write(this.#file, text);
    if (this.#json) await write(process.stdout, text);
    else if (isRefused) {
      await write(process.stdout, `line ${line}: ${problems?.join('; ') ?? explanations[outcome] ?? outcome}\n`);
    }
  }

  summary(dryRun: boolean): string {
    const { IMPORTED, EXISTED } = this.#counts;
    const imported = dryRun ? 'would be imported' : 'imported';
    return `${IMPORTED} ${imported}, ${EXISTED} existed already, ${this.refusals} refused`;
  }

  async close(): Promise<void> {
    await new Promise<void>((closed) => {
      if (this.#file === undefined) closed();
      else this.#file.end(closed);
    });
  }
}

/** Waits for a reader that is slower than we are. */
async function write(stream: Writable, text: string): Promise<void> {
  await new Promise<void>((written, failed) => {
    stream.write(text, (error) => (error == null ? written() : failed(error)));
  });
}
