import type { Upstream } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import { UpstreamLine, type UpstreamLog } from '@backlot/kit/upstream';
import { BerFramer } from '../wire/ber-framer.js';
import { element } from '../wire/encode.js';
import type { Control } from '../wire/request.js';
import { OP, TAG } from '../wire/tags.js';
import type { ReadAnswer } from './compared.js';
import { readEntry, readMessage, readReference, readResult, type ReadEntry } from './read-answer.js';

/** The most bytes of an answer that are looked at. */
const MAX_READ = 2 * 1024 * 1024;

/** An answer with its last message, which the client has not been given yet. */
export interface LineAnswer extends ReadAnswer {
  readonly last: Buffer;
  /** Bytes of its entries and references. */
  readonly size: number;
  /** Of its last message. */
  readonly controls: readonly Control[];
}

/** A request that is not answered yet. */
interface Asked {
  readonly passes: boolean;
  readonly entries: ReadEntry[];
  readonly references: (readonly string[])[];
  size: number;
  readonly resolve: (answer: LineAnswer) => void;
  readonly reject: (problem: Error) => void;
}

/** The line to the upstream for one client, whose requests have their own numbers on it. */
export class LdapLine {
  readonly #connection: Connection;
  readonly #line: UpstreamLine;
  readonly #asked = new Map<number, Asked>();
  #problem: Error | undefined;

  constructor(connection: Connection, upstream: Upstream, authorities: Buffer | undefined, log: UpstreamLog) {
    this.#connection = connection;
    const framer = new BerFramer();
    this.#line = new UpstreamLine(connection, upstream, authorities, log, {
      data: (chunk) => framer.push(chunk, (frame) => this.#take(frame)),
      end: (problem) => this.#end(problem),
    });
  }

  /**
   * Sends a request and waits for the end of its answer.
   *
   * @param passes - whether what comes before the end is given to the client as it comes
   */
  ask(id: number, request: Buffer, passes: boolean): Promise<LineAnswer> {
    if (this.#problem !== undefined) return Promise.reject(this.#problem);
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { passes, entries: [], references: [], size: 0, resolve, reject });
      this.#line.send(request);
    });
  }

  /** Sends what is answered by nothing. */
  send(message: Buffer): void {
    this.#line.send(message);
  }

  /** Gives bytes to the client. */
  give(message: Buffer): void {
    this.#line.pass(message);
  }

  /** The client waits for an answer no more. */
  abandon(id: number): void {
    const asked = this.#asked.get(id);
    if (asked === undefined) return;
    this.#asked.delete(id);
    asked.reject(new Error('the client has abandoned it'));
  }

  #take(frame: Buffer): undefined {
    const message = readMessage(frame);
    const asked = this.#asked.get(message.id);
    const bytes = element(TAG.sequence, frame);
    if (asked === undefined) {
      // Such as the notice of disconnection, which has the number 0.
      if (message.id === 0) this.#line.pass(bytes);
      return;
    }
    const isPart = message.tag === OP.searchEntry || message.tag === OP.searchReference;
    if (isPart || message.tag === INTERMEDIATE) {
      asked.size += bytes.length;
      if (asked.passes) this.#line.pass(bytes);
      if (asked.size > MAX_READ) return;
      if (message.tag === OP.searchEntry) asked.entries.push(readEntry(message));
      else if (isPart) asked.references.push(readReference(message));
      return;
    }
    this.#asked.delete(message.id);
    const { entries, references, size } = asked;
    asked.resolve({
      entries,
      references,
      result: readResult(message),
      isWhole: size <= MAX_READ,
      size,
      controls: message.controls,
      last: bytes,
    });
  }

  #end(problem: Error | undefined): void {
    this.#problem = problem ?? new Error('it has closed the connection');
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const { reject } of asked) reject(this.#problem);
    if (asked.length > 0 || this.#connection.isClosed) return;
    if (problem === undefined) this.#connection.endWhenIdle();
    else this.#connection.reset();
  }
}

/** IntermediateResponse (RFC 4511, section 4.13). */
const INTERMEDIATE = 0x79;
