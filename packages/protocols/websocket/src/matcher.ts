import {
  compileCaptures,
  type CompiledMock,
  type CompileTools,
  type FunctionName,
  parseBase64,
  type PathPattern,
  type Pattern,
  type ReadCaptures,
  type TestResult,
} from '@backlot/core/plugin';
import { compileAnswer, type Answer } from './answer.js';
import type { FramingName } from './framing.js';
import { AdmissionProbe, type WebsocketMessage } from './message.js';
import type { RuleFields, WebsocketFields } from './schemas.js';

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const MAX_SHOWN = 60;

/** One rule of `on_message`. */
interface Rule {
  /** What a text must be; absent: texts do not match, or any message does. */
  readonly pattern: Pattern | undefined;
  /** What a binary message must be. */
  readonly bytes: Buffer | undefined;
  /** Reads the named groups of the pattern; absent when it has none. */
  readonly captures: ReadCaptures | undefined;
  readonly answer: Answer;
}

/** A compiled WebSocket mock. */
export class CompiledWebsocket implements CompiledMock<WebsocketMessage> {
  readonly #hasCaptures: boolean;

  constructor(
    readonly id: string,
    readonly path: PathPattern,
    readonly subprotocol: string | undefined,
    readonly framing: FramingName | undefined,
    /** What a client is sent once it is connected; absent when nothing is. */
    readonly greeting: Answer | undefined,
    readonly rules: readonly Rule[],
  ) {
    this.#hasCaptures = rules.some((rule) => rule.captures !== undefined);
  }

  test(message: WebsocketMessage): TestResult {
    const { handshake } = message;
    if (!this.path.test(handshake.split)) return () => this.path.reason(handshake.split);
    if (!handshake.canSpeak(this.subprotocol)) return () => this.#subprotocolReason(message);
    if (!handshake.isFramed(this.framing))
      return `framing: got ${handshake.framing || 'none'}, want ${this.framing ?? 'none'}`;
    if (message instanceof AdmissionProbe) {
      message.admit(this);
      return true;
    }
    if (message.method === 'MESSAGE')
      return this.ruleFor(message) !== undefined || (() => this.#ruleReason(message));
    if (message.method === 'CONNECT')
      return this.greeting !== undefined || 'on_connect: it has nothing to send to a client that connects';
    return 'a close is answered by no mock';
  }

  /** What the path captures, and the rule that matches. */
  params(message: WebsocketMessage): Readonly<Record<string, string>> {
    const inPath = this.path.params(message.handshake.split);
    if (!this.#hasCaptures || message.method !== 'MESSAGE' || typeof message.body !== 'string') return inPath;
    const captured = this.ruleFor(message)?.captures?.(message.body);
    return captured === undefined ? inPath : { ...inPath, ...captured };
  }

  /** The first rule that matches. */
  ruleFor(message: WebsocketMessage): Rule | undefined {
    for (const rule of this.rules) if (matchesRule(rule, message)) return rule;
    return undefined;
  }

  #subprotocolReason({ handshake }: WebsocketMessage): string {
    const got = handshake.subprotocol ?? handshake.offers.join(', ');
    return `subprotocol: ${got === '' ? 'absent' : `got "${got}"`}, want "${this.subprotocol ?? ''}"`;
  }

  #ruleReason(message: WebsocketMessage): string {
    const { body = '' } = message;
    if (this.rules.length === 0) return 'on_message: it has no rules';
    const [only] = this.rules.length === 1 ? this.rules : [];
    if (typeof body === 'string' && only?.pattern !== undefined && only.bytes === undefined)
      return only.pattern.reason('message', body, message);
    const wanted = this.rules.map(describeRule).join(' or ');
    if (typeof body !== 'string')
      return `message: got base64 "${clip(body.toString('base64', 0, MAX_SHOWN))}", want ${wanted}`;
    return `message: got ${JSON.stringify(clip(body))}, want ${wanted}`;
  }
}

/** Stands for what a function will answer. */
const ANY_MESSAGE: readonly RuleFields[] = [{}];

/** Compiles a mock. Empty texts are as if absent, because client drivers send them. */
export function compileMock(
  mock: WebsocketFields & { readonly id: string; readonly respond?: FunctionName },
  tools: CompileTools,
): CompiledWebsocket {
  const { path, subprotocol = '', on_connect: onConnect, respond } = mock;
  const { on_message: onMessage = respond === undefined ? [] : ANY_MESSAGE } = mock;
  if (respond !== undefined && onConnect !== undefined)
    tools.problem(
      '/on_connect',
      'cannot stand beside "respond", which answers messages; use a mock of its own',
    );
  if (!path.startsWith('re:') && path.includes('?')) {
    tools.problem(
      '/path',
      `path ${JSON.stringify(path)} holds a query; give the path alone (a question mark in it is written %3F)`,
    );
  }
  if (subprotocol !== '' && !TOKEN.test(subprotocol)) {
    tools.problem(
      '/subprotocol',
      `${JSON.stringify(subprotocol)} is no subprotocol; use letters, digits and !#$%&'*+-.^_\`|~`,
    );
  }
  const greeting =
    onConnect === undefined
      ? undefined
      : compileAnswer(
          {
            text: onConnect.send,
            json: onConnect.json,
            binary: onConnect.send_binary,
            delay: onConnect.delay,
          },
          tools,
          '/on_connect',
          { text: 'send', binary: 'send_binary' },
        );
  return new CompiledWebsocket(
    mock.id,
    tools.path(path, '/path'),
    subprotocol === '' ? undefined : subprotocol,
    mock.framing,
    greeting?.isEmpty === false ? greeting : undefined,
    onMessage.map((rule, index) => compileRule(rule, tools, `/on_message/${index}`)),
  );
}

function compileRule(rule: RuleFields, tools: CompileTools, at: string): Rule {
  const {
    match = '',
    match_binary: matchBinary = '',
    respond,
    json,
    respond_binary: respondBinary,
    delay,
    close,
  } = rule;
  return {
    pattern: match === '' ? undefined : tools.pattern(match, `${at}/match`),
    bytes:
      matchBinary === ''
        ? undefined
        : tools.attempt(`${at}/match_binary`, Buffer.alloc(0), () => parseBase64(matchBinary)),
    captures: compileCaptures(match, tools, `${at}/match`),
    answer: compileAnswer(
      { text: respond, json, binary: respondBinary, delay, close, canEcho: true },
      tools,
      at,
      {
        text: 'respond',
        binary: 'respond_binary',
      },
    ),
  };
}

function matchesRule({ pattern, bytes }: Rule, message: WebsocketMessage): boolean {
  const { body = '' } = message;
  if (pattern === undefined && bytes === undefined) return true;
  return typeof body === 'string' ? pattern?.test(body, message) === true : bytes?.equals(body) === true;
}

function describeRule({ pattern, bytes }: Rule): string {
  const wanted = [
    ...(pattern === undefined ? [] : [pattern.describe()]),
    ...(bytes === undefined ? [] : [`base64 "${clip(bytes.toString('base64', 0, MAX_SHOWN))}"`]),
  ];
  return wanted.join(' or ');
}

function clip(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}
