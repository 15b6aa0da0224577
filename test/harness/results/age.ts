/** `node test/harness/results/age.ts`: prints which figures are older than the code that they depend on. Always exits with 0. */
import { measurements } from './measurements.ts';
import { type Block, git, readBlocks } from './page.ts';

/** Returns the last change of the code since the figures were taken; empty if there is none. */
function lastChange({ name, commit }: Block): string {
  return git('log', '-1', '--abbrev=8', '--format=%h %as %s', `${commit}..HEAD`, '--', ...measurements[name].dependsOn);
}

function succeeds(...args: readonly string[]): boolean {
  try {
    git(...args);
    return true;
  } catch {
    return false;
  }
}

function print(): void {
  if (!succeeds('rev-parse', '--git-dir')) {
    console.log('the history is missing: this is not a clone with git');
    return;
  }
  const blocks = readBlocks();
  const known = blocks.filter(({ commit }) => succeeds('cat-file', '-e', `${commit}^{commit}`));
  const old = known.map((block) => ({ ...block, change: lastChange(block) })).filter(({ change }) => change !== '');
  for (const { name, commit, date, change } of old) {
    console.log(`${name.padEnd(16)} ${date} at ${commit}; last change ${change} (${measurements[name].command})`);
  }
  const unknown = blocks.length - known.length;
  if (unknown > 0) console.log(`the commits of ${unknown} figures are not in the history of this clone`);
  else if (old.length === 0) console.log('no figure is older than its code');
}

print();
