/** Swagger UI for `/openapi.json`. */
import SwaggerUI from 'swagger-ui-dist/swagger-ui-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './style.css';

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
