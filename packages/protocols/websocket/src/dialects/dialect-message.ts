import type { Handshake } from '../handshake.js';
import { AdmissionProbe, WebsocketMessage } from '../message.js';
import { showValue, type Unit } from './unit.js';

/** Something that a client did in the terms of a dialect: it entered, sent a message, or left. */
export class DialectMessage extends WebsocketMessage {
  readonly #unit: Unit;
  /** What the answer refers to, such as the id of an acknowledgement. */
  readonly ref: unknown;

  constructor(
    method: WebsocketMessage['method'],
    handshake: Handshake,
    unit: Unit,
    ref?: unknown,
    code?: number,
  ) {
    super(method, handshake, showValue(unit.terms), code);
    this.#unit = unit;
    this.ref = ref;
  }

  override get unit(): Unit {
    return this.#unit;
  }

  override get key(): string {
    return this.#unit.name;
  }

  override get size(): number {
    return 0;
  }

  /** For templates: what it says, by the names that mocks use. */
  override get extras(): Readonly<Record<string, unknown>> {
    return { ...super.extras, dialect: this.#unit.dialect, ...this.#unit.terms };
  }
}

/** Asks for the mock that lets a client into a namespace, a hub or a topic; nothing is counted. */
export class EntryProbe extends AdmissionProbe {
  readonly #unit: Unit;

  constructor(handshake: Handshake, unit: Unit) {
    super(handshake);
    this.#unit = unit;
  }

  override get unit(): Unit {
    return this.#unit;
  }
}
