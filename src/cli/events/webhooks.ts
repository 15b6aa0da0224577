/** `latchkey webhooks`: manages the endpoints that get the events of a team, and shows what became of the events. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addConfirmation, isScript } from '../keys/confirmation.ts';
import { teamOf } from '../login/team.ts';
import { addTeamOption, type JsonOption, parseDuration, type TeamOption } from '../options.ts';
import { type Cell, printMessage, printResult, tableOf } from '../print.ts';
import { confirm, readSecret } from '../prompt.ts';
import type {
  CliWebhookFragment,
  EventForm,
  UpdateWebhookInput,
  WebhookSignature,
} from '../service/generated/graphql.ts';
import {
  createWebhook,
  deleteWebhook,
  readWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from '../service/operations.ts';
import { execute } from '../service/service.ts';
import { addDeliveryCommands } from './deliveries.ts';
import { typesHelp, typesOption } from './event-types.ts';
import { webhookCommand } from './webhook-reference.ts';

const forms: Readonly<Record<string, EventForm>> = { standard: 'STANDARD', cloudevents: 'CLOUDEVENTS', ocsf: 'OCSF' };
const signatures: Readonly<Record<string, WebhookSignature>> = { v1: 'V1', v1a: 'V1A' };

export function addWebhookCommands(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description("the endpoints that get a team's events: list, create, change, test, replay");

  addTeamOption(webhooks.command('list').description('list the endpoints of a team, oldest first'), 'the team')
    .option('--json', 'print JSON')
    .action(list);

  const create = webhooks
    .command('create')
    .description('add an endpoint; its secret is printed only once, as the only text on standard output');
  addTeamOption(create, 'the team')
    .addOption(urlOption().makeOptionMandatory())
    .option('--description <text>', 'a text for people')
    .addOption(typesOption('all types'))
    .addOption(formOption().default('standard'))
    .addOption(new Option('--signature <scheme>', 'how requests are signed').choices(['v1', 'v1a']).default('v1'))
    .option('--json', 'print JSON, including the secret')
    .addHelpText('after', typesHelp)
    .action(createOne);

  webhookCommand(webhooks, 'update', 'change the given settings, disable the endpoint or enable it again')
    .addOption(urlOption())
    .option('--description <text>', 'a text for people')
    .addOption(typesOption('they stay as they are'))
    .addOption(formOption())
    .addOption(new Option('--enable', 'send events, also those that it missed').conflicts('disable'))
    .option('--disable', 'send no events until it is enabled')
    .addOption(
      new Option('--remove <settings...>', 'settings to remove; without types, it gets all types').choices([
        'description',
        'types',
      ]),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', typesHelp)
    .action(update);

  addConfirmation(webhookCommand(webhooks, 'delete', 'remove an endpoint, and what is known of its deliveries'))
    .option('--json', 'print JSON')
    .action(async (id: string, options: ConfirmationOptions) => {
      if (!isScript(options)) await confirm(`Delete the endpoint ${id}?`);
      const { deleteWebhook: deleted } = await execute(deleteWebhook, { id });
      printResult(deleted, options.json, () => `Deleted ${id}`);
    });

  const rotate = webhookCommand(
    webhooks,
    'rotate-secret',
    'replace the secret; the new one is printed only once, as the only text on standard output',
  )
    .addOption(
      new Option('--overlap <time>', 'how long the previous secret signs too: 0, or a number and s, m, h or d')
        .argParser((text) => (text === '0' ? 0 : parseDuration(text)))
        .default(86_400, '1d'),
    )
    .option('--json', 'print JSON, including the secret');
  addConfirmation(rotate).action(rotateSecret);

  addDeliveryCommands(webhooks);
}

interface ConfirmationOptions extends JsonOption {
  readonly yes?: boolean;
}

interface SettingOptions extends JsonOption {
  readonly url?: string;
  readonly description?: string;
  readonly types?: readonly string[];
  readonly form?: string;
}

async function list({ team, json }: TeamOption & JsonOption): Promise<void> {
  const { webhooks } = await execute(readWebhooks, { teamId: await teamOf(team) });
  printResult(webhooks, json, () =>
    tableOf(
      ['ID', 'URL', 'TYPES', 'FORM', 'STATE', 'LAST DELIVERY'],
      webhooks.map(({ lastDelivery, ...webhook }) => [
        webhook.id,
        webhook.url,
        webhook.types.join(',') || 'all',
        webhook.form.toLowerCase(),
        stateOf(webhook),
        lastDelivery === null ? 'none' : `${lastDelivery.outcome.toLowerCase()} at ${lastDelivery.attemptedAt}`,
      ]),
    ),
  );
}

function stateOf({ disabledReason }: CliWebhookFragment): Cell {
  if (disabledReason === null) return { text: 'enabled', color: 'green' };
  return { text: `disabled (${disabledReason.toLowerCase()})`, color: 'red' };
}

interface CreateOptions extends SettingOptions, TeamOption {
  readonly signature: string;
}

async function createOne({ team, signature, json, ...options }: CreateOptions): Promise<void> {
  const teamId = await teamOf(team);
  const { url = '', ...settings } = await settingsOf(options);
  const input = { ...settings, teamId, url, signature: signatures[signature] ?? 'V1' };
  const { webhook, secret } = (await execute(createWebhook, { input })).issued;
  printIssued(webhook, secret, json, webhook.types.join(', ') || 'all types');
}

interface UpdateOptions extends SettingOptions {
  readonly enable?: true;
  readonly disable?: true;
  readonly remove?: readonly ('description' | 'types')[];
}

async function update(
  id: string,
  { enable, disable, remove = [], json, ...options }: UpdateOptions,
  command: Command,
): Promise<void> {
  for (const name of remove) {
    if (options[name] !== undefined) command.error(`error: setting and removing the ${name} exclude each other`);
  }
  const input: UpdateWebhookInput = {
    ...(await settingsOf(options)),
    ...(remove.includes('description') ? { description: null } : {}),
    ...(remove.includes('types') ? { types: [] } : {}),
    ...(enable === undefined && disable === undefined ? {} : { enabled: enable === true }),
  };
  if (Object.keys(input).length === 0) command.error('error: nothing to change: give at least one option');
  const { webhook } = (await execute(updateWebhook, { id, input })).updateWebhook;
  printResult(webhook, json, () => `Updated ${webhook.url} (${id})`);
}

interface RotateOptions extends ConfirmationOptions {
  readonly overlap: number;
}

async function rotateSecret(id: string, { overlap, ...options }: RotateOptions): Promise<void> {
  if (overlap === 0 && !isScript(options)) await confirm(`Replace, without overlap, the secret of the endpoint ${id}?`);
  const { webhook, secret } = (await execute(rotateWebhookSecret, { id, overlapSeconds: overlap })).issued;
  const end = webhook.previousSecretExpiresAt;
  printIssued(webhook, secret, options.json, `the previous secret signs ${end === null ? 'no more' : `until ${end}`}`);
}

/** The description is on standard error, so that a pipe gets only the secret. */
function printIssued(webhook: CliWebhookFragment, secret: string, json: boolean | undefined, note: string): void {
  if (json !== true) printMessage(`${webhook.id}  ${webhook.url}  ${note}\n`);
  printResult({ ...webhook, secret }, json, () => secret);
}

async function settingsOf({ url, description, types, form }: SettingOptions) {
  return {
    ...(url === undefined ? {} : { url: url === '-' ? await readSecret('URL: ') : url }),
    ...(description === undefined ? {} : { description }),
    ...(types === undefined ? {} : { types: [...types] }),
    ...(form === undefined ? {} : { form: forms[form] ?? 'STANDARD' }),
  };
}

function urlOption(): Option {
  return new Option(
    '--url <url>',
    'where to send the events: an https URL; - asks for it or reads standard input, if it contains a secret',
  ).argParser((text) => {
    if (text === '') throw new InvalidArgumentError('Expected a URL.');
    return text;
  });
}

function formOption(): Option {
  return new Option('--form <form>', 'how events are written').choices(Object.keys(forms));
}
