/** GraphiQL, which the server sends to browsers that open `/graphql`. */
import './style-nonce.ts';
import 'graphiql/style.css';
import './graphiql.css';
import CodeMirror from 'codemirror';
import { GraphiQL } from 'graphiql';
import type { ComponentProps } from 'react';
import { createRoot } from 'react-dom/client';
import { currentSession } from '../session/session.ts';
import { repairMarkup } from './repair-markup.ts';

// GraphiQL sets no label for the text areas of its editors.
CodeMirror.defaults.screenReaderLabel = 'Editor';

/** Sends a request with the dashboard's session token, unless the headers editor has an Authorization header. */
const fetcher: ComponentProps<typeof GraphiQL>['fetcher'] = async (parameters, options) => {
  const { token } = currentSession();
  const headers = new Headers(token === null ? {} : { authorization: `Bearer ${token}` });
  for (const [name, value] of Object.entries(options?.headers ?? {})) headers.set(name, String(value));
  headers.set('content-type', 'application/json');
  headers.set('accept', 'application/graphql-response+json');
  const response = await fetch('/graphql', { method: 'POST', headers, body: JSON.stringify(parameters) });
  return await response.json();
};

// Lines are short, so that they fit beside the documentation.
const welcome = `# Every call needs a session token: that of
# the dashboard in this tab, or one given in
# Headers: {"Authorization": "Bearer …"}

{
  viewer {
    subject
    teams {
      id
      permissions
    }
  }
}
`;

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no #root');
createRoot(root).render(
  // `sessionStorage`, as for the token: closing the tab deletes what the editors contain.
  <GraphiQL
    fetcher={fetcher}
    storage={sessionStorage}
    defaultQuery={welcome}
    shouldPersistHeaders={false}
    schemaDescription
  >
    <GraphiQL.Logo>
      <nav aria-label="Latchkey">
        <a href="/">Dashboard</a> <a href="/openapi">REST reference</a>
      </nav>
    </GraphiQL.Logo>
  </GraphiQL>,
);

repairMarkup({
  // GraphiQL's tabs contain buttons, which the role `tab` does not allow. Without roles, they are a list of buttons.
  '.graphiql-tabs[role]': { role: null },
  '.graphiql-tab[role]': { role: null, 'aria-selected': null },
  '.CodeMirror-scroll[tabindex="-1"]': { tabindex: '0', role: 'group', 'aria-label': 'Text' },
});
