/**
 * The first line of a test file names the sections of SECURITY.md whose claims it tests: `// SECURITY.md: A key; Slow reader`.
 * With CI, none of its tests may be skipped: a test that did not run proves nothing. Otherwise a developer's machine may
 * lack what they need.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** The sections that a test file names; empty if it tests no claim. */
function claimedSections(source: string): readonly string[] {
  return /^\/\/ SECURITY\.md: (.+)\n/.exec(source)?.at(1)?.split('; ') ?? [];
}

/** The files of `test` that name sections. */
export function claimFiles(): readonly { readonly file: string; readonly sections: readonly string[] }[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:test|browser)\.ts$/.test(name))
    .map((name) => ({ file: `test/${name}`, sections: claimedSections(readFileSync(`test/${name}`, 'utf8')) }))
    .filter(({ sections }) => sections.length > 0);
}

export class SecurityClaims implements Reporter {
  #isWhole = true;

  onInit({ config }: Vitest): void {
    // With a name pattern, the other tests of a file are reported as skipped.
    this.#isWhole = config.testNamePattern === undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (!this.#isWhole || process.env.CI === undefined) return;
    const files = new Set(claimFiles().map(({ file }) => file));
    for (const { relativeModuleId, children } of modules) {
      if (!files.has(relativeModuleId)) continue;
      for (const test of children.allTests('skipped')) {
        console.error(`a claim of SECURITY.md is not tested: "${test.fullName}" in ${relativeModuleId} is skipped`);
        process.exitCode = 1;
      }
    }
  }
}
