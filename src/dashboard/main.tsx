// The styles of components are loaded with their code (vite.config.ts).
import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/default-css-variables.layer.css';
import '@mantine/core/styles/global.layer.css';
import './style.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import { fromServer } from './server-values.ts';
import './session/arrival.ts';
import { keepSession } from './session/recover.ts';
import { prefetchViewer } from './session/viewer.ts';
import { router } from './shell/router.tsx';
import { cssVariables, printLight, theme } from './shell/theme.ts';

// Dialogs add a style element that stops the page behind them from scrolling. This element needs the nonce.
setNonce(fromServer('nonce'));

printLight();
keepSession();
prefetchViewer();

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has an element called root');
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => fromServer('nonce')}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
