/** Lets GraphiQL's dialogs add a style element: the Content-Security-Policy requires the page's nonce on it. */
import { setNonce } from 'get-nonce';
import { fromServer } from '../server-values.ts';

setNonce(fromServer('nonce'));
