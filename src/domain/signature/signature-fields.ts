import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { componentList, nonceShape, profile } from './signature-profile.ts';
import { parseByteSequences, parseParameters } from './structured-fields.ts';

/** A Signature-Input whose covered components are those of the profile. */
export interface CoveredInput {
  /** The value of `@signature-params`: the inner list with its parameters, as it was sent. */
  readonly covered: string;
  /** The parameters after the list, as they were sent. */
  readonly parameters: string;
}

export interface SignatureInput {
  /** Seconds since 1970. */
  readonly created: number;
  readonly expires: number;
  readonly nonce: string;
  readonly keyid: string;
}

/** Requires the exact list: another order, a duplicate, a parameter such as `;req` or a second label is rejected. */
export function readComponents(text: string, withBody: boolean): Parsed<CoveredInput> {
  if (text.length > profile.maxFieldLength) return rejected(tooLong('Signature-Input'));
  const list = `${profile.label}=${componentList(withBody)}`;
  if (!text.startsWith(list)) return rejected(`Signature-Input must start with ${list}`);
  return accepted({ covered: text.slice(profile.label.length + 1), parameters: text.slice(list.length) });
}

/** Requires all six parameters and rejects any other parameter, because its meaning is unknown. */
export function readParameters(input: CoveredInput): Parsed<SignatureInput> {
  const parsed = parseParameters(input.parameters);
  if (!parsed.ok) return rejected(`Signature-Input ${parsed.problem}`);
  const parameters = parsed.value;
  const created = parameters.get('created');
  const expires = parameters.get('expires');
  const nonce = parameters.get('nonce');
  const keyid = parameters.get('keyid');
  if (typeof created !== 'number') return rejected('created is required and must be an integer');
  if (typeof expires !== 'number') return rejected('expires is required and must be an integer');
  if (!(expires > created && expires - created <= profile.maxWindowSeconds)) {
    return rejected(`expires must be 1 to ${profile.maxWindowSeconds} seconds after created`);
  }
  if (typeof nonce !== 'string' || !nonceShape.test(nonce)) {
    return rejected('nonce is required and must be 22 to 128 characters of base64url');
  }
  if (typeof keyid !== 'string') return rejected('keyid is required and must be a string');
  if (parameters.get('alg') !== profile.algorithm) return rejected(`alg must be "${profile.algorithm}"`);
  if (parameters.get('tag') !== profile.tag) return rejected(`tag must be "${profile.tag}"`);
  if (parameters.size !== 6) return rejected('Signature-Input must have no other parameters');
  return accepted({ created, expires, nonce, keyid });
}

const macBytes = 32;

export function readSignature(text: string): Parsed<Buffer> {
  if (text.length > profile.maxFieldLength) return rejected(tooLong('Signature'));
  const members = parseByteSequences(text);
  if (!members.ok) return rejected(`Signature ${members.problem}`);
  const signature = members.value.get(profile.label);
  if (signature === undefined || members.value.size !== 1)
    return rejected(`Signature must have ${profile.label} alone`);
  if (signature.length !== macBytes) return rejected(`The signature must have ${macBytes} bytes`);
  return accepted(signature);
}

function tooLong(field: string): string {
  return `${field} must have at most ${profile.maxFieldLength} characters`;
}
