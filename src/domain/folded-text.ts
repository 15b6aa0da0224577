/** Texts as searches and lists by name compare them. */

/**
 * Folds what people rarely tell apart when they look for a text or for its place in a list: case, compatibility forms,
 * accents. Keeps the signs of scripts that write vowels as marks. In NFC, so that a Korean syllable is one character.
 */
function folded(text: string): string {
  return (
    text
      .normalize('NFKD')
      .replace(/(?=\p{M})(?![\u3099\u309a])\p{Script=Inherited}|\p{Default_Ignorable_Code_Point}/gu, '')
      // To upper case for ß and dotless ı; from lower case, because a capital ẞ has no other upper case.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .replace(/[ςæœøłđħ]/g, (letter) => plainLetters[letter] ?? '')
      .normalize('NFC')
  );
}

/** Letters that Unicode does not decompose. */
const plainLetters: Readonly<Record<string, string>> = { ς: 'σ', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ħ: 'h' };

/** Folds a text for searches. */
export function searchable(text: string): string {
  return withoutWildcards(folded(text));
}

/** Folds a text as versions up to 0.1 did, whose rows the upkeep has yet to convert. */
export function searchableBefore(text: string): string {
  return withoutWildcards(text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ'));
}

/** Replaces the wildcards of SQL's LIKE with private-use characters, so that a query of any version finds them. */
function withoutWildcards(text: string): string {
  return text.replace(/[%_\\]/g, (wildcard) => ({ '%': '\ue000', _: '\ue001', '\\': '\ue002' })[wildcard] ?? '');
}

const sortableCharacters = 128;
/** Control characters, which no text that is searched for has. They sort before all letters, in this order. */
const order = { space: '\x0b', punctuation: '\x0c', firstLength: 0x0d, lastLength: 0x1f } as const;

/**
 * Returns a text that sorts as people expect when it is compared by code points, as SQLite and PostgreSQL's collation "C"
 * do: without accents and case, spaces before punctuation, punctuation before numbers, and numbers before letters. Before
 * the digits of a number is their count, so that 2 is before 10. Limited, because an index has it.
 */
export function sortable(text: string): string {
  const sorted = folded(text).replace(/(\p{Nd}+)|(\s)|[\p{P}\p{S}]/gu, (part, digits?: string, space?: string) => {
    if (digits !== undefined) return sortableNumber(digits);
    return space === undefined ? order.punctuation + part : order.space;
  });
  return [...sorted].slice(0, sortableCharacters).join('');
}

function sortableNumber(digits: string): string {
  const number = [...digits]
    .map(digitValue)
    .join('')
    .replace(/^0+(?=.)/, '');
  return String.fromCharCode(Math.min(order.firstLength + number.length - 1, order.lastLength)) + number;
}

/** Unicode has the ten digits of each script in their order. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  if (code < 0x80) return code - 0x30;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return value;
}
