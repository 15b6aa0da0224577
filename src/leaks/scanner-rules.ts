/** Rules for scanners of secrets, by the format of keys. The expressions have the same meaning in JavaScript and RE2. */
import { prefixOfSecret } from '../domain/secret/secret.ts';
import { secretPattern } from '../domain/secret/secret-shape.ts';

/**
 * Returns an expression whose only group is a key. Before a key can be the end of an escape sequence (`"\nlk_…"`) or of
 * a percent-encoded character (`%3Dlk_…`), whose last letter is no boundary of a word.
 */
export function keyExpression(tag?: string): string {
  return String.raw`(?:\b|\\[nrt]|%[0-9A-Fa-f]{2})(${secretPattern(tag)})\b`;
}

/** Finds the keys in a text whose checksum is right, whatever their tag. */
export function findKeys(text: string): readonly string[] {
  const found = text.matchAll(new RegExp(keyExpression(), 'g'));
  return [...found].map(([, key = '']) => key).filter((key) => prefixOfSecret(key) !== null);
}

/**
 * The minimum Shannon entropy of a key, in bits a character. Random keys have more than 4, and the placeholders of
 * examples (`lk_live_xxxxxxxx_…`) less.
 */
export const minEntropy = 3.5;

const description = (tag: string) => `An API key of Latchkey (${tag}_…)`;
const keywords = (tag: string) => [`${tag}_live_`, `${tag}_test_`];

export const scannerFormats = ['gitleaks', 'trufflehog'] as const;
export type ScannerFormat = (typeof scannerFormats)[number];

/** The configuration of a scanner that finds the keys with a tag. A tag needs no quoting in any of the formats. */
export const scannerRules: Readonly<Record<ScannerFormat, (tag: string) => string>> = {
  gitleaks: (tag) => `# gitleaks detect --config <this file>
[extend]
useDefault = true

[[rules]]
id = "latchkey-${tag}"
description = "${description(tag)}"
regex = '''${keyExpression(tag)}'''
secretGroup = 1
entropy = ${minEntropy}
keywords = [${keywords(tag)
    .map((keyword) => `"${keyword}"`)
    .join(', ')}]
`,
  trufflehog: (tag) => `# trufflehog filesystem --config <this file> --results unverified,unknown <directory>
detectors:
  - name: latchkey-${tag}
    description: '${description(tag)}'
    keywords:
${keywords(tag)
  .map((keyword) => `      - ${keyword}`)
  .join('\n')}
    regex:
      key: '${keyExpression(tag)}'
`,
};
