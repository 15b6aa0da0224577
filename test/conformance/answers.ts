/** Servers that answer `POST /v1/verify` as the vectors say. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { deadUrl, type StandIn } from '../support/stand-in-verifier.ts';
import { type VectorAnswer, verdictVectors } from './vectors.ts';

/** Lets the stand-in give an answer. Returns the URL to call: that of the stand-in, or one at which nothing listens. */
export async function giveAnswer(standIn: StandIn, answer: VectorAnswer): Promise<string> {
  if (answer.fault === 'refuses') return await deadUrl();
  standIn.answer = ({ response }) => void sendAnswer(response, answer);
  return standIn.url;
}

async function sendAnswer(response: ServerResponse, answer: VectorAnswer): Promise<void> {
  const { fault, status = 200, headers, padToBytes = 0, cutOff } = answer;
  if (fault === 'silent') return;
  if (fault !== undefined) {
    response.socket?.end(fault === 'garbage' ? '\u0016\u0003\u0001 no HTTP\r\n\r\n' : '');
    return;
  }
  const text = bodyOf(answer);
  const body = Buffer.from(text.padEnd(padToBytes + text.length - Buffer.byteLength(text)));
  // Node sends no body with 204, and rejects the attempt to.
  const length = status === 204 ? {} : { 'content-length': body.length + (cutOff ? 1 : 0) };
  response.writeHead(status, { 'content-type': 'application/json', ...length, ...headers });
  response.write(body);
  if (!cutOff) return void response.end();
  if (response.writableNeedDrain) await once(response, 'drain');
  response.socket?.end();
}

function bodyOf({ verdict, without = [], text, repeat }: VectorAnswer): string {
  if (text !== undefined) return text + (repeat?.text ?? '').repeat(repeat?.times ?? 0);
  const members = Object.entries({ ...verdictVectors.verdict, ...verdict });
  return JSON.stringify(Object.fromEntries(members.filter(([name]) => !without.includes(name))));
}
