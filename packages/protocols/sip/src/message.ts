import type { Message } from '@backlot/core/plugin';
import { formatAddress } from '@backlot/kit';
import { addField, NO_FIELDS, plainRecord, viewBody, type Fields } from '@backlot/kit/http';
import type { Source } from './incoming-request.js';
import type { ResponseTemplate } from './response-template.js';
import { readHead } from './wire/read-message.js';
import { readUri } from './wire/uri.js';

/** What a message is made of. */
export interface MessageParts {
  readonly method: string;
  readonly uri: string;
  /** The first line and the headers as they came. */
  readonly head: string;
  readonly body: Buffer | undefined;
  /** Octets that it came in. */
  readonly size: number;
  readonly source: Pick<Source, 'address' | 'port' | 'transport'>;
}

/**
 * A request, as matchers, templates and the journal see it. What nobody reads is never made: of the headers their text is
 * kept, since the journal keeps thousands of messages, and a dozen texts of each would be most of what it holds.
 */
export class SipMessage implements Message {
  readonly method: string;
  /** The Request-URI. */
  readonly path: string;
  declare readonly body?: Buffer;
  /** The mock that fits, noted by its matcher: what it answers before its delay is over has to be known before. */
  fitting: { readonly provisional: readonly ResponseTemplate[] } | undefined;
  readonly size: number;
  readonly #head: string;
  readonly #address: string;
  readonly #port: number;
  readonly #transport: Source['transport'];
  #headers: Fields | undefined;

  constructor(request: MessageParts) {
    this.method = request.method;
    this.path = request.uri;
    if (request.body !== undefined) this.body = request.body;
    this.size = request.size;
    this.#head = request.head;
    const { address, port, transport } = request.source;
    this.#address = address;
    this.#port = port;
    this.#transport = transport;
  }

  get remote(): string {
    return formatAddress(this.#address, this.#port);
  }

  get headers(): Fields {
    return (this.#headers ??= gather(this.#head));
  }

  /** The body as text; `undefined` when there is none. */
  get text(): string | undefined {
    return this.body?.toString('utf8');
  }

  /** What templates see beyond the common fields. */
  get extras(): Readonly<Record<string, unknown>> {
    const { path, headers, body } = this;
    return Object.assign(viewBody(firstOf(headers['content-type']), body), {
      uri: { ...readUri(path), text: path },
      from: uriIn(firstOf(headers['from'])),
      to: uriIn(firstOf(headers['to'])),
      call_id: firstOf(headers['call-id']),
      cseq: firstOf(headers['cseq']),
      transport: this.#transport,
    });
  }
}

function gather(head: string): Fields {
  const headers = readHead(head);
  if (headers.length === 0) return NO_FIELDS;
  const fields = plainRecord<string | string[]>();
  for (let index = 0; index < headers.length; index += 2) {
    addField(fields, headers[index] ?? '', headers[index + 1] ?? '');
  }
  return fields;
}

function firstOf(value: Fields[string] | undefined): string {
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
}

/** The URI of an address such as `"Bob" <sip:bob@example.com>;tag=1`. */
function uriIn(address: string): string {
  const start = address.indexOf('<');
  const end = address.indexOf('>', start);
  if (start >= 0 && end >= 0) return address.slice(start + 1, end);
  return address.split(';', 1)[0]?.trim() ?? '';
}
