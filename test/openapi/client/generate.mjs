/**
 * Prints the types of the OpenAPI description on standard input. A program of its own, because openapi-typescript needs
 * the compiler interface of TypeScript 5, which TypeScript 7 does not have.
 */
import { registerHooks } from 'node:module';
import { text } from 'node:stream/consumers';

const typescript = new URL('typescript.mjs', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? typescript : specifier, context),
});
const { default: openapi, astToString } = await import('openapi-typescript');
process.stdout.write(astToString(await openapi(await text(process.stdin))));
