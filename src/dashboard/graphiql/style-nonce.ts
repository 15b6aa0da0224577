/**
 * The editor writes its themes into style elements, and knows no nonce. They get the page's, so that its
 * Content-Security-Policy need not allow everybody's.
 */
import { setNonce } from 'get-nonce';
import { fromServer } from '../server-values.ts';

const nonce = fromServer('nonce');
setNonce(nonce);

const createElement = document.createElement.bind(document) as (
  name: string,
  options?: ElementCreationOptions,
) => HTMLElement;
document.createElement = (name: string, options?: ElementCreationOptions) => {
  const element = createElement(name, options);
  if (element instanceof HTMLStyleElement) element.nonce = nonce;
  return element;
};
