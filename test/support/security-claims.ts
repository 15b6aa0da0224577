/** Checks after each test run that every test of a claim in SECURITY.md has passed. test/security-tests.md names them. */
import { readFileSync } from 'node:fs';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** The links to tests: `[title](….test.ts)`, relative to `test`. A title is as in the source, with its placeholders. */
export function claimsOf(markdown: string) {
  const links = markdown.matchAll(/\[([^\]]+)\]\(([^)]+\.(?:test|browser)\.ts)\)/g);
  return [...links].map(([, title = '', file = '']) => ({ title, file: `test/${file}` }));
}

/** `it.each` replaces `%s`, `$name` and the like by values. */
function patternOf(title: string): RegExp {
  const parts = title.split(/%[sdifjo]|\$[\w.]+/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`);
}

/** Returns why these tests of its file do not prove a claim; undefined if they do. */
export function problemOf(title: string, tests: readonly { readonly name: string; readonly state: string }[]) {
  const pattern = patternOf(title);
  const states = tests.filter(({ name }) => pattern.test(name)).map(({ state }) => state);
  return states.length === 0 ? 'does not exist' : states.find((state) => state !== 'passed');
}

export class SecurityClaims implements Reporter {
  #isWhole = true;

  onInit({ config }: Vitest): void {
    // With a name pattern, the other tests of a file are reported as skipped.
    this.#isWhole = config.testNamePattern === undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (!this.#isWhole) return;
    const outcomesOf = ({ children }: TestModule) =>
      [...children.allTests()].map((test) => ({ name: test.name, state: test.result().state }));
    // A file runs in several projects.
    const modulesOf = Map.groupBy(modules, ({ relativeModuleId }) => relativeModuleId);
    for (const { title, file } of claimsOf(readFileSync('test/security-tests.md', 'utf8'))) {
      const tests = modulesOf.get(file)?.flatMap(outcomesOf);
      if (tests === undefined) continue;
      const problem = problemOf(title, tests);
      if (problem === undefined) continue;
      // Skipped tests prove nothing, but a developer's machine may lack what they need. The test itself says what.
      if (problem === 'skipped' && process.env.CI === undefined) continue;
      console.error(`test/security-tests.md names a test that has not passed: "${title}" in ${file}: ${problem}`);
      process.exitCode = 1;
    }
  }
}
