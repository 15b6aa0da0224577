/** Finds a text in another one that has it in an encoding, or in several: `%255f`, `&#95;`, `\u005f`, hexadecimal, base64. */

/** Returns the texts that a text can stand for. It is unknown where a run of base64 or hexadecimal digits begins. */
type Decoder = (text: string) => readonly string[];

const decoders: readonly Decoder[] = [
  (text) => [text.replace(escapeSequence, (...groups) => decodedEscape(groups.slice(0, 5)))],
  // Quoted-printable (RFC 2045). Apart from the others, because the value of a query also follows a `=`.
  (text) => [text.replace(/=(?:([0-9a-f]{2})|\s+)/gi, (_, hex) => character(hex ?? '', 16))],
  (text) => [0, 1].map((start) => decodedRuns(text, /[0-9a-f]{16,}/gi, 'hex', start)),
  (text) => [0, 1, 2, 3].map((start) => decodedRuns(text, /[\w+/-]{11,}/g, 'base64', start)),
];

/** In URLs, JavaScript and JSON, and HTML. */
const escapeSequence =
  /%([0-9a-f]{2})|(?:[%\\]u|\\u\{0*|\\x|&#x0*)([0-9a-f]{1,4})[;}]?|&#0*(\d{1,3});?|&(\w{2,8});|\\(?=[^ux\\])|\\\\/gi;

/** The names in HTML of the characters of ASCII that have one. */
const names = new Map(
  '!excl "quot #num $dollar %percnt &amp \'apos (lpar )rpar *ast *midast +plus ,comma .period /sol :colon ;semi <lt =equals >gt ?quest @commat [lsqb [lbrack \\bsol ]rsqb ]rbrack ^hat _lowbar _underbar `grave {lcub {lbrace |verbar |vert |verticalline }rcub }rbrace'
    .split(' ')
    .map((entry) => [entry.slice(1), entry.slice(0, 1)]),
);

function decodedEscape([whole, ...groups]: readonly (string | undefined)[]): string {
  const [percent, hex, decimal, name] = groups;
  if (percent !== undefined) return character(percent, 16);
  if (hex !== undefined) return character(hex, 16);
  if (decimal !== undefined) return character(decimal, 10);
  if (name !== undefined) return names.get(name.toLowerCase()) ?? whole ?? '';
  return whole === '\\\\' ? '\\' : '';
}

function character(digits: string, radix: number): string {
  return digits === '' ? '' : String.fromCharCode(Number.parseInt(digits, radix));
}

function decodedRuns(text: string, run: RegExp, encoding: 'hex' | 'base64', start: number): string {
  const decoded = text.match(run)?.map((digits) => Buffer.from(digits.slice(start), encoding).toString('latin1')) ?? [];
  // What PowerShell encodes is UTF-16, which has a NUL after each character of ASCII.
  const texts = decoded
    .join('\n')
    .replaceAll('\0', '')
    .match(/[\x20-\x7e]{8,}/g);
  return texts?.join('\n') ?? '';
}

/** The characters that may be decoded, in all. */
export interface DecodingBudget {
  characters: number;
}

/** Whether the text, or anything that it can stand for, is found. Also true if the budget does not suffice to know. */
export function spells(text: string, isFound: (decoded: string) => boolean, budget: DecodingBudget): boolean {
  const known = new Set(['', text]);
  // Grows while it is read.
  const toRead = [text];
  for (const form of toRead) {
    budget.characters -= form.length;
    if (budget.characters < 0 || isFound(form)) return true;
    for (const decoded of decoders.flatMap((decode) => decode(form))) {
      if (known.has(decoded)) continue;
      known.add(decoded);
      toRead.push(decoded);
    }
  }
  return false;
}
