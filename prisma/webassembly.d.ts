/** The types of WebAssembly that schema-engine.ts needs. TypeScript has them only in the types for browsers. */
declare namespace WebAssembly {
  interface Instance {
    readonly exports: object;
  }
  function instantiate(bytes: Uint8Array, imports: object): Promise<{ readonly instance: Instance }>;
}
