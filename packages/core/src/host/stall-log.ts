import type { Log } from '../contract/log.js';
import type { LatestExchange } from '../pipeline/runtime.js';
import type { Stall } from '../time/clock-stalls.js';

/** Milliseconds between two lines about stalls; those in between are counted. */
const QUIET = 1000;
const MAX_SHOWN_LENGTH = 80;

/** A kind as stalls see it. */
export interface StallingKind {
  readonly kind: string;
  readonly address: { readonly port: number } | undefined;
  readonly log: Log;
  stalls: number;
}

/** Writes a line of the log for each stall, with its kind, connection and message where they are known. */
export class StallLog {
  readonly #kinds: readonly StallingKind[];
  readonly #warn: (text: string) => void;
  /** When the next line may be written, by the time of stalls. */
  #quietUntil = 0;
  #unsaid = 0;

  /** @param warn - writes the line of a stall that belongs to no kind */
  constructor(kinds: readonly StallingKind[], warn: (text: string) => void) {
    this.#kinds = kinds;
    this.#warn = warn;
  }

  /**
   * Logs a stall unless it belongs to a port that none of these kinds listens on.
   *
   * @param latest - the newest exchange of all kinds
   * @returns whether the stall was taken
   */
  take(stall: Stall, latest: LatestExchange | undefined): boolean {
    const message = latest !== undefined && latest.began >= stall.began ? latest : undefined;
    const { port, what } = stall;
    const candidates =
      port === undefined ? this.#kinds : this.#kinds.filter(({ address }) => address?.port === port);
    if (port !== undefined && candidates.length === 0) return false;
    // Kinds may share a port.
    const named = what === undefined ? candidates.find((each) => each.kind === message?.kind) : undefined;
    const kind = named ?? (port === undefined ? undefined : candidates[0]);
    if (kind !== undefined) kind.stalls += 1;
    const ended = stall.began + stall.duration;
    if (ended < this.#quietUntil) {
      this.#unsaid += 1;
      return true;
    }
    this.#quietUntil = ended + QUIET;
    const text = `${describe(stall)} held the event loop for ${Math.round(stall.duration)} ms${tell(stall, message)}${this.#more()}`;
    if (kind === undefined) this.#warn(text);
    else kind.log.warn(text);
    return true;
  }

  #more(): string {
    const count = this.#unsaid;
    this.#unsaid = 0;
    return count === 0 ? '' : `; so did ${count} more since the last such line`;
  }
}

function describe({ remote, what }: Stall): string {
  if (what !== undefined) return remote === undefined ? what : `${what} from ${remote}`;
  return remote === undefined ? 'work of no known connection' : `the connection ${remote}`;
}

function tell({ remote }: Stall, exchange: LatestExchange | undefined): string {
  if (exchange === undefined) return '';
  const { message, matchedId } = exchange;
  const mock = matchedId === undefined ? '' : `, mock ${short(matchedId)}`;
  const from = remote === undefined && message.remote !== '' ? ` from ${message.remote}` : '';
  return ` (last message: ${short(`${message.method} ${message.path}`.trim())}${from}${mock})`;
}

/** A text of a client, which must not write to a terminal. */
function short(text: string): string {
  const shown = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH - 3)}...` : text;
  return shown.replaceAll(/\p{C}/gu, '?');
}
