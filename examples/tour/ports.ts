const defaults = {
  management: ['PORT', 4000],
  verification: ['VERIFY_PORT', 4001],
  api: ['API_PORT', 3000],
  nginx: ['NGINX_PORT', 8080],
  edge: ['EDGE_PORT', 4002],
} as const;

export type Ports = Readonly<Record<keyof typeof defaults, number>>;

export function readPorts(environment: NodeJS.ProcessEnv): Ports {
  const port = (name: keyof typeof defaults) => {
    const [variable, value] = defaults[name];
    return Number(environment[variable] ?? value);
  };
  return {
    management: port('management'),
    verification: port('verification'),
    api: port('api'),
    nginx: port('nginx'),
    edge: port('edge'),
  };
}
