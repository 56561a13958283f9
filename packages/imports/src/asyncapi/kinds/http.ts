import { httpMock } from '../../shared/answer.js';
import { literalJson } from '../../shared/literal.js';
import { integerOf, memberOf, textOf, treeOf, withoutAbsent, type Tree } from '@backlot/contracts';
import { parameterName } from '../address.js';
import { answerContent, contentOf, variantsOf } from '../content.js';
import type { Channel, Example, Message, Operation, Tools } from '../document.js';
import { headerTexts, noteUnused, type Writer, type WriterDeclaration } from '../writer.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE'];

/** Channels are paths: what an application receives is a request, and what it sends to who asks is an answer. */
export const http: WriterDeclaration = {
  kind: 'http',
  protocols: ['http', 'https'],
  create: (tools) => new HttpWriter(tools),
};

class HttpWriter implements Writer {
  readonly #mocks: Tree[] = [];

  constructor(private readonly tools: Tools) {}

  receive(operation: Operation): void {
    const { channel, id, messages, place } = operation;
    const path = this.#path(channel);
    if (path === undefined) return;
    for (const { message, pattern, answer } of variantsOf(operation, this.tools)) {
      if (answer === undefined)
        this.tools.notes.approximated(place, 'a request without a reply is answered with 200 and no body');
      this.#mocks.push(
        httpMock({
          id: this.tools.ids.take(
            message === undefined || messages.length < 2 ? id : `${id}-${message.name}`,
          ),
          request: { method: this.#method(operation, 'POST'), path, body: pattern },
          response: answer === undefined ? { status: 200 } : this.#answer(message, answer),
        }),
      );
    }
  }

  /** What a client gets that asks for it: nothing is sent to an address that the document does not have. */
  send(operation: Operation, message: Message, example: Example): undefined {
    const { channel, id, messages, place } = operation;
    const path = this.#path(channel);
    const isFirst = message === messages[0] && example === message.examples[0];
    if (path === undefined || !isFirst) return undefined;
    this.tools.notes.approximated(place, 'what is sent by HTTP is the answer to who asks for it');
    if (messages.length > 1)
      this.tools.notes.approximated(place, 'of several messages by HTTP the first is the answer');
    this.#mocks.push(
      httpMock({
        id: this.tools.ids.take(id),
        request: { method: this.#method(operation, 'GET'), path },
        response: this.#response(
          message,
          contentOf(message, example, 'body'),
          literalJson(example.headers) as Tree,
        ),
      }),
    );
    return undefined;
  }

  finish(): ReturnType<Writer['finish']> {
    return { block: { mocks: this.#mocks } };
  }

  #answer(request: Message | undefined, answer: Message): Tree {
    const { content, headers } = answerContent(request, answer, 'body');
    return this.#response(answer, content, headers);
  }

  #response({ bindings, contentType }: Message, content: Tree, headers: Tree): Tree {
    const status = integerOf(memberOf(bindings['http'], 'statusCode'), 200, 599);
    return withoutAbsent({
      status: status ?? 200,
      headers: { 'Content-Type': contentType, ...headerTexts(headers) },
      ...content,
    });
  }

  #method({ bindings, place }: Operation, usual: string): string {
    const binding = treeOf(bindings['http']);
    noteUnused(binding, ['method', 'type'], place, 'http', this.tools);
    const method = textOf(binding['method'])?.toUpperCase() ?? usual;
    return METHODS.includes(method) ? method : usual;
  }

  #path({ address = '', servers, place }: Channel): string | undefined {
    if (/[\s\0*?#]/.test(address) || address.length > 2000) {
      this.tools.notes.refused(place, `"${address.slice(0, 100)}" is no path`);
      return undefined;
    }
    const path =
      (servers[0]?.path ?? '') + (address.startsWith('/') || address === '' ? address : `/${address}`);
    return path.replaceAll(/\{([^{}]{1,200})\}/g, (_all, name: string) => `{${parameterName(name)}}`) || '/';
  }
}
