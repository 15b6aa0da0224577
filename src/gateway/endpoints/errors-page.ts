/** `GET /errors`: the page that `type` in problem documents links to, the same as on the management port. */
import { errorsPath } from '../../domain/errors.ts';
import { errorsPage } from '../../ports/errors-page.ts';
import { countAnswer } from '../exchange.ts';
import type { Endpoint } from '../router.ts';

export const errorsEndpoint: Endpoint = {
  route: errorsPath,
  methods: ['GET', 'HEAD'],
  answer: (exchange) => {
    const { headers, body } = errorsPage();
    exchange.response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
    countAnswer(exchange);
  },
};
