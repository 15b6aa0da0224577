/** A misspelled variable is reported. Otherwise the service would run with the default unnoticed. */
import { expect, it } from 'vitest';
import { similarVariables } from '../../src/config/similar-variables.ts';

it.each([
  ['WORKER', 'WORKERS'],
  ['KEY_PEPPER', 'KEY_PEPPERS'],
  ['VERIFYPORT', 'VERIFY_PORT'],
  ['CORS_ORIGIN', 'CORS_ORIGINS'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['PORTS', 'PORT'],
  ['log_level', 'LOG_LEVEL'],
  ['LATCHKEY_TOKENS', 'LATCHKEY_TOKEN'],
])('reports %s as %s, without its value', (name, known) => {
  expect(similarVariables({ [name]: 'canary' })).toEqual([
    `${name} is not a variable of Latchkey: did you mean ${known}?`,
  ]);
});

it('reports neither its own variables nor what every environment has', () => {
  const own = { PORT: '1', WORKERS: '1', LATCHKEY_TOKEN: 'x', VERIFY_LEASE_MS: '0', METRICS_PORT: '1' };
  const usual =
    'HOME PATH PWD OLDPWD USER SHELL LANG TERM HOSTNAME LOGNAME EDITOR TZ CI NODE_ENV NODE_OPTIONS NODE SHLVL';
  const others = 'npm_config_yes npm_package_name INIT_CWD COLOR KUBERNETES_PORT DB_HOST DB_PORT REDIS_URL http_proxy';
  const names = `${usual} ${others} OTEL_SERVICE_NAME OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_TIMEOUT`.split(' ');
  expect(similarVariables({ ...own, ...Object.fromEntries(names.map((name) => [name, 'x'])) })).toEqual([]);
});
