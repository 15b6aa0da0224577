/** Swagger UI for `/openapi.json`. */
import SwaggerUI from 'swagger-ui-dist/swagger-ui-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import { fromServer } from '../server-values.ts';
import { repairMarkup } from './repair-markup.ts';
import './openapi.css';

if (fromServer('graphiql') !== 'true') document.querySelector('nav a[href="/graphql"]')?.remove();

const dark = matchMedia('(prefers-color-scheme: dark)');
const setScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', setScheme);
setScheme();

SwaggerUI({
  dom_id: '#root',
  url: '/openapi.json',
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  // The default sends requests to another host.
  validatorUrl: null,
  // The verification port allows no cross-origin requests, and calls of the management port would make real changes.
  supportedSubmitMethods: ['get'],
  syntaxHighlight: { theme: 'arta' },
});

repairMarkup({
  '.information-container': { role: 'region', 'aria-label': 'About' },
  '.scheme-container': { role: 'region', 'aria-label': 'Servers' },
  // The heading of the page is followed by those of the third rank.
  h3: { 'aria-level': '2' },
  h4: { 'aria-level': '3' },
  h5: { 'aria-level': '4' },
  // Each is inside the button that opens the operation, and would do the same.
  '.opblock-summary-control a[href]': { href: null },
  '#servers': { 'aria-label': 'Server' },
  '.examples-select-element': { 'aria-label': 'Example' },
  '.content-type': { 'aria-label': 'Media type' },
});
