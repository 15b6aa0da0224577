/** The little of WebAssembly that schema-engine.ts needs; TypeScript has it only among the types of browsers. */
declare namespace WebAssembly {
  interface Instance {
    readonly exports: object;
  }
  function instantiate(bytes: Uint8Array, imports: object): Promise<{ readonly instance: Instance }>;
}
