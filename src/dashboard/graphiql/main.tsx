/** GraphiQL, which the server shows to a browser that comes to `/graphql`. */
import './style-nonce.ts';
import 'graphiql/style.css';
import './style.css';
import CodeMirror from 'codemirror';
import { GraphiQL } from 'graphiql';
import type { ComponentProps } from 'react';
import { createRoot } from 'react-dom/client';
import { currentSession } from '../session/session.ts';

// The label of the editors' text areas, which GraphiQL leaves without one.
CodeMirror.defaults.screenReaderLabel = 'Editor';

/** With the dashboard's session token, unless the headers editor names another. */
const fetcher: ComponentProps<typeof GraphiQL>['fetcher'] = async (parameters, options) => {
  const { token } = currentSession();
  const headers = new Headers(token === null ? {} : { authorization: `Bearer ${token}` });
  for (const [name, value] of Object.entries(options?.headers ?? {})) headers.set(name, String(value));
  headers.set('content-type', 'application/json');
  headers.set('accept', 'application/graphql-response+json');
  const response = await fetch('/graphql', { method: 'POST', headers, body: JSON.stringify(parameters) });
  return await response.json();
};

// In lines that are not cut off beside the documentation.
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
  // Whatever was typed ends with the tab, as the token does.
  <GraphiQL
    fetcher={fetcher}
    storage={sessionStorage}
    defaultQuery={welcome}
    shouldPersistHeaders={false}
    schemaDescription
  />,
);
