/** The Go toolchain, where there is one. It runs offline, and takes no other version of itself from the network. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { blockOf } from './documents.ts';

const run = promisify(execFile);

const goClient = 'clients/go';
export const goReadme = `${goClient}/README.md`;

const directories = (process.env.PATH ?? '').split(delimiter);

export function isMissing(program: string): boolean {
  return !directories.some((directory) => existsSync(join(directory, program)));
}

/** Why Go programs cannot be built here; undefined if they can. */
export const whyNoGo = ['go', 'gofmt'].some(isMissing) ? 'Go is not installed' : undefined;

const environment: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  GOTOOLCHAIN: 'local',
  GOPROXY: 'off',
  GOFLAGS: '',
  GOWORK: 'off',
};

/** Returns the output. Rejects with it if the command fails. */
export async function runGoTool(command: string, args: readonly string[], directory = goClient): Promise<string> {
  const options = { cwd: directory, env: environment };
  const { stdout } = await run(command, args, options).catch((error) => {
    throw new Error(`${command} ${args.join(' ')} has failed: ${error.stdout}${error.stderr}`);
  });
  return stdout;
}

/** A file for the example "Sign requests": posts an order to the URL in API_URL, and prints the status. */
export const callOfNewClient = `package main

import (
	"fmt"
	"log"
	"os"
	"strings"
)

func main() {
	client, err := newClient()
	if err != nil {
		log.Fatal(err)
	}
	response, err := client.Post(os.Getenv("API_URL"), "application/json", strings.NewReader("{}"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.Status)
}
`;

const built: string[] = [];

/** Removes all programs that were built, for `afterAll`. */
export async function removeGoPrograms(): Promise<void> {
  for (const directory of built.splice(0)) await rm(directory, { recursive: true, force: true });
}

/** Builds a program that uses the client, installed as its README says. Returns the path of the executable. */
export async function buildGoProgram(...files: readonly string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-go-'));
  built.push(directory);
  // As for a reader, without the tests, which need other files of this repository.
  const installed = (await readdir(goClient)).filter((name) => !name.endsWith('_test.go'));
  for (const name of installed) await cp(join(goClient, name), join(directory, 'third_party/latchkey', name));
  for (const [index, text] of files.entries()) await writeFile(join(directory, `file${index}.go`), text);
  await runGoTool('sh', ['-euc', blockOf(goReadme, 'Install')], directory);
  await runGoTool('go', ['vet', '.'], directory);
  await runGoTool('go', ['build', '-o', 'program', '.'], directory);
  return join(directory, 'program');
}
