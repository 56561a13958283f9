import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { bytesOf, hexOf, sizeOf } from '../lib/format.js';
import { Json } from './json.js';
import { Code } from './code.js';

/** The text as indented JSON; undefined when it is none. */
function asJson(text: string): string | undefined {
  const first = text.trimStart().charAt(0);
  if (first !== '{' && first !== '[') return undefined;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return undefined;
  }
}

interface Given {
  readonly text: string | undefined;
  /** `base64` when the text stands for bytes. */
  readonly encoding?: string | undefined;
  readonly isCut?: boolean | undefined;
}

/** A body: JSON indented, text as it is, bytes as a dump; each can be seen as another. */
export function Body({ text, encoding, isCut = false }: Given): JSX.Element {
  const [chosen, choose] = useState<string>();
  if (text === undefined || text === '') return <p class="quiet">No body.</p>;
  const isBytes = encoding === 'base64';
  const json = isBytes ? undefined : asJson(text);
  const bytes = isBytes ? bytesOf(text) : new TextEncoder().encode(text);
  const forms = [...(json === undefined ? [] : ['JSON']), ...(isBytes ? ['base64'] : ['text']), 'hex'];
  const form = chosen ?? (isBytes ? 'hex' : (forms[0] ?? 'text'));
  return (
    <div class="body">
      <div class="forms" role="group" aria-label="Show the body as">
        {forms.map((name) => (
          <button
            key={name}
            type="button"
            class="tab"
            aria-pressed={name === form}
            onClick={() => choose(name)}
          >
            {name}
          </button>
        ))}
        <span class="quiet">
          {sizeOf(bytes.length)}
          {isCut ? ', only the first 64 KiB are kept' : ''}
        </span>
      </div>
      {form === 'hex' ? (
        <Code isHex>{hexOf(bytes)}</Code>
      ) : form === 'JSON' && json !== undefined ? (
        <Json text={json} />
      ) : (
        <Code>{text}</Code>
      )}
    </div>
  );
}
