/** The inputs of “Try a key”, as the user edits them. */
import { isPrefix } from '../../domain/key/key-prefix.ts';
import { parseIpAddress } from '../../domain/source/ip-address.ts';
import { execute } from '../api/execute.ts';
import { useServerForm } from '../components/form/use-server-form.ts';
import { ExplainVerificationDocument, type ExplainVerificationInput, type KeyEnv } from '../generated/graphql.ts';
import { useFirstSteps } from '../keys/create/use-first-steps.ts';

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
  key: (key: string) => (key.trim() === '' ? 'Paste the secret of a key, or enter its prefix.' : null),
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
    onSent: ({ code }) => {
      if (code === 'VALID') markTried();
    },
  });
}

/** Tries a text as a prefix and then as a secret, because the secret of an imported key can look like a prefix. */
async function explain(teamId: string, trial: Trial) {
  const text = trial.key.trim();
  const input = inputOf(teamId, trial);
  const tryAs = async (by: { readonly prefix: string } | { readonly secret: string }) =>
    (await execute(ExplainVerificationDocument, { input: { ...input, ...by } })).explainVerification;
  if (!isPrefix(text)) return tryAs({ secret: text });
  const asPrefix = await tryAs({ prefix: text });
  if (asPrefix.apiKey !== null) return asPrefix;
  const asSecret = await tryAs({ secret: text });
  return asSecret.apiKey === null ? asPrefix : asSecret;
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
