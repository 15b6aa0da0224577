/** Clients that hold connections without completing a request. */
import { connect, type Socket } from 'node:net';

/** Opens connections that send a text at the start, and another one every second. */
export async function connectIdleClients(url: string, clients: number, start = '', everySecond = '') {
  const { port } = new URL(url);
  const sockets: Socket[] = [];
  let closed = 0;
  // In portions: a burst beyond the listen queue would test the kernel.
  for (let i = 0; i < clients; i += 200) {
    const portion = Array.from({ length: Math.min(200, clients - i) }, () => connect(Number(port), '127.0.0.1'));
    sockets.push(...portion);
    await Promise.all(portion.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    for (const socket of portion) {
      socket.on('error', () => undefined).once('close', () => (closed += 1));
      socket.resume();
      if (start !== '') socket.write(start);
    }
  }
  const timer = setInterval(() => {
    if (everySecond === '') return;
    for (const socket of sockets) if (socket.writable) socket.write(everySecond);
  }, 1000);
  return {
    /** How many connections the server has closed. */
    closed: () => closed,
    leave: () => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}
