/** Reads what `strace -f -yy` wrote, and returns for each answered change whether the database was on the disk by then. */

interface TracedChange {
  /** The request's first line, without the version. */
  readonly request: string;
  readonly status: string;
  /** Written to the write-ahead log between the request's arrival and its answer. */
  readonly walWrites: number;
  /** Whether all of that was synced, without an error, before the first byte of the answer was sent. */
  readonly isSynced: boolean;
}

interface Call {
  readonly name: string;
  readonly path: string;
  readonly text: string;
  readonly failed: boolean;
}

/** The changes of a trace in which one request at a time is in progress. */
export function tracedChanges(trace: string): TracedChange[] {
  const changes: TracedChange[] = [];
  let request: string | null = null;
  let walWrites = 0;
  let unsynced = 0;
  for (const { name, path, text, failed } of callsOf(trace)) {
    const received = /^"(POST|PATCH|DELETE) (\S+) HTTP/.exec(text);
    const answered = /"HTTP\/1\.1 (\d+)/.exec(text);
    if (path.startsWith('TCP:') && /^(?:read|recv)/.test(name) && received !== null) {
      request = `${received[1]} ${received[2]}`;
      walWrites = 0;
      unsynced = 0;
    } else if (isLog(path) && /write/.test(name)) {
      walWrites += 1;
      unsynced += 1;
    } else if (isLog(path) && /sync/.test(name) && !failed) {
      unsynced = 0;
    } else if (path.startsWith('TCP:') && /^(?:write|send)/.test(name) && answered !== null && request !== null) {
      changes.push({ request, status: String(answered[1]), walWrites, isSynced: walWrites > 0 && unsynced === 0 });
      request = null;
    }
  }
  return changes;
}

/** The database's own, not that of the nonces beside it. */
function isLog(path: string): boolean {
  return path.endsWith('.db-wal');
}

/** Calls in the order in which they count: a sync, like a read, when it is done, and a write when it begins. */
function callsOf(trace: string): Call[] {
  const calls: Call[] = [];
  const unfinished = new Map<string, string>();
  for (const line of trace.split('\n')) {
    const [, thread = '', text = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (text.endsWith('<unfinished ...>')) {
      const begun = text.slice(0, -'<unfinished ...>'.length).trimEnd();
      if (/^\w*(?:write|send)/.test(begun)) calls.push(...callOf(`${begun} = 0`));
      else unfinished.set(thread, begun);
      continue;
    }
    const [, rest] = /^<\.\.\. \w+ resumed>\s*(.*)$/.exec(text) ?? [];
    if (rest === undefined) calls.push(...callOf(text));
    else if (unfinished.has(thread)) calls.push(...callOf(`${unfinished.get(thread)} ${rest}`));
    unfinished.delete(thread);
  }
  return calls;
}

/** `fdatasync(25</data/latchkey.db-wal>) = 0`; a socket's path is `TCP:[…->…]`, which has a `>` of its own. */
function callOf(text: string): Call[] {
  const [, name, path, , args = '', result = ''] =
    /^(\w+)\(\d+<(TCP(?:v6)?:\[[^\]]*\]|[^>]*)>(,\s*(.*?))?\s*\)?\s+=\s+(-?\d+|\?).*$/.exec(text) ?? [];
  if (name === undefined || path === undefined) return [];
  return [
    {
      name,
      path: path.replace(/^TCPv6/, 'TCP'),
      text: args.replace(/^\[\{iov_base=/, ''),
      failed: result !== '0' && /sync/.test(name),
    },
  ];
}
