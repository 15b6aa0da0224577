/** `latchkey doctor`: finds problems of the service on this machine, and says how to solve them. */
import type { Command } from 'commander';
import {
  type Configuration,
  ConfigurationError,
  readConfiguration,
  similarVariables,
} from '../../../config/configuration.ts';
import { exitCodes } from '../../failure.ts';
import type { JsonOption } from '../../options.ts';
import { printResult, tableOf } from '../../print.ts';
import { examineDirectories, examineSecrets } from './examine-files.ts';
import { examinePorts } from './examine-ports.ts';
import { examineStore } from './examine-store.ts';
import { examineKeySet, examineProvider } from './examine-tokens.ts';
import { error, type Finding, ok, warning } from './finding.ts';

const colors = { ok: 'green', warning: 'yellow', error: 'red' } as const;

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description(
      'check configuration, disk, store, identity provider, clock and ports; exits with 1 if it finds an error',
    )
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonOption) => {
      const findings = await examine();
      printResult(findings, json, () =>
        tableOf(
          null,
          findings.map(({ what, state, note }) => [{ text: state, color: colors[state] }, what, note]),
        ),
      );
      if (findings.some(({ state }) => state === 'error')) process.exitCode = exitCodes.failed;
    });
}

async function examine(): Promise<Finding[]> {
  const similar = similarVariables(process.env).map((note) => warning('configuration', note));
  let configuration: Configuration;
  try {
    configuration = readConfiguration(process.env);
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    return [...thrown.problems.map((note) => error('configuration', note)), ...similar];
  }
  const store = await examineStore(configuration);
  return [
    ok('configuration', 'every variable is valid'),
    ...similar,
    store.secrets ?? examineSecrets(configuration),
    ...examineDirectories(configuration),
    ...(await examineKeySet(configuration)),
    ...(await examineProvider(configuration)),
    ...store.findings,
    ...(await examinePorts(configuration)),
  ];
}
