/** Finds misspelled variables: names in the environment that are close to a variable of Latchkey. */
import { distance } from 'fastest-levenshtein';
import { variableNames } from './configuration.ts';

export function similarVariables(environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(environment)
    .filter((name) => !variableNames.includes(name))
    .flatMap((name) => {
      const known = variableNames.find((candidate) => isClose(name.toUpperCase(), candidate));
      return known === undefined ? [] : [`${name} is not a variable of Latchkey: did you mean ${known}?`];
    });
}

/** Short names, such as PORT, are within two changes of too many others, so only one is allowed. */
function isClose(name: string, known: string): boolean {
  return distance(name, known) <= (known.length < 6 ? 1 : 2);
}
