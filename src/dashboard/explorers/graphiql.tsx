/** GraphiQL, which the server sends to browsers that open `/graphql`. */
import './style-nonce.ts';
import 'graphiql/style.css';
import './graphiql.css';
import CodeMirror from 'codemirror';
import { GraphiQL } from 'graphiql';
import type { ComponentProps } from 'react';
import { createRoot } from 'react-dom/client';
import { type Access, asSession } from '../api/post.ts';
import { renew } from '../session/recover.ts';
import { repairMarkup } from './repair-markup.ts';

// GraphiQL sets no label for the text areas of its editors.
CodeMirror.defaults.screenReaderLabel = 'Editor';

/** Sends a request in the session of the browser, or with the Authorization header of the headers editor instead. */
const fetcher: ComponentProps<typeof GraphiQL>['fetcher'] = async (parameters, options) => {
  const given = new Headers(options?.headers ?? {});
  const access: Access = given.has('authorization') ? { credentials: 'omit' } : asSession(null);
  const headers = new Headers({ ...access.headers, ...Object.fromEntries(given) });
  headers.set('content-type', 'application/json');
  headers.set('accept', 'application/graphql-response+json');
  const send = () => fetch('/graphql', { ...access, method: 'POST', headers, body: JSON.stringify(parameters) });
  const sentAt = Date.now();
  const response = await send();
  const isOver = response.status === 401 && access.credentials === undefined;
  return await (isOver && (await renew(sentAt)) === null ? await send() : response).json();
};

// Lines are short, so that they fit beside the documentation.
const welcome = `# Calls are sent in the session of the dashboard,
# or with a session token that is given in
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
  // `sessionStorage`: closing the tab deletes what the editors contain.
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
