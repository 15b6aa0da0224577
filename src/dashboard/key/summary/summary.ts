/** A key as Markdown, for a ticket or a chat: what it is, where and when it was used, and what was done. No secret. */
import { prefixPattern } from '../../../domain/secret/secret-shape.ts';
import type { KeyState, ObservedSourcesQuery, TeamTrailQuery } from '../../generated/graphql.ts';
import { actionNames, actorName } from '../history/action-names.ts';
import { sentencesOf } from '../history/changes-in-words.ts';
import type { Key } from '../key-change.ts';
import { reporterOf } from '../leak/leak-in-words.ts';
import { isAccepted, type Source } from '../sources/suggestions.ts';

interface Known {
  readonly apiKey: Key;
  readonly state: KeyState;
  readonly link: string;
  readonly sources: Pick<ObservedSourcesQuery, 'observedSources' | 'unlistedSources'>;
  /** The newest entries of the key's history; null if they could not be read. */
  readonly trail: Pick<TeamTrailQuery['auditLog'], 'nodes' | 'pageInfo'> | null;
}

const maxSources = 10;
const maxCharacters = 300;

export function summaryOf({ apiKey, state, link, sources, trail }: Known): string {
  const { id, name, prefix, env, externalId, allowedIps } = apiKey;
  const lines = [
    `**${inMarkdown(name)}** (${code(prefix)}, ${env})`,
    '',
    `- Key: ${code(id)}, <${link}>`,
    `- State: ${stateOf(apiKey, state)}`,
    ...leakOf(apiKey),
    ...(externalId === null ? [] : [`- Owner: ${inMarkdown(externalId)}`]),
    `- Allowed sources: ${allowedIps.length === 0 ? 'every source' : listed(allowedIps.map(code))}`,
    ...usageOf(apiKey, sources),
    ...doneTo(trail),
  ];
  // A secret can be in any text that people wrote, such as a reason.
  return `${lines.join('\n').replace(secret, '$1…')}\n`;
}

const secret = new RegExp(`(${prefixPattern()})_?[0-9A-Za-z]+`, 'g');

function stateOf({ expiresAt, disabledAt, revokedAt }: Key, state: KeyState): string {
  const at = { ACTIVE: null, EXPIRED: expiresAt, DISABLED: disabledAt, REVOKED: revokedAt }[state];
  return `${state.toLowerCase()}${at === null ? '' : `, since ${inUtc(at)}`}`;
}

function leakOf({ leak }: Key): string[] {
  if (leak === null) return [];
  const [reporter, more] = [reporterOf(leak), leak.places - 1];
  const place = [leak.source, leak.url].flatMap((text) => (text === null ? [] : [`, ${inMarkdown(text)}`])).join('');
  const others = more > 0 ? `, and in ${more} more ${more === 1 ? 'place' : 'places'}` : '';
  const by = reporter === null ? '' : ` by ${reporter}`;
  const which = leak.secret.toLowerCase();
  return [
    `- Leaked: the ${which} secret ${code(leak.prefix)}, reported ${inUtc(leak.reportedAt)}${by}${place}${others}`,
  ];
}

function usageOf({ lastUsedAt }: Key, { observedSources, unlistedSources }: Known['sources']): string[] {
  const accepted = observedSources.filter(isAccepted);
  // A first use that was forgotten, or of an address that is not listed, may have been earlier.
  const [first] = accepted.map(({ firstAt }) => firstAt).sort();
  const addresses = accepted.map(sourceInWords);
  if (unlistedSources.length > 0) addresses.push('addresses that are not listed');
  return [
    ...(first === undefined ? [] : [`- First use on record: ${inUtc(first)}`]),
    `- Last use: ${lastUsedAt === null ? 'never' : inUtc(lastUsedAt)}`,
    ...(addresses.length === 0 ? [] : [`- Used from: ${listed(addresses)}`]),
  ];
}

function sourceInWords({ address, lastAt }: Source): string {
  return `${code(address)} (last ${inUtc(lastAt)})`;
}

function doneTo(trail: Known['trail']): string[] {
  if (trail === null) return ['- What was done: the history could not be read'];
  const entries = trail.nodes.toReversed().map((entry) => {
    const details = sentencesOf(entry).join('; ');
    const what = `${actionNames[entry.action]} by ${actorName(entry)}${details === '' ? '' : `: ${details}`}`;
    return `  - ${inUtc(entry.at)}: ${inMarkdown(what)}`;
  });
  return ['- What was done:', ...(trail.pageInfo.hasNextPage ? ['  - earlier: see the history'] : []), ...entries];
}

function listed(texts: readonly string[]): string {
  const more = texts.length - maxSources;
  return `${texts.slice(0, maxSources).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** In UTC, because the readers may be elsewhere. */
function inUtc(at: string): string {
  return `${at.slice(0, 16).replace('T', ' ')} UTC`;
}

function code(text: string): string {
  return `\`${text.replaceAll('`', '')}\``;
}

/** Shows the text as it is: what others wrote must not become a link, a mention of HTML or a heading. */
function inMarkdown(text: string): string {
  const short = text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
  const line = short.replace(/\s+/g, ' ');
  // Chats and tickets link addresses, and notify who is mentioned, unless it is code.
  return /\B@\w|:\/\/|www\./i.test(line) ? code(line) : line.replace(/[\\`*[\]<>|#]/g, '\\$&');
}
