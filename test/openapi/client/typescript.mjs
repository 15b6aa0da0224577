/** The compiler interface of TypeScript 5, in the place of `typescript`. */
export { ts as default } from '@ts-morph/common';
