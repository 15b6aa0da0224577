import { LatchkeyError } from '../domain/errors.ts';
import type { Exchange } from './exchange.ts';
import type { GatewayConvention } from './request/authorize-call.ts';

export interface GatewayEndpoint {
  /** The path, which is also the route label in metrics and traces: one of a fixed set, whatever the URL. */
  readonly route: string;
  readonly methods?: readonly string[];
  /** Whether further segments or a query can follow the path. */
  readonly isPrefix?: boolean;
  /** The convention of a calling gateway, which can forward only the status and headers. */
  readonly convention?: GatewayConvention;
  /** Whether clients of OAuth 2.0 call it, which expect errors as in RFC 6749, section 5.2. */
  readonly isOAuth?: boolean;
  /** What `WWW-Authenticate` asks for. Default: Bearer, for the token of a verifier or an edge. */
  readonly challenge?: string;
  /** Whether calls are traced (only for verifications). */
  readonly isTraced?: boolean;
  /** Sends the answer, now or later. If it throws an error first, that error is the answer. */
  readonly answer: (exchange: Exchange, url: string) => void;
}

const managementPath =
  /^\/(?:graphql|openapi(?:\.json)?|v1\/leaks\/github|v1\/keys(?!\/self(?:\?|$))(?:\/[^?]*)?)?(?:\?|$)/;
const onManagementPort = 'This is the verification port (VERIFY_PORT). The path is on the management port (PORT).';

const notFound: GatewayEndpoint = {
  route: 'other',
  answer: (_, url) => {
    const message = managementPath.test(url) ? onManagementPort : 'There is nothing at this path.';
    throw new LatchkeyError('NOT_FOUND', message);
  },
};

interface Path {
  readonly byMethod: Map<string, GatewayEndpoint>;
  readonly otherMethods: GatewayEndpoint;
}

/** All endpoints exist before the first request, so routing allocates nothing. */
export class Router {
  readonly #paths = new Map<string, Path>();
  readonly #prefixes: readonly string[];

  constructor(endpoints: readonly GatewayEndpoint[]) {
    for (const endpoint of endpoints) {
      const { byMethod } = this.#paths.get(endpoint.route) ?? this.#add(endpoint);
      for (const method of endpoint.methods ?? []) byMethod.set(method, endpoint);
    }
    this.#prefixes = endpoints.flatMap(({ route, isPrefix = false }) => (isPrefix ? [route] : []));
  }

  #add(endpoint: GatewayEndpoint): Path {
    const byMethod = new Map<string, GatewayEndpoint>();
    const otherMethods = endpoint.methods === undefined ? endpoint : methodNotAllowed(endpoint, byMethod);
    const path = { byMethod, otherMethods };
    this.#paths.set(endpoint.route, path);
    return path;
  }

  /** Always returns an endpoint. For an unknown path or a wrong method, its `answer` throws. */
  find(method: string, url: string): GatewayEndpoint {
    const path = this.#paths.get(url) ?? this.#pathBefore(url);
    if (path === undefined) return notFound;
    return path.byMethod.get(method) ?? path.otherMethods;
  }

  #pathBefore(url: string): Path | undefined {
    for (const prefix of this.#prefixes) {
      const next = url[prefix.length];
      if ((next === '/' || next === '?') && url.startsWith(prefix)) return this.#paths.get(prefix);
    }
    return undefined;
  }
}

function methodNotAllowed(endpoint: GatewayEndpoint, byMethod: ReadonlyMap<string, GatewayEndpoint>): GatewayEndpoint {
  return {
    ...endpoint,
    answer: ({ response }) => {
      const methods = [...byMethod.keys()];
      response.setHeader('allow', methods.join(', '));
      throw new LatchkeyError('METHOD_NOT_ALLOWED', `This path accepts only ${methods.join(' and ')}.`);
    },
  };
}
