/** Health, alike on both ports. */
import { exactly, type JsonSchema } from './json-schema.ts';
import { headersTooLarge } from './refusals.ts';

function health(
  operationId: string,
  summary: string,
  answers: Readonly<Record<string, readonly string[]>>,
): JsonSchema {
  const responses = Object.entries(answers).map(([status, words]) => [
    status,
    {
      description: status === '200' ? 'Yes.' : 'No.',
      content: {
        'application/json': {
          schema: exactly({ status: { type: 'string', enum: words, description: 'In a word.' } }),
          examples: Object.fromEntries(words.map((word) => [word.replace(' ', '-'), { value: { status: word } }])),
        },
      },
    },
  ]);
  return {
    get: {
      operationId,
      tags: ['Health'],
      summary,
      security: [],
      responses: { ...Object.fromEntries(responses), ...headersTooLarge },
    },
  };
}

export const healthPaths: Readonly<Record<string, JsonSchema>> = {
  '/healthz': health('isAlive', 'Whether the process lives', { 200: ['ok'] }),
  '/readyz': health('isReady', 'Whether it can do its work', {
    200: ['ready'],
    503: ['draining', 'store unavailable'],
  }),
};
