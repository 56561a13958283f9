import type { JSX } from 'preact';
import { Code } from './code.js';

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Beyond this a text is shown without colours: each piece is an element. */
const MAX_COLOURED = 40_000;

/** JSON with its keys and values told apart. */
export function Json({ text }: { readonly text: string }): JSX.Element {
  if (text.length > MAX_COLOURED) return <Code>{text}</Code>;
  const parts: (string | JSX.Element)[] = [];
  let last = 0;
  for (const found of text.matchAll(TOKEN)) {
    const [whole, string, colon] = found;
    parts.push(text.slice(last, found.index));
    const kind = string === undefined ? 'atom' : colon === undefined ? 'string' : 'key';
    parts.push(
      <span key={found.index} class={kind}>
        {string ?? whole}
      </span>,
    );
    if (colon !== undefined) parts.push(colon);
    last = found.index + whole.length;
  }
  parts.push(text.slice(last));
  return <Code>{parts}</Code>;
}

/** A value as indented JSON. */
export function Value({ value }: { readonly value: unknown }): JSX.Element {
  return <Json text={JSON.stringify(value, undefined, 2) ?? ''} />;
}
