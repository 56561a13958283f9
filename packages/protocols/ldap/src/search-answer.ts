import { Slice } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import { formatLine, type Entry } from './data/entry.js';
import type { Selection } from './data/selection.js';
import { encodeEntry, encodeMessage, encodeReference, encodeResult, type Result } from './wire/encode.js';
import { OP } from './wire/tags.js';

/** About how many bytes are written at one time. */
const CHUNK = 64 * 1024;
/** How much the journal shows of an answer. */
const MAX_SHOWN = 64 * 1024;

/** The answer to a search, on its way. */
export interface SearchAnswer {
  readonly id: number;
  readonly entries: readonly Entry[];
  /** Where other servers go on with it: each the addresses of one. */
  readonly references: readonly (readonly string[])[];
  readonly selection: Selection;
  readonly result: Result;
  readonly controls: Buffer | undefined;
}

/** What is told when an answer is complete. */
interface SearchExchange {
  done(reply: { readonly status: number; readonly body: string }): void;
}

/** Sends answers to searches as fast as the client reads them. */
export class SearchSender {
  readonly #connection: Connection;
  readonly #answer: SearchAnswer;
  readonly #exchange: SearchExchange;
  #next = 0;

  constructor(connection: Connection, answer: SearchAnswer, exchange: SearchExchange) {
    this.#connection = connection;
    this.#answer = answer;
    this.#exchange = exchange;
  }

  get id(): number {
    return this.#answer.id;
  }

  /** Goes on with sending; `full`: the client has to read first, `long`: others are to be let in. */
  send(): 'done' | 'full' | 'long' {
    const slice = new Slice();
    const { id, entries, references, result, controls } = this.#answer;
    let parts: Buffer[] = [];
    let size = 0;
    while (this.#next < entries.length + references.length) {
      const bytes = this.#encode(this.#next);
      this.#next += 1;
      parts.push(bytes);
      size += bytes.length;
      if (size < CHUNK) continue;
      if (!this.#connection.write(Buffer.concat(parts, size))) return 'full';
      parts = [];
      size = 0;
      if (slice.isOver) return 'long';
    }
    parts.push(encodeMessage(id, encodeResult(OP.searchDone, result), controls));
    this.#connection.write(Buffer.concat(parts));
    this.#exchange.done({ status: result.code, body: formatAnswer(this.#answer) });
    return 'done';
  }

  /** An entry or, behind all entries, a reference. */
  #encode(at: number): Buffer {
    const { id, entries, references, selection } = this.#answer;
    const entry = entries[at];
    if (entry !== undefined) return encodeEntry(id, entry.dn.text, selection.encode(entry));
    return encodeReference(id, references[at - entries.length] ?? []);
  }
}

/** The entries of an answer as LDIF, or why there are none, for the journal. */
function formatAnswer({ entries, selection, result }: SearchAnswer): string {
  if (entries.length === 0) return result.message ?? '';
  let text = '';
  for (const entry of entries) {
    if (text.length > MAX_SHOWN) break;
    const name = formatLine('dn', Buffer.from(entry.dn.text, 'utf8'));
    text += `${text === '' ? '' : '\n'}${name}${selection.format(entry)}`;
  }
  return text;
}
