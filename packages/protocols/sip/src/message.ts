import type { Message } from '@backlot/core/plugin';
import { addField, NO_FIELDS, plainRecord, type Fields } from '@backlot/kit';
import type { IncomingRequest } from './incoming-request.js';
import type { CompiledSip } from './matcher.js';
import { readUri } from './wire/uri.js';

/** A request, as matchers, templates and the journal see it. What nobody reads is never made. */
export class SipMessage implements Message {
  readonly method: string;
  /** The Request-URI. */
  readonly path: string;
  readonly remote: string;
  declare readonly body?: Buffer;
  /** The mock that fits, noted by its matcher: what it answers before its delay is over has to be known before. */
  fitting: CompiledSip | undefined;
  readonly #request: IncomingRequest;
  #headers: Fields | undefined;

  constructor(request: IncomingRequest) {
    this.method = request.method;
    this.path = request.uri;
    this.remote = request.source.remote;
    if (request.body !== undefined) this.body = request.body;
    this.#request = request;
  }

  get headers(): Fields {
    return (this.#headers ??= gather(this.#request));
  }

  get size(): number {
    return this.#request.size;
  }

  /** What templates see beyond the common fields. */
  get extras(): Readonly<Record<string, unknown>> {
    const { uri, from, to, callId, cseq, source } = this.#request;
    return {
      uri: { ...readUri(uri), text: uri },
      from: uriIn(from),
      to: uriIn(to),
      call_id: callId,
      cseq,
      transport: source.transport,
    };
  }
}

function gather({ headers }: IncomingRequest): Fields {
  if (headers.length === 0) return NO_FIELDS;
  const fields = plainRecord<string | string[]>();
  for (let index = 0; index < headers.length; index += 2) {
    addField(fields, headers[index] ?? '', headers[index + 1] ?? '');
  }
  return fields;
}

/** The URI of an address such as `"Bob" <sip:bob@example.com>;tag=1`. */
function uriIn(address: string): string {
  const start = address.indexOf('<');
  const end = address.indexOf('>', start);
  if (start >= 0 && end >= 0) return address.slice(start + 1, end);
  return address.split(';', 1)[0]?.trim() ?? '';
}
