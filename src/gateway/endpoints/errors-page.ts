/** `GET /errors`: the page that `type` in problem documents links to, the same as on the management port. */
import { errorsPath } from '../../domain/errors.ts';
import { errorsPage } from '../../ports/errors-page.ts';
import { countAnswer } from '../exchange.ts';
import type { GatewayEndpoint } from '../router.ts';

export const errorsEndpoint: GatewayEndpoint = {
  route: errorsPath,
  methods: ['GET', 'HEAD'],
  answer: (exchange) => {
    const { headers, body } = errorsPage();
    exchange.response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
    countAnswer(exchange);
  },
};
