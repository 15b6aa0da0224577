import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { listen, stopListening } from './gateway.ts';

/** Linux chooses ports from this one on when a program asks for any port. macOS and Windows start at 49,152. */
const firstOfSystem = 32_768;

it('nothing takes the port of a server that has stopped', async () => {
  const ports: number[] = [];
  for (let n = 0; n < 50; n += 1) {
    const server = createServer();
    ports.push(Number(new URL(await listen(server)).port));
    await stopListening(server);
  }
  expect(ports.filter((port) => port >= firstOfSystem)).toEqual([]);
  expect(new Set(ports).size).toBe(ports.length);
  // The tests that run beside this one take theirs from other parts.
  expect(new Set(ports.map((port) => port % 4)).size).toBe(1);
});
