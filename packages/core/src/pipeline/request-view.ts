import { isUtf8 } from 'node:buffer';
import type { Message } from '../contract/message.js';
import type { RequestView } from '../templates/template.js';
import { parseBody } from '../content/parse-body.js';
import { viewXml } from '../content/xml-view.js';

const NO_EXTRAS: Readonly<Record<string, unknown>> = Object.freeze({});
const utf8 = new TextDecoder('utf-8');

/** What templates see as `request`; values that cost something are made when first read. */
export class MessageView implements RequestView {
  readonly #message: Message;
  readonly #params: () => Readonly<Record<string, string>>;
  #body: unknown;
  #isParsed = false;
  #extras: Readonly<Record<string, unknown>> | undefined;
  #xmlView: readonly [unknown] | undefined;
  #rawBody: string | Uint8Array | undefined;

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
        return this.#rawText();
      case 'body':
        return this.#parsedBody();
      case 'remote':
        return message.remote;
      default:
        return this.#extra(name);
    }
  }

  /** A name of the kind's own, or else one that all kinds have. */
  #extra(name: string): unknown {
    const extras = (this.#extras ??= this.#message.extras ?? NO_EXTRAS);
    if (Object.hasOwn(extras, name)) return extras[name];
    return name === 'xml' ? this.#xml() : undefined;
  }

  /** The body as nested values when it is XML; parsed once. */
  #xml(): unknown {
    const raw = this.#rawText();
    return (this.#xmlView ??= [typeof raw === 'string' ? viewXml(raw) : undefined])[0];
  }

  #parsedBody(): unknown {
    if (this.#isParsed) return this.#body;
    this.#isParsed = true;
    const raw = this.#rawText();
    this.#body = typeof raw === 'string' ? parseBody(raw, this.#contentType()) : raw;
    return this.#body;
  }

  #contentType(): string | undefined {
    const { contentType, headers } = this.#message;
    const type = contentType ?? headers?.['content-type'];
    return typeof type === 'object' ? type[0] : type;
  }

  /** The body as text, or the bytes when they are none; looked at once, however often a template names it. */
  #rawText(): string | Uint8Array | undefined {
    const { body } = this.#message;
    if (body === undefined || typeof body === 'string') return body;
    return (this.#rawBody ??= isUtf8(body) ? utf8.decode(body) : body);
  }
}
