/** Reads a text that has others in an encoding, or in several: `%255f`, `&#95;`, `\u005f`, hexadecimal, base64. */

/** Returns the texts that a text can stand for. It is unknown where a run of base64 or hexadecimal digits begins. */
type Decoder = (text: string) => readonly string[];

const decoders: readonly Decoder[] = [
  (text) => [text.replace(escapeSequence, (...groups) => decodedEscape(groups.slice(0, 5)))],
  // Quoted-printable (RFC 2045). Apart from the others, because the value of a query also follows a `=`.
  (text) => [text.replace(/=(?:([0-9a-f]{2})|\s+)/gi, (_, hex) => character(hex ?? '', 16))],
  (text) => [0, 1].map((start) => decodedRuns(text, hex, 'hex', start)),
  (text) => [0, 1, 2, 3].map((start) => decodedRuns(text, base64, 'base64', start)),
  (text) => [textsIn(text.match(bytes)?.map((list) => Buffer.from(list.split(',').map(Number)).toString('latin1')))],
];

/** Also the lines of a mail, with quote marks, and the indented ones of YAML. */
const base64 = /[\w+/-]{11,}(?:\r?\n[ \t>]*[\w+/-]+)*/g;
/** Also in lines, and with something between the bytes: `6c 6b`, `6c:6b`, `0x6c, 0x6b`. */
const hex = /[0-9a-f]{2}(?:(?:[\s:,>-]|0x)*[0-9a-f]{2}){7,}[0-9a-f]?/gi;
/** As in the JSON of journald and Node.js. */
const bytes = /\d{1,3}(?:,\s*\d{1,3}){7,}/g;

/** In URLs, JavaScript and JSON, and HTML. */
const escapeSequence =
  /%([0-9a-f]{2})|(?:[%\\]u|\\u\{0*|\\x|&#x0*)([0-9a-f]{1,4})[;}]?|&#0*(\d{1,3});?|&(\w{2,8});|\\(?=[^ux\\])|\\\\/gi;

/**
 * What is put between the characters of a text to show it: line breaks with the indentation or the quote marks of the next
 * line, colors of a terminal (ECMA-48), tags such as `<wbr>` and `<mark>`, and invisible characters.
 */
const insertion =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are searched for.
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*|\x1b[ -/]*[0-Z\\^-~]|[\x07\u00ad\u200b-\u200f\u2060\ufeff]|<\/?[a-z][^<>]{0,99}>|&(?:shy|zerowidthspace|#173|#8203|#x(?:ad|200b));|[\r\n][\s>]*/gi;

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
  const digitsOf = (match: string) => (encoding === 'hex' ? match.replace(/0x|[^0-9a-f]/gi, '') : match);
  return textsIn(
    text.match(run)?.map((match) => Buffer.from(digitsOf(match).slice(start), encoding).toString('latin1')),
  );
}

function textsIn(decoded: readonly string[] = []): string {
  // What PowerShell encodes is UTF-16, which has a NUL after each character of ASCII.
  const texts = decoded
    .join('\n')
    .replaceAll('\0', '')
    .match(/[\x20-\x7e]{8,}/g);
  return texts?.join(' ') ?? '';
}

/** The characters that may be decoded, in all. */
export interface DecodingBudget {
  characters: number;
}

/** Whether the text, or anything that it can stand for, is found. Also true if the budget does not suffice to know. */
export function spells(text: string, isFound: (decoded: string) => boolean, budget: DecodingBudget): boolean {
  for (const form of spellings(text)) {
    budget.characters -= form.length;
    if (budget.characters < 0 || isFound(form)) return true;
  }
  return false;
}

/** Returns the text, and all that it can stand for. Each is decoded only when the next one is wanted. */
export function* spellings(text: string): Iterable<string> {
  const known = new Set(['', text]);
  // Grows while it is read.
  const toRead = [text];
  for (const form of toRead) {
    yield form;
    const shown = form.replace(insertion, '');
    if (shown !== form) yield shown;
    for (const decoded of decoders.flatMap((decode) => decode(form))) {
      if (known.has(decoded)) continue;
      known.add(decoded);
      toRead.push(decoded);
    }
  }
}
