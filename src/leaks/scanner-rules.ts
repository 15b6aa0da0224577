/** Rules for scanners of secrets, by the format of keys. The expressions have the same meaning in JavaScript and RE2. */
import { secretPattern } from '../domain/secret/secret-shape.ts';

/**
 * Returns an expression whose only group is a key. Anything may stand before it, because no list of the escape sequences
 * and encodings of files is complete. RE2 can't look ahead, so the character after a key is a part of the match.
 */
export function keyExpression(tag: string): string {
  return `(${secretPattern(tag)})(?:[^0-9A-Za-z]|$)`;
}

/**
 * The minimum Shannon entropy of a key, in bits a character. Random keys have more than 4, and the placeholders of
 * examples (`lk_live_xxxxxxxx_…`) less.
 */
export const minEntropy = 3.5;

const description = (tag: string) => `A key of Latchkey (${tag}_…)`;
const keywords = (tag: string) => [`${tag}_live_`, `${tag}_test_`, `${tag}_mgmt_`];

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
