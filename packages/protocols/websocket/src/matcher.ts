import {
  forgetCaptures,
  markCaptures,
  type CompiledMock,
  type CompileTools,
  type FunctionName,
  type PathPattern,
  type Pattern,
  type TestResult,
} from '@backlot/core/plugin';
import { compileAnswer } from './answer.js';
import { compileDialectRule, compileEntry, type Greeting } from './dialects/compile.js';
import { checkFields, FIELDS, type DialectName } from './dialects/fields.js';
import { compileRoom, type Room } from './dialects/room-pattern.js';
import { IS_OF_FAULT } from './fault-match.js';
import type { FramingName } from './framing.js';
import { AdmissionProbe, type WebsocketMessage } from './message.js';
import { compileRule, missed, type Rule } from './rule.js';
import type { RuleFields, WebsocketFields } from './schemas.js';

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** What a mock says about the connections that it is for. */
interface Scope {
  readonly id: string;
  readonly path: PathPattern;
  /** Absent: all. */
  readonly host: Pattern | undefined;
  readonly subprotocol: string | undefined;
  readonly framing: FramingName | undefined;
  readonly dialect: DialectName | undefined;
  /** The namespaces or topics; absent: all. */
  readonly room: Room | undefined;
  /** Whether it is the match of a fault, which is for messages however they are framed, and of any dialect unless it names one. */
  readonly isOfFault: boolean;
}

/** A compiled WebSocket mock. */
export class CompiledWebsocket implements CompiledMock<WebsocketMessage> {
  readonly id: string;
  readonly path: PathPattern;
  readonly subprotocol: string | undefined;
  readonly framing: FramingName | undefined;
  readonly dialect: DialectName | undefined;
  readonly #host: Pattern | undefined;
  readonly #room: Room | undefined;
  readonly #isOfFault: boolean;

  constructor(
    { id, path, host, subprotocol, framing, dialect, room, isOfFault }: Scope,
    /** What a client is sent once it is connected; absent when nothing is. */
    readonly greeting: Greeting | undefined,
    readonly rules: readonly Rule[],
    /** The ends of connections that it is for; absent when it is for none. */
    readonly closing: { readonly code?: number } | undefined,
  ) {
    this.id = id;
    this.path = path;
    this.subprotocol = subprotocol;
    this.framing = framing;
    this.dialect = dialect;
    this.#host = host;
    this.#room = room;
    this.#isOfFault = isOfFault;
  }

  test(message: WebsocketMessage): TestResult {
    const { handshake, unit } = message;
    if (!this.path.test(handshake.split)) return () => this.path.reason(handshake.split);
    const host = this.#host;
    if (host !== undefined && !host.test(handshake.host, message))
      return () => host.reason('host', handshake.host, message);
    if (!handshake.canSpeak(this.subprotocol)) return () => this.#subprotocolReason(message);
    const speech = this.#testSpeech(message);
    if (speech !== true) return speech;
    if (unit !== undefined && this.#room !== undefined) {
      const result = this.#room.test(unit.room, message);
      if (result !== true) return result;
    }
    if (message.method === 'CLOSE') return this.#testClose(message.code);
    if (this.closing !== undefined) return 'on_close: it is for the end of connections alone';
    if (message instanceof AdmissionProbe) {
      message.admit(this);
      return true;
    }
    if (message.method === 'MESSAGE')
      return this.ruleFor(message) !== undefined || (() => this.#ruleReason(message));
    return this.greeting !== undefined || 'on_connect: it has nothing to send to a client that connects';
  }

  /** What the path and the room capture. */
  params(message: WebsocketMessage): Readonly<Record<string, string>> {
    const { handshake, unit } = message;
    const inPath = this.path.params(handshake.split);
    const inRoom = unit === undefined ? undefined : this.#room?.params?.(unit.room);
    return inRoom === undefined ? inPath : { ...inPath, ...inRoom };
  }

  /** The first rule that matches. */
  ruleFor(message: WebsocketMessage): Rule | undefined {
    const mark = markCaptures();
    for (const rule of this.rules) {
      if (rule.test(message) === true) return rule;
      forgetCaptures(mark);
    }
    return undefined;
  }

  /** Whether the mock is for what is spoken on the connection: its framing and dialect. */
  #testSpeech(message: WebsocketMessage): TestResult {
    const { handshake, unit } = message;
    if (this.#isOfFault && this.dialect === undefined) return true;
    // The mock itself is to say what is spoken.
    if (message instanceof AdmissionProbe && handshake.dialect === undefined) return true;
    // Somebody explains a message of which it is not known on what connection it comes.
    const spoken = handshake.dialect ?? (this.dialect === undefined ? '' : (unit?.dialect ?? ''));
    if (spoken !== (this.dialect ?? ''))
      return `dialect: got ${spoken || 'none'}, want ${this.dialect ?? 'none'}`;
    if (handshake.isFramed(this.framing)) return true;
    return `framing: got ${handshake.framing || 'none'}, want ${this.framing ?? 'none'}`;
  }

  #testClose(got: number | undefined): TestResult {
    if (this.closing === undefined) return 'on_close: it is not for the end of connections';
    const { code } = this.closing;
    if (code === undefined || code === got) return true;
    return `on_close: code: got ${got ?? 'none'}, want ${code}`;
  }

  #subprotocolReason({ handshake }: WebsocketMessage): string {
    const got = handshake.subprotocol ?? handshake.offers.join(', ');
    return `subprotocol: ${got === '' ? 'absent' : `got "${got}"`}, want "${this.subprotocol ?? ''}"`;
  }

  #ruleReason(message: WebsocketMessage): string {
    const { rules } = this;
    if (rules.length === 0) return 'on_message: it has no rules';
    const [only] = rules.length === 1 ? rules : [];
    const miss = only?.test(message);
    if (typeof miss === 'string') return miss;
    if (typeof miss === 'function') return miss();
    return missed(message.key, rules.map((rule) => rule.describe()).join(' or '));
  }
}

/** Stands for what a function will answer. */
const ANY_MESSAGE: readonly RuleFields[] = [{}];

/** Compiles a mock. Empty texts are as if absent, because client drivers send them. */
export function compileMock(
  mock: WebsocketFields & {
    readonly id: string;
    readonly respond?: FunctionName;
    readonly [IS_OF_FAULT]?: true;
  },
  tools: CompileTools,
): CompiledWebsocket {
  const { subprotocol = '', dialect, on_connect: onConnect, respond, respond_on: respondOn } = mock;
  const path = readPath(mock, tools);
  const { on_close: onClose } = mock;
  const greets = respondOn === 'connect';
  const {
    on_message: onMessage = respond === undefined || greets || onClose !== undefined ? [] : ANY_MESSAGE,
  } = mock;
  if (onClose !== undefined) checkClosing(mock, tools);
  checkRespondOn(mock, tools);
  if (subprotocol !== '' && !TOKEN.test(subprotocol)) {
    tools.problem(
      '/subprotocol',
      `${JSON.stringify(subprotocol)} is no subprotocol; use letters, digits and !#$%&'*+-.^_\`|~`,
    );
  }
  checkFields(mock, dialect, tools);
  return new CompiledWebsocket(
    {
      id: mock.id,
      path: tools.path(path, '/path'),
      host: mock.host === undefined ? undefined : tools.pattern(mock.host, '/host'),
      subprotocol: subprotocol === '' ? undefined : subprotocol,
      framing: mock.framing,
      dialect,
      room: compileRoom(mock, tools),
      isOfFault: mock[IS_OF_FAULT] === true,
    },
    dialect === undefined
      ? compileGreeting(greets ? (onConnect ?? {}) : onConnect, tools, greets)
      : onConnect && compileEntry(onConnect, dialect, tools),
    onMessage.map((rule, index) => {
      const at = `/on_message/${index}`;
      return dialect === undefined
        ? compileRule(rule, tools, at)
        : compileDialectRule(rule, dialect, tools, at);
    }),
    onClose,
  );
}

/** What a mock for the end of connections cannot have: nobody is there who could be sent something, or waits. */
function checkClosing(mock: Readonly<Record<string, unknown>>, tools: CompileTools): void {
  for (const field of ['on_connect', 'on_message', 'respond_on'])
    if (mock[field] !== undefined)
      tools.problem(
        `/${field}`,
        `cannot stand beside "on_close": what a mock does is done for each; use a mock of its own`,
      );
  for (const field of ['delay', 'fault'])
    if (mock[field] !== undefined)
      tools.problem(`/${field}`, 'cannot stand beside "on_close": nobody waits for an answer');
}

/** The path of a mock, or that of its dialect. */
function readPath({ path: given, dialect }: WebsocketFields, tools: CompileTools): string {
  const path = given ?? (dialect === undefined ? undefined : FIELDS[dialect].path);
  if (path === undefined) {
    tools.problem('/path', `must be given${dialect === undefined ? '' : ` in the dialect ${dialect}`}`);
    return '*';
  }
  if (!path.startsWith('re:') && path.includes('?')) {
    tools.problem(
      '/path',
      `path ${JSON.stringify(path)} holds a query; give the path alone (a question mark in it is written %3F)`,
    );
  }
  // Clients of socket.io put a slash behind the path that they are given.
  return dialect === 'socket.io' && !/^re:|[*/]$/.test(path) ? `${path}/` : path;
}

/** A function is called where the mock says so, and gives what is sent there. */
function checkRespondOn(
  mock: WebsocketFields & { readonly respond?: FunctionName; readonly [IS_OF_FAULT]?: true },
  tools: CompileTools,
): void {
  const { respond_on: respondOn, respond, dialect, on_connect: onConnect, on_message: onMessage } = mock;
  if (respondOn === undefined) {
    if (respond !== undefined && onConnect !== undefined)
      tools.problem(
        '/on_connect',
        'cannot stand beside "respond", which answers messages; use a mock of its own, or "respond_on: connect"',
      );
    return;
  }
  if (dialect !== undefined) tools.problem('/respond_on', `cannot be given in the dialect ${dialect}`);
  if (respond === undefined && onConnect === undefined && onMessage === undefined)
    tools.problem('/respond_on', 'says when the function of "respond" is called; give "respond" as well');
  const other = respondOn === 'connect' ? 'on_message' : 'on_connect';
  if (mock[other] !== undefined) tools.problem(`/${other}`, `cannot stand beside respond_on: ${respondOn}`);
}

function compileGreeting(
  fields: WebsocketFields['on_connect'],
  tools: CompileTools,
  isKept: boolean,
): Greeting | undefined {
  if (fields === undefined) return undefined;
  const { send, json, send_binary: binary, delay } = fields;
  const names = { text: 'send', binary: 'send_binary' };
  const greeting = compileAnswer({ text: send, json, binary, delay }, tools, '/on_connect', names);
  return greeting.isEmpty && !isKept ? undefined : greeting;
}
