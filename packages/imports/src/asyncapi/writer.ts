import type { Imported, Json } from '@backlot/core/plugin';
import { textOf, type Tree } from '@backlot/contracts';
import type { Example, Message, Operation, Tools } from './document.js';

/** Makes what a kind has of the operations that go by its protocol. */
export interface Writer {
  /** What clients send to the application: mocks that take it, and answer where the document says with what. */
  receive(operation: Operation): void;
  /**
   * What the application sends.
   *
   * @returns what `POST /api/emit/<kind>` takes for it, with templates; `undefined` when it cannot be sent, which is noted
   */
  send(operation: Operation, message: Message, example: Example): Tree | undefined;
  /** The block of the kind, and what a running server takes as data. */
  finish(): { readonly block: Json; readonly data?: NonNullable<Imported['data']>[string] };
}

/** A kind that stands for servers of some protocols. */
export interface WriterDeclaration {
  readonly kind: string;
  /** The names by which documents call the protocols. */
  readonly protocols: readonly string[];
  create(tools: Tools): Writer;
}

/** Notes fields of bindings that nothing is made of. */
export function noteUnused(
  binding: Tree,
  used: readonly string[],
  place: string,
  kind: string,
  { notes }: Tools,
): void {
  for (const name of Object.keys(binding).slice(0, 50)) {
    if (name !== 'bindingVersion' && !name.startsWith('x-') && !used.includes(name))
      notes.approximated(place, `the binding "${name.slice(0, 50)}" of ${kind} is not used`);
  }
}

/** Fields of an object as the texts that headers have. */
export function headerTexts(headers: Tree): Record<string, string> | undefined {
  const texts = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : textOf(value);
    return text === undefined || !/^[!-9;-~]{1,200}$/.test(name)
      ? []
      : [[name, text.replaceAll(/[\r\n\0]+/g, ' ')]];
  });
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}
