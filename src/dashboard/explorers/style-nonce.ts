/** GraphiQL's dialogs write a style element, which the page's Content-Security-Policy allows only with its nonce. */
import { setNonce } from 'get-nonce';
import { fromServer } from '../server-values.ts';

setNonce(fromServer('nonce'));
