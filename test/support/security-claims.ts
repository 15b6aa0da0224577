/** Checks after each test run that every test of a claim in SECURITY.md has passed. test/security-tests.md names them. */
import { readFileSync } from 'node:fs';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

export interface Claim {
  /** As the test's source has it, with the placeholders of `it.each`. */
  readonly title: string;
  readonly file: string;
}

export interface TestOutcome {
  readonly file: string;
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
}

/** The links to tests: `[title](….test.ts)`, relative to `test`. */
export function claimsOf(markdown: string): readonly Claim[] {
  const links = markdown.matchAll(/\[([^\]]+)\]\(([^)]+\.(?:test|browser)\.ts)\)/g);
  return [...links].map(([, title = '', file = '']) => ({ title, file: `test/${file}` }));
}

/**
 * Returns the claims without a passed test, among those whose files were run. A skipped test proves nothing; on a machine
 * that lacks what the test needs, this is only `noted`.
 */
export function unproven(claims: readonly Claim[], outcomes: readonly TestOutcome[]) {
  const [errors, noted]: [string[], string[]] = [[], []];
  const filesRun = new Set(outcomes.map(({ file }) => file));
  for (const { title, file } of claims.filter((claim) => filesRun.has(claim.file))) {
    const pattern = patternOf(title);
    const named = outcomes.filter((outcome) => outcome.file === file && pattern.test(outcome.name));
    const claim = `"${title}" in ${file}`;
    if (named.length === 0) errors.push(`${claim}: there is no such test`);
    else if (named.some(({ state }) => state === 'failed' || state === 'pending'))
      errors.push(`${claim}: did not pass`);
    else if (named.some(({ state }) => state === 'skipped')) noted.push(`${claim}: was skipped`);
  }
  return { errors, noted };
}

/** `it.each` replaces `%s`, `$name` and the like by values. */
function patternOf(title: string): RegExp {
  const parts = title.split(/%[sdifjo]|\$[\w.]+/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`);
}

export class SecurityClaims implements Reporter {
  #isWhole = true;

  onInit({ config }: Vitest): void {
    // Of a file, only some tests are run: the others are reported as skipped.
    this.#isWhole = config.testNamePattern === undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (!this.#isWhole) return;
    const outcomes = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => ({
        file: module.relativeModuleId,
        name: test.name,
        state: test.result().state,
      })),
    );
    const { errors, noted } = unproven(claimsOf(readFileSync('test/security-tests.md', 'utf8')), outcomes);
    const fatal = process.env.CI === undefined ? errors : [...errors, ...noted];
    for (const claim of [...errors, ...noted])
      console.error(`test/security-tests.md names a test that has not passed: ${claim}`);
    if (fatal.length > 0) process.exitCode = 1;
  }
}
