/** The inputs of “Try a key”, as the user edits them. */
import { isPrefix } from '../../domain/key/key-prefix.ts';
import { limits } from '../../domain/limits.ts';
import { parseIpAddress } from '../../domain/source/ip-address.ts';
import { execute } from '../api/execute.ts';
import { useServerForm } from '../components/form/use-server-form.ts';
import {
  ExplainVerificationDocument,
  type ExplainVerificationInput,
  type ExplainVerificationQuery,
  type KeyEnv,
} from '../generated/graphql.ts';
import { useFirstSteps } from '../keys/create/use-first-steps.ts';
import { findKeys, type KeySearch } from '../keys/found/find-keys.ts';

interface Trial {
  readonly key: string;
  readonly sourceIp: string;
  readonly env: KeyEnv | '';
  readonly scopes: string[];
  readonly isSigned: boolean;
  readonly method: string;
  readonly url: string;
  readonly headers: string;
  readonly bodyDigest: string;
}

const emptyTrial: Trial = {
  key: '',
  sourceIp: '',
  env: '',
  scopes: [],
  isSigned: false,
  method: 'GET',
  url: '',
  headers: '',
  bodyDigest: '',
};

const validations = {
  key: (key: string) => (key.trim() === '' ? 'Paste the secret of a key, or what else tells which key it is.' : null),
  sourceIp: (ip: string) =>
    ip.trim() === '' || parseIpAddress(ip.trim()) !== null ? null : 'This is not an IP address.',
  url: (url: string, { isSigned }: Trial) =>
    isSigned && url.trim() === '' ? 'The signature covers the URL of the request.' : null,
  headers: (headers: string, { isSigned }: Trial) =>
    isSigned && headersIn(headers) === null ? 'One header per line, such as Signature: sig1=:…:' : null,
};

export function useTrial(teamId: string, prefix: string) {
  const { markTried } = useFirstSteps(teamId);
  return useServerForm({
    initialValues: { ...emptyTrial, key: isPrefix(prefix) ? prefix : '' },
    validate: validations,
    renamed: { secret: 'key', prefix: 'key' },
    send: (trial) => explain(teamId, trial),
    onSent: ({ explanation }) => {
      if (explanation?.code === 'VALID') markTried();
    },
  });
}

/** What a text turned out to be: the verdict on one key, or else what the search for keys says. */
export interface Tried {
  readonly explanation: ExplainVerificationQuery['explainVerification'] | null;
  /** Null if the explanation has a key of the team. */
  readonly search: KeySearch | null;
}

/**
 * Tries a text without spaces as a prefix and as a secret, because the secret of an imported key can look like a prefix.
 * If that finds no key, explains the one key of the team that a search finds, such as by its id or in a line of a log.
 */
async function explain(teamId: string, trial: Trial): Promise<Tried> {
  const text = trial.key.trim();
  const input = inputOf(teamId, trial);
  const tryAs = async (by: { readonly prefix: string } | { readonly secret: string }) =>
    (await execute(ExplainVerificationDocument, { input: { ...input, ...by } })).explainVerification;
  const isOneWord = !/\s/.test(text) && text.length <= limits.presentedCharacters;
  const asPrefix = isPrefix(text) ? await tryAs({ prefix: text }) : null;
  const asWritten = isOneWord && asPrefix?.apiKey == null ? await tryAs({ secret: text }) : null;
  const direct = [asPrefix, asWritten].find((one) => one?.apiKey != null);
  if (direct != null) return { explanation: direct, search: null };
  const search = await findKeys(text, teamId);
  const [only, ...others] = search.keys.filter(({ apiKey }) => apiKey.teamId === teamId);
  if (only === undefined || others.length > 0) return { explanation: asPrefix ?? asWritten, search };
  const found = await tryAs({ prefix: only.apiKey.prefix });
  return { explanation: found, search: search.hint === null ? null : search };
}

function inputOf(
  teamId: string,
  { sourceIp, env, scopes, isSigned, method, url, headers, bodyDigest }: Trial,
): Omit<ExplainVerificationInput, 'secret' | 'prefix'> {
  const request = {
    method: method.trim(),
    url: url.trim(),
    headers: headersIn(headers) ?? [],
    bodyDigest: bodyDigest.trim() || null,
  };
  return {
    teamId,
    sourceIp: sourceIp.trim() || null,
    env: env === '' ? null : env,
    scopes: scopes.length === 0 ? null : scopes,
    request: isSigned ? request : null,
  };
}

/** Returns null if a line is not a header. */
function headersIn(text: string): { name: string; value: string }[] | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const headers = lines.flatMap((line) => {
    const [, name = '', value = ''] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    return name === '' ? [] : [{ name, value }];
  });
  return headers.length === lines.length ? headers : null;
}
