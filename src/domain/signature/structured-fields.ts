import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';

/**
 * Parses the parts of Structured Fields (RFC 9651) that signed requests need. Accepts only the canonical serialization,
 * so that the received text is the signed text (RFC 9421, section 2.3).
 *
 * The package `structured-headers` is not used. It keeps the last of two members with the same name, as the RFC
 * requires, and an attacker could exploit a reader that keeps the first. It also takes 5 µs, half of a verification.
 */
type Parameters = ReadonlyMap<string, string | number>;

const key = '[a-z*][a-z0-9_.*-]*';
/** Printable ASCII without escapes, because no value here has a quote or a backslash. */
const string = '"([\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*)"';
/** At most 15 digits (section 3.3.1), which a JavaScript number holds exactly. */
const integer = '(0|[1-9][0-9]{0,14})';
const oneParameter = new RegExp(`;(${key})=(?:${string}|${integer}(?![0-9.]))`, 'y');

/** Parses everything that follows an inner list, such as `;name="text";other=1`. */
export function parseParameters(text: string): Parsed<Parameters> {
  const parameters = new Map<string, string | number>();
  let end = 0;
  while (end < text.length) {
    oneParameter.lastIndex = end;
    const match = oneParameter.exec(text);
    if (match === null) return rejected('must have parameters of the form ;name="text" or ;name=1, and nothing else');
    const [whole, name = '', characters, digits] = match;
    if (parameters.has(name)) return rejected('must have each parameter once');
    parameters.set(name, characters ?? Number(digits));
    end += whole.length;
  }
  return accepted(parameters);
}

const oneByteSequence = new RegExp(`(${key})=:([A-Za-z0-9+/]*={0,2}):`, 'y');
const separator = /[ \t]*,[ \t]*/y;

/** Parses `name=:base64:, other=:base64:`: at least one member, each name once. */
export function parseByteSequences(text: string): Parsed<ReadonlyMap<string, Buffer>> {
  const members = new Map<string, Buffer>();
  let end = 0;
  for (;;) {
    oneByteSequence.lastIndex = end;
    const match = oneByteSequence.exec(text);
    if (match === null) return rejected('must be of the form name=:base64:');
    const [whole, name = '', base64 = ''] = match;
    if (members.has(name)) return rejected('must have each member once');
    const bytes = Buffer.from(base64, 'base64');
    // Decoders also accept texts without padding or with nonzero padding bits, which differ from the signed text.
    if (bytes.toString('base64') !== base64) return rejected('must have canonical base64 between the colons');
    members.set(name, bytes);
    end += whole.length;
    if (end === text.length) return accepted(members);
    separator.lastIndex = end;
    const comma = separator.exec(text);
    if (comma === null) return rejected('must have members separated by commas, and nothing else');
    end += comma[0].length;
  }
}

export function serializeByteSequence(name: string, bytes: Buffer): string {
  return `${name}=:${bytes.toString('base64')}:`;
}

/** Removes optional whitespace (RFC 9110, section 5.5). Uses a loop, because a regular expression could backtrack. */
export function trimOptionalWhitespace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isOptionalWhitespace(text.charCodeAt(start))) start += 1;
  while (end > start && isOptionalWhitespace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isOptionalWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
