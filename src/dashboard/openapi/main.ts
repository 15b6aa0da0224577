/** The readable page beside `/openapi.json`. */
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
  // Its default asks another host.
  validatorUrl: null,
  // The verification port answers no page of another origin, and what is tried on the other is done.
  supportedSubmitMethods: ['get'],
  // Of its themes, one whose colours can be told apart from their background.
  syntaxHighlight: { theme: 'arta' },
});
