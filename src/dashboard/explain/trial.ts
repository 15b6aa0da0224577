/** The inputs of “Try a key”, as the user edits them. */
import { parseIpAddress } from '../../domain/source/ip-address.ts';
import type { ExplainVerificationInput, KeyEnv } from '../generated/graphql.ts';

export interface Trial {
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

export const emptyTrial: Trial = {
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

export const validations = {
  key: (key: string) => (key.trim() === '' ? 'Paste the secret of a key, or enter its prefix.' : null),
  sourceIp: (ip: string) =>
    ip.trim() === '' || parseIpAddress(ip.trim()) !== null ? null : 'This is not an IP address.',
  url: (url: string, { isSigned }: Trial) =>
    isSigned && url.trim() === '' ? 'The signature covers the URL of the request.' : null,
  headers: (headers: string, { isSigned }: Trial) =>
    isSigned && headersIn(headers) === null ? 'One header per line, such as Signature: sig1=:…:' : null,
};

export function inputOf(
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
