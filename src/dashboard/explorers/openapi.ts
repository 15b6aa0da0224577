import SwaggerUI from 'swagger-ui-dist/swagger-ui-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import { asSession } from '../api/post.ts';
import { fromServer } from '../server-values.ts';
import { repairMarkup } from './repair-markup.ts';
import './openapi.css';

if (fromServer('graphiql') !== 'true') document.querySelector('nav a[href="/graphql"]')?.remove();

const dark = matchMedia('(prefers-color-scheme: dark)');
const setScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', setScheme);
setScheme();

interface Outgoing {
  readonly url: string;
  readonly headers: Record<string, string>;
  credentials?: RequestCredentials;
}

/** Sends calls in the session of the browser, or with the token that the user has entered instead. */
function inSession(request: Outgoing): Outgoing {
  if ('Authorization' in request.headers) request.credentials = 'omit';
  else if (new URL(request.url, location.href).origin === location.origin)
    Object.assign(request.headers, asSession(null).headers);
  return request;
}

SwaggerUI({
  dom_id: '#root',
  url: '/openapi.json',
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  // The default is a validator on another host.
  validatorUrl: null,
  // The verification port allows no cross-origin requests, and calls of the management port would make real changes.
  supportedSubmitMethods: ['get'],
  requestInterceptor: inSession,
  syntaxHighlight: { theme: 'arta' },
});

repairMarkup({
  '.information-container': { role: 'region', 'aria-label': 'About' },
  '.scheme-container': { role: 'region', 'aria-label': 'Servers' },
  // Swagger UI has no heading level between the heading of the page and `h3`.
  h3: { 'aria-level': '2' },
  h4: { 'aria-level': '3' },
  h5: { 'aria-level': '4' },
  // These links are inside the button that opens the operation, and would do the same as the button.
  '.opblock-summary-control a[href]': { href: null },
  '#servers': { 'aria-label': 'Server' },
  '.examples-select-element': { 'aria-label': 'Example' },
  '.content-type': { 'aria-label': 'Media type' },
});
