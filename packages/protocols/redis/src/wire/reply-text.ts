import type { Reply } from '@backlot/core/plugin';
import { beginningOf, type Encoded } from './long-reply.js';
import { fromWire } from './text.js';

const MAX_SHOWN = 64 * 1024;

/** An encoded answer as the journal has it: made when it is read, since most are dropped unread. */
class JournalReply implements Reply {
  readonly #reply: string;

  constructor(reply: string) {
    this.#reply = reply;
  }

  get size(): number {
    return this.#reply.length;
  }

  get body(): string {
    return describeReply(this.#reply);
  }
}

/** An error as the journal has it: its class, such as `WRONGTYPE`, is the status. */
class JournalError extends JournalReply {
  get status(): string {
    return this.body.split(' ', 1)[0] ?? '';
  }
}

/** An encoded answer as the journal has it; `status` is the class of an error, such as `WRONGTYPE`. */
export function journalReply(given: Encoded): Reply {
  if (typeof given !== 'string' || given.length > MAX_SHOWN) return { body: describeBeginning(given) };
  switch (given.charCodeAt(0)) {
    case 0x2d: // -
      return new JournalError(given);
    case 0x2a: // *
    case 0x7e: // ~
    case 0x3e: // >
    case 0x25: // %
      // Through bytes: the tree of pieces takes many times what the text does.
      return new JournalReply(Buffer.from(given, 'latin1').toString('latin1'));
    default:
      return new JournalReply(given);
  }
}

/** The beginning of a long answer, by so much longer than what is shown that it is seen to be cut. */
function describeBeginning(reply: Encoded): string {
  const text = beginningOf(reply, MAX_SHOWN + 32).slice(0, MAX_SHOWN + 32);
  return fromWire(text.startsWith('$') ? text.slice(text.indexOf('\n') + 1) : text);
}

/** An encoded answer as text: simple values as they are, lists and maps as JSON. */
function describeReply(reply: string): string {
  switch (reply.charCodeAt(0)) {
    case 0x2b: // +
    case 0x3a: // :
    case 0x2c: // ,
    case 0x2d: // -
      return fromWire(reply.slice(1, -2));
    case 0x24: {
      // $
      const start = reply.indexOf('\n') + 1;
      return start === reply.length ? '(nil)' : fromWire(reply.slice(start, -2));
    }
    case 0x5f: // _
      return '(nil)';
    default:
      return JSON.stringify(new ReplyReader(reply).read());
  }
}

class ReplyReader {
  readonly #reply: string;
  #at = 0;

  constructor(reply: string) {
    this.#reply = reply;
  }

  read(): unknown {
    const type = this.#reply[this.#at];
    const end = this.#reply.indexOf('\r\n', this.#at);
    const line = this.#reply.slice(this.#at + 1, end);
    this.#at = end + 2;
    switch (type) {
      case '$':
        return line === '-1' ? null : this.#take(Number(line));
      case '=':
        return this.#take(Number(line)).slice(4);
      case ':':
        return Number.isSafeInteger(Number(line)) ? Number(line) : line;
      case ',':
        return Number.isFinite(Number(line)) ? Number(line) : line;
      case '#':
        return line === 't';
      case '_':
        return null;
      case '*':
      case '~':
      case '>':
        return line === '-1' ? null : Array.from({ length: Number(line) }, () => this.read());
      case '%':
        return Object.fromEntries(
          Array.from({ length: Number(line) }, () => [String(this.read()), this.read()] as const),
        );
      case '-':
        return { error: fromWire(line) };
      default:
        return fromWire(line);
    }
  }

  #take(length: number): string {
    const start = this.#at;
    this.#at += length + 2;
    return fromWire(this.#reply.slice(start, start + length));
  }
}
