/** Of JSON Schema 2020-12, what is used here. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** An object of exactly these fields. */
export function exactly(
  properties: Readonly<Record<string, JsonSchema>>,
  required = Object.keys(properties),
): JsonSchema {
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

export function nullable({ type, ...rest }: JsonSchema): JsonSchema {
  const values = Array.isArray(rest.enum) ? { enum: [...rest.enum, null] } : {};
  return { type: [type, 'null'], ...rest, ...values };
}

/** Of what has nothing else to tell. */
export const done = exactly({ ok: { type: 'boolean', const: true, description: 'It is done.' } });
