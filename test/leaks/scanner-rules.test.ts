/** The expressions for scanners, with JavaScript's engine and with RE2, which gitleaks and TruffleHog use. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mintDerived } from '../../src/domain/derived/derived-token.ts';
import { keyRing } from '../../src/domain/secret/key-ring.ts';
import { keysIn } from '../../src/domain/secret/keys-in-text.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { keyExpression, minEntropy, scannerRules } from '../../src/leaks/scanner-rules.ts';
import { Random } from '../harness/random.ts';
import { runGoTool, whyNoGo } from '../support/go.ts';

const tags = ['lk', 'a', 'acme', 'a1234567890bcdef'];
const envs = ['live', 'test'] as const;
const mint = (tag = 'lk', env: 'live' | 'test' = 'live') => mintSecret(tag, env, randomBytes).secret;

const surroundings: readonly ((key: string) => string)[] = [
  (key) => key,
  (key) => `LATCHKEY_KEY=${key}\n`,
  (key) => `const key = '${key}';`,
  (key) => `{"key":"${key}"}`,
  (key) => `"first line\\n${key}\\nlast line"`,
  (key) => `\`${key}\``,
  (key) => `https://api.example.com/orders?key=${key}&page=2`,
  (key) => `https://login.example.com/?to=%2Forders%3Fkey%3D${key}%26page%3D2`,
  (key) => `https://user:${key}@api.example.com`,
  (key) => `curl -H "Authorization: Bearer ${key}" https://api.example.com`,
  (key) => `<key>${key}</key>`,
  (key) => `see (${key}), or ${mint('other')}.`,
  (key) => `Schlüssel:${key}…`,
  (key) => `- key: ${key} # production`,
  // What ends with a letter or a digit before a key, or begins with `_` after it.
  (key) => `{"log":"{\\u0022key\\u0022:\\u0022${key}\\u0022}"}`,
  (key) => `key\\u003d${key}\\u0026page=2`,
  (key) => `"\\x22${key}\\x22"`,
  (key) => `"{\\"key\\":\\"${key}\\"}\\t${'`'}n"`,
  (key) => `cut\\t${key}\\r\\n`,
  (key) => `%u0022${key}%u0022`,
  (key) => `to=%252Forders%253Fkey%253D${key}%2526page%253D2`,
  (key) => `%22${key}%22`,
  (key) => `&quot;${key}&quot; &#34;${key.slice(0, 16)}&#34;`,
  (key) => `&#x22;${key}&#x22;`,
  (key) => `<a href=3D"https://example.com/?key=3D${key}=20">`,
  (key) => `\x1b[31m${key}\x1b[0m`,
  (key) => `\x1b(B\x1b[m${key}\x1b(B\x1b[m`,
  (key) => `\\u001b[31m${key}\\u001b[0m and \\033[1;31m`,
  (key) => `^[[31m${key}^[[0m`,
  (key) => `[31m${key}[0m`,
  (key) => `the_key_${key}_of_production`,
  (key) => `KEY_${key}`,
  (key) => `A=1\0KEY=${key}\0B=2`,
  (key) => `é${key}é`,
];

/** Texts that look like a key, each by one change of a real one; the kinds in turn, so that each is there often. */
const mistakes: readonly ((key: string, random: Random) => string)[] = [
  (key) => key.slice(0, -1),
  (key) => `${key}a`,
  (key) => key.toUpperCase(),
  (key) => key.replace('_live_', '_prod_').replace('_test_', '_dev_'),
  (key) => key.replaceAll('_', '-'),
  (key) => key.replace(/_/, ''),
  (key) => key.replace(/^lk/, 'lkk'),
  (key) => key.replace(/^lk/, 'Lk'),
  (key, random) => replaceAt(key, random.whole(8, key.length - 2), random.pick(['-', '.', '=', '/', ' ', 'é', '…'])),
  (key, random) => removeAt(key, random.whole(0, key.length - 1)),
  (key) => `${key.slice(0, 16)}…`,
  (key) => `${key.slice(0, 16)}_${'*'.repeat(49)}`,
  () => randomBytes(48).toString('base64url'),
  () => `eyJhbGciOiJIUzI1NiJ9.${randomBytes(40).toString('base64url')}.${randomBytes(32).toString('base64url')}`,
  () => `sk_live_${randomBytes(40).toString('hex')}`,
  () => `ghp_${randomBytes(18).toString('hex')}`,
];

function replaceAt(text: string, at: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + 1);
}

function removeAt(text: string, at: number): string {
  return text.slice(0, at) + text.slice(at + 1);
}

interface Sample {
  readonly tag: string;
  readonly text: string;
  readonly key: string;
}

const found: readonly Sample[] = tags.flatMap((tag) =>
  envs.flatMap((env) =>
    surroundings.flatMap((embed) =>
      Array.from({ length: 20 }, () => {
        const key = mint(tag, env);
        return { tag, text: embed(key), key };
      }),
    ),
  ),
);

function nearMisses(): readonly string[] {
  const random = new Random(26);
  const keys = Array.from({ length: 1000 }, (_, i) => mint('lk', envs[i % 2]));
  return Array.from({ length: 100_000 }, (_, i) => {
    const mistake = mistakes[i % mistakes.length] as (typeof mistakes)[number];
    const embed = surroundings[Math.floor(i / mistakes.length) % surroundings.length] as (typeof surroundings)[number];
    return embed(mistake(random.pick(keys), random));
  });
}

const missed = nearMisses();

describe('the expression for a tag', () => {
  it('finds each real key, and nothing more than the key, in code, quotes and URLs', () => {
    for (const { tag, text, key } of found) {
      expect([...text.matchAll(new RegExp(keyExpression(tag), 'g'))].map(([, match]) => match)).toEqual([key]);
    }
  });

  it('finds each of the keys that one character separates', () => {
    const keys = Array.from({ length: 5 }, () => mint());
    expect([...keys.join(',').matchAll(new RegExp(keyExpression('lk'), 'g'))].map(([, key]) => key)).toEqual(keys);
  });

  it('finds tokens that are derived from keys, as long as they are', () => {
    const ring = keyRing([{ id: 'newest', bytes: randomBytes(32) }]);
    for (const scopes of [[], Array.from({ length: 30 }, (_, i) => `orders:${i}`)]) {
      const ids = { keyId: randomUUID(), secretVersion: 3, expiresAt: Date.now() };
      const token = mintDerived('lk', 'live', { ...ids, scopes, sources: null, label: null }, ring);
      const text = `{"token":"${token}"}`;
      expect([...text.matchAll(new RegExp(keyExpression('lk'), 'g'))].map(([, match]) => match)).toEqual([token]);
    }
  });

  it('finds nothing in 100,000 texts that are no keys', () => {
    const expression = new RegExp(keyExpression('lk'));
    expect(missed.filter((text) => expression.test(text))).toEqual([]);
  });
});

if (whyNoGo !== undefined) console.warn(`The rules are not tested with RE2: ${whyNoGo}`);

it.skipIf(whyNoGo !== undefined)('means the same in RE2, the engine of gitleaks and TruffleHog', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-re2-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const expressions = Object.fromEntries(tags.map((tag) => [tag, keyExpression(tag)]));
  await writeFile(join(directory, 'samples.json'), JSON.stringify({ expressions, found, missed }));
  await writeFile(join(directory, 'main.go'), goProgram);
  expect(await runGoTool('go', ['run', 'main.go', 'samples.json'], directory)).toBe(
    `found ${found.length}, and 0 of 100000\n`,
  );
});

const goProgram = `package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
)

type samples struct {
	Expressions map[string]string
	Found       []struct{ Tag, Text, Key string }
	Missed      []string
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var read samples
	if err := json.Unmarshal(text, &read); err != nil {
		panic(err)
	}
	expressions := map[string]*regexp.Regexp{}
	for tag, expression := range read.Expressions {
		expressions[tag] = regexp.MustCompile(expression)
	}
	found, missed := 0, 0
	for _, sample := range read.Found {
		matches := expressions[sample.Tag].FindAllStringSubmatch(sample.Text, -1)
		if len(matches) == 1 && matches[0][1] == sample.Key {
			found++
		}
	}
	for _, text := range read.Missed {
		if expressions["lk"].MatchString(text) {
			missed++
		}
	}
	fmt.Printf("found %d, and %d of %d\\n", found, missed, len(read.Missed))
}
`;

describe('the search for keys in text', () => {
  it('finds the keys of every tag, in order, also twice', () => {
    const keys = [mint('lk'), mint('acme', 'test')];
    expect(keysIn(`${keys.join(' ')}\n"${keys[0]}"`)).toEqual([...keys, keys[0]]);
  });

  it('finds a key in whatever surroundings, also between letters and digits', () => {
    for (const { text, key } of found.filter(({ text }) => !text.includes('other_')))
      expect(keysIn(text)).toEqual([key]);
    const keys = tags.map((tag) => mint(tag));
    expect(keysIn(keys.join(''))).toEqual(keys);
    for (const before of ['n', 'u0022', '3D', '31m', 'x'.repeat(100), '0'.repeat(100)]) {
      expect(keysIn(`${before}${keys[0]}${before}`)).toEqual([keys[0]]);
    }
  });

  it('finds no key whose checksum is wrong', () => {
    const key = mint();
    const wrong = replaceAt(key, 20, key[20] === 'a' ? 'b' : 'a');
    expect(keysIn(`${wrong} ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`)).toEqual([]);
  });

  it('finds keys in the reports of gitleaks and TruffleHog', () => {
    const key = mint();
    const gitleaks = JSON.stringify(
      [{ RuleID: 'latchkey-lk', Match: `key=${key}`, Secret: key, File: '.env' }],
      null,
      1,
    );
    const truffleHog = `${JSON.stringify({ DetectorName: 'CustomRegex', Raw: key, RawV2: '' })}\n`;
    expect(new Set(keysIn(gitleaks))).toEqual(new Set([key]));
    expect(keysIn(truffleHog)).toEqual([key]);
  });
});

describe('the rules', () => {
  it('have the expression, and keywords that each key has', () => {
    for (const rules of Object.values(scannerRules)) {
      expect(rules('acme')).toContain(`'${keyExpression('acme')}'`);
      expect(rules('acme')).toContain('acme_live_');
      expect(rules('acme')).toContain('acme_test_');
    }
  });

  it('of gitleaks ask for less entropy than keys have, and for more than placeholders have', () => {
    const least = Math.min(...Array.from({ length: 10_000 }, () => entropyOf(mint())));
    expect(least).toBeGreaterThan(minEntropy + 0.5);
    expect(entropyOf(`lk_live_${'x'.repeat(8)}_${'x'.repeat(49)}`)).toBeLessThan(minEntropy);
  });
});

/** Bits a character, as gitleaks calculates it. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}
