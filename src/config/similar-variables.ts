/** Finds misspelled variables: what the environment has that Latchkey does not read, but almost. */
import { distance } from 'fastest-levenshtein';
import { variableNames } from './configuration.ts';

/** One sentence for each variable whose name is close to a known one. Never repeats a value. */
export function similarVariables(environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(environment)
    .filter((name) => !variableNames.includes(name))
    .flatMap((name) => {
      const known = variableNames.find((candidate) => isClose(name.toUpperCase(), candidate));
      return known === undefined ? [] : [`${name} is not a variable of Latchkey: is ${known} meant?`];
    });
}

/** Of short names, such as PORT, too many others are two changes away. */
function isClose(name: string, known: string): boolean {
  return distance(name, known) <= (known.length < 6 ? 1 : 2);
}
