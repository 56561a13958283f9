import type { Message } from '@backlot/core/plugin';
import { isOid, parseOid } from './oid.js';
import { formatNative, nameOfType, type SnmpValue } from './wire/value.js';

/** What happens, as the journal names it: the PDUs that are answered, and the traps that are sent. */
export type Operation = 'GET' | 'GETNEXT' | 'GETBULK' | 'SET' | 'TRAP';

/** An OID of a request, with the value that it came with. */
export interface RequestBinding extends SnmpValue {
  readonly oid: string;
}

/** What a request says, without its buffers. */
export interface Request {
  readonly operation: Operation;
  readonly version: '1' | '2c' | '3';
  /** The community, or the user name of v3. */
  readonly principal: string;
  /** The context name of v3. */
  readonly context: string;
  readonly bindings: readonly RequestBinding[];
}

/** One OID of a request, as matchers, templates and the journal see it. */
export class SnmpMessage implements Message {
  readonly method: string;
  /** The OID that the request names. */
  readonly path: string;
  readonly remote: string;
  readonly request: Request;
  /** The OID whose value is asked for: the next one for GETNEXT and GETBULK; absent when it has not been looked up. */
  readonly target: string | undefined;
  #body: string | undefined;

  constructor(request: Request, path: string, remote: string, target: string | undefined) {
    this.method = request.operation;
    this.path = path;
    this.remote = remote;
    this.request = request;
    this.target = target;
  }

  /** Whether the OID that follows is asked for. */
  get asksForNext(): boolean {
    return this.method === 'GETNEXT' || this.method === 'GETBULK';
  }

  /** Every OID, for requests with several, and what a SET sets; else empty. */
  get body(): string {
    return (this.#body ??= describe(this.request));
  }

  /** What templates see beyond the common fields. */
  get extras(): Readonly<Record<string, unknown>> {
    const { version, principal, context, bindings } = this.request;
    return {
      oid: this.target ?? this.path,
      version,
      ...(version === '3' ? { username: principal, context } : { community: principal }),
      bindings: bindings.map((each) => ({
        oid: each.oid,
        type: nameOfType(each.tag),
        value: formatNative(each),
      })),
    };
  }

  /** The same request for another OID of it. */
  for(path: string, target: string | undefined): SnmpMessage {
    return new SnmpMessage(this.request, path, this.remote, target);
  }
}

function describe({ operation, bindings }: Request): string {
  if (operation === 'SET') {
    return bindings.map((each) => `${each.oid} = ${nameOfType(each.tag)}: ${formatNative(each)}`).join('\n');
  }
  return bindings.length > 1 ? bindings.map(({ oid }) => oid).join('\n') : '';
}

/** Makes the message of a journal entry, or of one that somebody wrote: `{method, path}`. */
export function explainEntry(entry: Readonly<Record<string, unknown>>): SnmpMessage {
  const { method, path, remote } = entry;
  const operation = (['GETNEXT', 'GETBULK', 'SET'] as const).find((name) => name === method) ?? 'GET';
  const given = typeof path === 'string' ? path : '';
  const oid = isOid(given) ? parseOid(given) : given;
  const request: Request = { operation, version: '2c', principal: '', context: '', bindings: [] };
  return new SnmpMessage(request, oid, typeof remote === 'string' ? remote : '', undefined);
}
