/** An application in JavaScript, as a process of its own that finds the packages of this repository. */
import { type ChildProcess, spawn } from 'node:child_process';
import { nextOutput } from '../support/processes.ts';

/** What a program does at its end, to listen on a free port and print it. */
export const listening = {
  Express: `const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));`,
  Fastify: `await app.listen({ host: '127.0.0.1', port: 0 }); console.log(app.server.address().port);`,
};

/** Starts the program of a recipe, which prints its port. */
export async function startApplication(
  program: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<{ readonly child: ChildProcess; readonly origin: string }> {
  const child = spawn('node', ['--input-type=module', '-e', program], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, origin: `http://127.0.0.1:${await nextOutput(child)}` };
}
