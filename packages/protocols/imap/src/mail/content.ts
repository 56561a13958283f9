import { writeBodyStructure } from '../mime/body-structure.js';
import { writeEnvelope } from '../mime/envelope.js';
import { parseMessage, type Part } from '../mime/part.js';

/** A message's bytes, which never change, and what is read out of them once somebody asks. */
export class MailContent {
  readonly raw: Buffer;
  #root: Part | undefined;
  #envelope: string | undefined;
  #structure: string | undefined;
  #text: string | undefined;

  constructor(raw: Buffer) {
    this.raw = raw;
  }

  get root(): Part {
    return (this.#root ??= parseMessage(this.raw));
  }

  get envelope(): string {
    return (this.#envelope ??= writeEnvelope(this.root.header));
  }

  get structure(): string {
    return (this.#structure ??= writeBodyStructure(this.raw, this.root, true));
  }

  /** The whole message as latin1 text; for small messages, whose answers are put together as text. */
  get text(): string {
    return (this.#text ??= this.raw.toString('latin1'));
  }
}

/** A message with every line end made CR LF. */
export function withLineEnds(text: string): string {
  return text.replace(/\r\n|\r|\n/g, '\r\n');
}
