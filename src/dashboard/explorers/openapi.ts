/** Swagger UI for `/openapi.json`. */
import SwaggerUI from 'swagger-ui-dist/swagger-ui-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import { fromServer } from '../server-values.ts';
import { removeAttributes, repairMarkup, setAttributes } from './repair-markup.ts';
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
  // A theme with enough contrast.
  syntaxHighlight: { theme: 'arta' },
});

repairMarkup({
  '.information-container': setAttributes({ role: 'region', 'aria-label': 'About' }),
  '.scheme-container': setAttributes({ role: 'region', 'aria-label': 'Servers' }),
  // The heading of the page is followed by those of the third rank.
  h3: setAttributes({ 'aria-level': '2' }),
  h4: setAttributes({ 'aria-level': '3' }),
  h5: setAttributes({ 'aria-level': '4' }),
  // Each is inside the button that opens the operation, and would do the same.
  '.opblock-summary-control a[href]': removeAttributes('href'),
  '#servers': setAttributes({ 'aria-label': 'Server' }),
  '.examples-select-element': setAttributes({ 'aria-label': 'Example' }),
  '.content-type': setAttributes({ 'aria-label': 'Media type' }),
});
