/** Reads a history line by line, so that it can be larger than the memory. */
import { isIPv4 } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { HistoryChecker, type Result } from './checker.ts';
import {
  hasFields,
  isFlag,
  isNumber,
  isText,
  isTexts,
  isTrue,
  isWhole,
  oneOf,
  orNull,
  read,
  type Shape,
  shown,
  shownCharacters,
} from './fields.ts';
import {
  type Circumstances,
  type ClockOffset,
  type Event,
  type Header,
  HistoryError,
  type KeyState,
  type Verdict,
} from './format.ts';

const maxViolations = 10;

/** Judges the history, and keeps the first 10 violations. A HistoryError names the line. */
export async function checkLines(input: Readable): Promise<Result> {
  let checker: HistoryChecker | null = null;
  let line = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    try {
      if (checker === null) checker = new HistoryChecker(parseHeader(text), maxViolations);
      else checker.add(parseEvent(text));
    } catch (error) {
      if (error instanceof HistoryError) throw new HistoryError(`line ${line}: ${error.message}`);
      throw error;
    }
  }
  if (checker === null) throw new HistoryError('line 1: there is no header');
  return checker.finish();
}

const clockShape: Shape<ClockOffset> = { required: { min: isNumber, max: isNumber } };

const headerShape: Shape<{ version: 1; clock: ClockOffset }, { leaseMs: number }> = {
  required: {
    version: (value): value is 1 => value === 1,
    clock: (value): value is ClockOffset => read('the clock', value, clockShape) !== null,
  },
  optional: { leaseMs: isNumber },
};

function parseHeader(line: string): Header {
  return read('the header', parse(line), headerShape);
}

const isAddress = (value: unknown): value is string => isText(value) && isIPv4(value);

/** The rules compare texts, so that another notation of a network would give wrong verdicts. */
function isAllowedList(value: unknown): value is readonly string[] {
  if (!isTexts(value)) return false;
  const wrong = value.find((entry) => !isIPv4(entry.endsWith('.0/24') ? entry.slice(0, -'/24'.length) : entry));
  if (wrong === undefined) return true;
  throw new HistoryError(`"allowed": expected IPv4 addresses and networks a.b.c.0/24, not ${shown(wrong)}`);
}

const stateShape: Shape<Omit<KeyState, 'frozen'>, Required<Pick<KeyState, 'frozen'>>> = {
  required: {
    name: isText,
    env: isText,
    revoked: isFlag,
    secret: isWhole,
    overlap: isFlag,
    disabled: isFlag,
    scopes: isTexts,
    expiresAt: orNull(isNumber),
    allowed: isAllowedList,
    signing: orNull(isWhole),
  },
  optional: { frozen: isFlag },
};

const requestShape: Shape<Circumstances> = {
  required: {
    secret: isWhole,
    scopes: isTexts,
    env: orNull(isText),
    source: orNull(isAddress),
    signedWith: orNull(isWhole),
  },
};

const verdictShape: Shape<object, Required<Verdict>> = {
  required: {},
  optional: {
    accepted: isFlag,
    code: isText,
    name: isText,
    secret: oneOf('current', 'previous'),
    expiresAt: orNull(isNumber),
  },
};

const isState = (value: unknown): value is KeyState => read('the state', value, stateShape) !== null;
const isRequest = (value: unknown): value is Circumstances => read('the request', value, requestShape) !== null;
const isVerdict = (value: unknown): value is Verdict => read('the verdict', value, verdictShape) !== null;

const changeCallShape = { required: { at: isNumber, call: isWhole, key: isText, change: isText, after: isState } };
const verifyCallShape = {
  required: { at: isNumber, call: isWhole, key: isText, request: isRequest },
  optional: { port: isText },
};
const answerShape = { required: { at: isNumber, answer: isWhole } };
const rejectionShape = { required: { ...answerShape.required, rejected: isTrue } };
const verdictAnswerShape = { required: { ...answerShape.required, verdict: isVerdict } };

function parseEvent(line: string): Event {
  const event = parse(line);
  if (!hasFields(event)) throw new HistoryError('the event is not an object');
  if ('change' in event) return read('the call of a change', event, changeCallShape);
  if ('call' in event) return read('the call of a verification', event, verifyCallShape);
  if ('rejected' in event) return read('the answer', event, rejectionShape);
  if ('verdict' in event) return read('the answer', event, verdictAnswerShape);
  return read('the answer', event, answerShape);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new HistoryError(`this is not JSON: ${line.slice(0, shownCharacters)}`);
  }
}
