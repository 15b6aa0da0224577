/** The search parameters of the pages: texts, and lists of texts for repeated parameters. */

export type Search = Readonly<Record<string, string | readonly string[]>>;

/** Parses the parameters as plain texts, without empty ones. TanStack Router's own parser reads them as JSON. */
export function parseSearch(text: string): Search {
  const parameters = new URLSearchParams(text);
  const entries = [...new Set(parameters.keys())].map((name) => {
    const [value = '', ...more] = parameters.getAll(name).filter((value) => value !== '');
    return [name, more.length === 0 ? value : [value, ...more]] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const item of [value].flat()) if (typeof item === 'string') parameters.append(name, item);
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/**
 * Makes a validation remove what it does not return. TanStack Router keeps the parameters of the URL that a validation
 * leaves out, unless it returns them as undefined.
 */
export function only<Raw extends object, Valid extends object>(validate: (search: Raw) => Valid) {
  return (search: Raw): Valid => {
    const removed = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]));
    return { ...removed, ...validate(search) };
  };
}

/** Returns the validation of a page whose parameters are texts. It removes empty and unknown parameters. */
export function texts<Name extends string>(names: readonly Name[]) {
  return (search: Partial<Record<Name, unknown>>): { readonly [name in Name]?: string } => {
    const known: { [name in Name]?: string } = {};
    for (const name of names) {
      const [value] = [search[name]].flat();
      if (typeof value === 'string' && value !== '') known[name] = value;
    }
    return known;
  };
}
