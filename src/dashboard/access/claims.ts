/** The claims of a trust rule as people type them: one in each line, such as `repository_id: 123`. */
import { parseClaims } from '../../domain/access/trust-rule.ts';

/** What tokens of a platform have that identifies a job. A name ends its line: the user adds the value. */
export interface Platform {
  readonly id: string;
  readonly label: string;
  /** Where the platform itself runs; null if each installation has its own. */
  readonly issuer: string | null;
  readonly claims: string;
}

export const platforms: readonly Platform[] = [
  {
    id: 'github',
    label: 'GitHub Actions',
    issuer: 'https://token.actions.githubusercontent.com',
    claims: 'repository_id: \nrepository_owner_id: \nref: refs/heads/main',
  },
  { id: 'gitlab', label: 'GitLab CI', issuer: 'https://gitlab.com', claims: 'project_id: \nref_protected: true' },
  { id: 'kubernetes', label: 'Kubernetes', issuer: null, claims: 'kubernetes.io.serviceaccount.uid: ' },
];

/** Returns the claims by their names. Lines without a colon are claims without a value. */
export function claimsIn(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(linesIn(text).map(({ name, value }) => [name, value]));
}

/** Returns what is wrong with the claims, by the rules of the server; null if nothing is. */
export function claimsProblem(text: string): string | null {
  const lines = linesIn(text);
  const empty = lines.find(({ value }) => value === '');
  if (empty !== undefined) return `${empty.name} needs a value, after a colon.`;
  const names = lines.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) return `${twice} must not be given twice.`;
  const parsed = parseClaims(claimsIn(text));
  return parsed.ok ? null : `They ${parsed.problem}.`;
}

export function linesOfClaims(claims: unknown): string[] {
  return Object.entries(claims ?? {}).map(([name, value]) => `${name}: ${value}`);
}

function linesIn(text: string) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      // The first colon: values such as subjects have colons too, and names of claims none.
      const [name = '', ...rest] = line.split(':');
      return { name: name.trim(), value: rest.join(':').trim() };
    });
}
