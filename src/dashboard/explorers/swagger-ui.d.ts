declare module 'swagger-ui-dist/swagger-ui-bundle.js' {
  /** The options that main.ts uses. */
  export default function SwaggerUI(options: {
    readonly dom_id: string;
    readonly url: string;
    readonly deepLinking: boolean;
    readonly defaultModelsExpandDepth: number;
    readonly displayRequestDuration: boolean;
    readonly validatorUrl: null;
    readonly supportedSubmitMethods: readonly 'get'[];
    readonly syntaxHighlight: { readonly theme: 'arta' };
  }): unknown;
}
