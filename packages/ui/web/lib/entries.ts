/** A log entry, as far as this page reads it. */
export interface Entry {
  readonly id: string;
  /** Absent in the main world. */
  readonly space?: string;
  readonly timestamp: string;
  readonly protocol: string;
  readonly method: string;
  readonly path: string;
  readonly status?: number | string;
  readonly duration_ms: number;
  readonly delays?: { readonly mock_ms?: number; readonly fault_ms?: number };
  readonly trace?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: string;
  readonly body_encoding?: string;
  readonly body_truncated?: boolean;
  readonly matched_id?: string;
  readonly path_params?: Readonly<Record<string, string>>;
  readonly fault?: boolean;
  readonly failure?: string;
  readonly remote?: string;
  readonly response?: {
    readonly status?: number | string;
    readonly headers?: Readonly<Record<string, unknown>>;
    readonly body?: string;
    readonly body_encoding?: string;
    readonly body_truncated?: boolean;
  };
  readonly missed?: boolean;
  readonly near_misses?: readonly { readonly mock_id: string; readonly reason: string }[];
  readonly aborted?: boolean;
  /** Absent when the upstream was not asked. */
  readonly upstream?: {
    readonly answered?: boolean;
    readonly recorded_id?: string;
    readonly patterns?: readonly string[];
    readonly differences?: readonly string[];
  };
}

/** What the timeline keeps of an entry: so many of them must not hold their bodies. */
export interface Row {
  /** That of its entry; with the space before it where those of several are shown. */
  readonly id: string;
  /** The id of its entry, which is one of its space. */
  readonly entry: string;
  /** Empty in the main world. */
  readonly space: string;
  /** Increases from row to row. */
  readonly order: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly protocol: string;
  readonly method: string;
  readonly path: string;
  readonly status: string;
  readonly duration: number;
  readonly mock: string | undefined;
  readonly unmatched: boolean;
  readonly fault: boolean;
  readonly aborted: boolean;
  readonly remote: string;
  readonly trace: string;
  /** Milliseconds of it that mocks and faults have added. */
  readonly delayed: number;
  /** What a text that is looked for is looked for in, in lower case. */
  readonly text: string;
}

/** How much of a body is searched. */
const SEARCHED = 400;

/** The id of the row of an entry. @param isJoined - whether it is one among those of other spaces */
export function rowIdOf({ id, space }: Entry, isJoined: boolean): string {
  return isJoined && space !== undefined ? `${space}.${id}` : id;
}

/** Where an entry is asked for. @param row - the id of its row */
export function pathOf(row: string): string {
  const dot = row.indexOf('.');
  const within = dot < 0 ? '' : `spaces/${encodeURIComponent(row.slice(0, dot))}/`;
  return `/api/${within}logs/${encodeURIComponent(row.slice(dot + 1))}`;
}

/** Makes a row of an entry. */
export function rowOf(entry: Entry, order: number, isJoined: boolean): Row {
  const { id, space = '', protocol, method, path, matched_id: mock, remote = '', body = '' } = entry;
  const status = entry.status === undefined ? '' : String(entry.status);
  return {
    id: rowIdOf(entry, isJoined),
    entry: id,
    space,
    order,
    at: Date.parse(entry.timestamp),
    protocol,
    method,
    path,
    status,
    duration: entry.duration_ms,
    mock,
    unmatched: entry.missed === true,
    fault: entry.fault === true,
    aborted: entry.aborted === true,
    remote,
    trace: entry.trace ?? '',
    delayed: (entry.delays?.mock_ms ?? 0) + (entry.delays?.fault_ms ?? 0),
    text: `${method} ${path} ${mock ?? ''} ${status} ${body.slice(0, SEARCHED)}`.toLowerCase(),
  };
}

/** What rows are shown. */
export interface Filter {
  readonly protocols: ReadonlySet<string>;
  readonly mock: string;
  readonly status: string;
  readonly text: string;
  readonly remote: string;
  readonly trace: string;
  readonly unmatched: boolean;
  readonly fault: boolean;
}

/** The filter that an address has. */
export function filterOf(params: Readonly<Record<string, string>>): Filter {
  const kinds = params['protocol'] ?? '';
  return {
    protocols: new Set(kinds === '' ? [] : kinds.split(',')),
    mock: params['mock'] ?? '',
    status: params['status'] ?? '',
    text: (params['q'] ?? '').toLowerCase(),
    remote: params['remote'] ?? '',
    trace: params['trace'] ?? '',
    unmatched: params['unmatched'] === '1',
    fault: params['fault'] === '1',
  };
}

/** Whether a row is shown. A status may be a beginning, `4`, and a connection an address without its port. */
export function fits(row: Row, filter: Filter): boolean {
  if (filter.protocols.size > 0 && !filter.protocols.has(row.protocol)) return false;
  if (filter.unmatched && !row.unmatched) return false;
  if (filter.fault && !row.fault) return false;
  if (filter.mock !== '' && row.mock !== filter.mock) return false;
  if (filter.status !== '' && !row.status.toLowerCase().startsWith(filter.status.toLowerCase())) return false;
  if (filter.trace !== '' && !row.trace.startsWith(filter.trace)) return false;
  if (filter.remote !== '' && !row.remote.startsWith(filter.remote)) return false;
  return filter.text === '' || row.text.includes(filter.text);
}
