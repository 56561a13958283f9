import type { CompileTools, Pointer, ValueTemplate } from '@backlot/core/plugin';
import { encodeMessage } from '../codec/encode.js';
import { FieldError, pointerOf } from '../codec/field-error.js';
import type { MessageType, Method } from '../schema/model.js';

/** A message ready to be sent, and how the journal shows it. */
export interface EncodedMessage {
  readonly bytes: Buffer;
  readonly text: string;
}

/** A response message of a mock. Without a message type its bytes are its JSON text. */
export class CompiledMessage {
  /** Whether it is the same for every call. */
  readonly isConstant: boolean;
  readonly #template: ValueTemplate;
  readonly #source: unknown;
  readonly #pointer: Pointer;
  /** Types go with their schema, so what was encoded for an old one is let go. */
  readonly #encoded = new WeakMap<MessageType, EncodedMessage>();
  #untyped: EncodedMessage | undefined = undefined;

  constructor(source: unknown, tools: CompileTools, pointer: Pointer) {
    this.#source = source;
    this.#pointer = pointer;
    this.#template = tools.value(source, pointer);
    this.isConstant = this.#template.constant;
  }

  /** What does not fit the type, as far as it can be told before anything is rendered. */
  problemWith(type: MessageType): FieldError | undefined {
    if (this.isConstant) {
      const encoded = this.#encodeConstant(type);
      return encoded instanceof FieldError ? encoded : undefined;
    }
    try {
      encodeMessage(type, this.#source, { isOpen: (text) => text.includes('{{') });
      return undefined;
    } catch (thrown) {
      if (thrown instanceof FieldError) return thrown;
      throw thrown;
    }
  }

  /**
   * Renders and encodes it.
   *
   * @throws FieldError when it does not fit the type, with steps from the mock on
   */
  make(type: MessageType | undefined, render: (template: ValueTemplate) => unknown): EncodedMessage {
    if (type === undefined) {
      if (this.#untyped !== undefined) return this.#untyped;
      const text = JSON.stringify(this.isConstant ? this.#source : render(this.#template));
      const encoded = { bytes: Buffer.from(text, 'utf8'), text };
      if (this.isConstant) this.#untyped = encoded;
      return encoded;
    }
    if (this.isConstant) {
      const encoded = this.#encodeConstant(type);
      if (encoded instanceof FieldError) throw this.#locate(encoded);
      return encoded;
    }
    const value = render(this.#template);
    try {
      return { bytes: encodeMessage(type, value, { lenient: true }), text: JSON.stringify(value) };
    } catch (thrown) {
      throw thrown instanceof FieldError ? this.#locate(thrown) : thrown;
    }
  }

  /** Notes what does not fit as a problem of the mock. */
  report(error: FieldError, { path, response }: Method, tools: CompileTools): void {
    tools.problem(
      pointerOf(this.#pointer, error.steps),
      `${error.problem} (${path} answers with ${response.fullName})`,
    );
  }

  #encodeConstant(type: MessageType): EncodedMessage | FieldError {
    const known = this.#encoded.get(type);
    if (known !== undefined) return known;
    try {
      const encoded = { bytes: encodeMessage(type, this.#source), text: JSON.stringify(this.#source) };
      this.#encoded.set(type, encoded);
      return encoded;
    } catch (thrown) {
      // Not kept: what does not fit now may fit once an extension, or the type of an Any, is uploaded.
      if (thrown instanceof FieldError) return thrown;
      throw thrown;
    }
  }

  #locate(error: FieldError): FieldError {
    const steps = this.#pointer
      .slice(1)
      .split('/')
      .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    return new FieldError(error.problem, [...steps, ...error.steps]);
  }
}

const EMPTY: EncodedMessage = { bytes: Buffer.alloc(0), text: '{}' };
const EMPTY_JSON: EncodedMessage = { bytes: Buffer.from('{}'), text: '{}' };

/**
 * Renders and encodes the answer of a mock; an empty message when it has none.
 *
 * @throws FieldError as {@link CompiledMessage.make} does
 */
export function encodeAnswer(
  message: CompiledMessage | undefined,
  type: MessageType | undefined,
  match: { renderValue(template: ValueTemplate): unknown },
): EncodedMessage {
  if (message === undefined) return type === undefined ? EMPTY_JSON : EMPTY;
  return message.make(type, (template) => match.renderValue(template));
}
