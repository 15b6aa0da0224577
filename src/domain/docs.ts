/** Where the management port serves the documents. */
export const docsPath = '/docs';
