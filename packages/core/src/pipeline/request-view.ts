import type { Message } from '../contract/message.js';
import type { RequestView } from '../templates/template.js';
import { parseJson } from '../patterns/parse-json.js';

const utf8 = new TextDecoder('utf-8');

/** What templates see as `request`; values that cost something are made when first read. */
export class MessageView implements RequestView {
  readonly #message: Message;
  readonly #params: () => Readonly<Record<string, string>>;
  #body: unknown;
  #isParsed = false;

  constructor(message: Message, params: () => Readonly<Record<string, string>>) {
    this.#message = message;
    this.#params = params;
  }

  get(name: string): unknown {
    const message = this.#message;
    switch (name) {
      case 'method':
        return message.method;
      case 'path':
        return message.path;
      case 'headers':
        return message.headers;
      case 'query':
        return message.query;
      case 'params':
        return this.#params();
      case 'raw_body':
        return textOf(message.body);
      case 'body':
        return this.#parsedBody();
      case 'remote':
        return message.remote;
      default:
        return message.extras !== undefined && Object.hasOwn(message.extras, name)
          ? message.extras[name]
          : undefined;
    }
  }

  #parsedBody(): unknown {
    if (this.#isParsed) return this.#body;
    this.#isParsed = true;
    const text = textOf(this.#message.body);
    this.#body = text;
    if (text !== undefined && /^\s*[[{"\-0-9tfn]/.test(text)) {
      const parsed = parseJson(text);
      if (parsed.length > 0) this.#body = parsed[0];
    }
    return this.#body;
  }
}

function textOf(body: string | Uint8Array | undefined): string | undefined {
  return body === undefined || typeof body === 'string' ? body : utf8.decode(body);
}
