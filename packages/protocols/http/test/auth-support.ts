import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { CompileTools, Pattern, PatternSource, Problem } from '@backlot/core/plugin';
import {
  compileAuth,
  newConnectionAuth,
  type AuthDefinition,
  type AuthInput,
  type AuthResult,
  type CompiledAuth,
  type ConnectionAuth,
} from '../src/auth/index.js';

/** Bytes from hex with space in between. */
export function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
}

/** An NTLM type 1 message, as curl sends it. */
export const NEGOTIATE = 'TlRMTVNTUAABAAAABoIIAAAAAAAAAAAAAAAAAAAAAAA=';

/** An NTLM type 3 message: [MS-NLMP] 4.2.4.3. */
export const AUTHENTICATE = hex(`
  4e544c4d53535000 03000000 180018006c000000 5400540084000000 0c000c0048000000 0800080054000000
  100010005c000000 10001000d8000000 358288e2 0501280a0000000f
  44006f006d00610069006e00 5500730065007200 43004f004d0050005500540045005200
  86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa
  68cd0ab851e51c96aabc927bebef6a1c
  0101000000000000 0000000000000000 aaaaaaaaaaaaaaaa 00000000
  02000c0044006f006d00610069006e00 01000c005300650072007600650072 00 00000000 00000000
  c5dad2544fc9799094ce1ce90bc9d03e`);

/** As much of the pattern language as these tests use. */
function pattern(source: PatternSource | undefined): Pattern {
  const text = typeof source === 'object' ? source.equals : source?.replaceAll('\\*', '\u0000');
  const isAny = source === undefined || source === '';
  const isPlain = typeof source === 'object' || (!isAny && !/[*]|^re:/.test(text ?? ''));
  const exact = isPlain ? text?.replaceAll('\u0000', '*') : undefined;
  const start = text?.replace(/\*$/, '') ?? '';
  const test = (value: string | undefined): boolean => {
    if (isAny || value === undefined) return isAny;
    if (exact !== undefined) return value === exact;
    return text?.startsWith('re:') ? new RegExp(text.slice(3)).test(value) : value.startsWith(start);
  };
  return {
    any: isAny,
    exact,
    prefix: exact,
    suffix: exact,
    isPrefix: false,
    isExact: exact !== undefined,
    test,
    testValue: (value) => test(value as string | undefined),
    *testInPieces(long) {
      return test([...long.pieces()].join(''));
    },
    reason: (label, value) => `${label}: got ${JSON.stringify(value)}, want ${JSON.stringify(text)}`,
    reasonOfValue: (label, value) => `${label}: got ${JSON.stringify(value)}, want ${JSON.stringify(text)}`,
    describe: () => JSON.stringify(text),
  };
}

/** Compiles a definition and gives what was noted. */
export function compileNoting(definition: AuthDefinition): { auth: CompiledAuth; problems: Problem[] } {
  const problems: Problem[] = [];
  const tools: Pick<CompileTools, 'pattern' | 'problem'> = {
    pattern: (source) => pattern(source),
    problem: (path, message) => problems.push({ path, message }),
  };
  return { auth: compileAuth(definition, tools as CompileTools, '/request/auth'), problems };
}

/** Compiles a definition that must be good. */
export function compile(definition: AuthDefinition): CompiledAuth {
  const { auth, problems } = compileNoting(definition);
  if (problems.length > 0) {
    throw new Error(problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
  }
  return auth;
}

/** A `GET /` on a connection of its own, unless told otherwise. */
export function request(parts: Partial<AuthInput> & { authorization?: string } = {}): AuthInput {
  const { authorization, ...rest } = parts;
  return {
    headers: authorization === undefined ? {} : { authorization },
    query: {},
    method: 'GET',
    target: '/',
    connection: newConnectionAuth(),
    ...rest,
  };
}

/** The challenge's `WWW-Authenticate` values, or undefined when there is no challenge. */
export function challengesOf(result: AuthResult): readonly string[] | undefined {
  if (typeof result !== 'object') return undefined;
  const values = result.challenge.headers['www-authenticate'] ?? [];
  return typeof values === 'string' ? [values] : values;
}

/** Why a test failed, with or without a challenge. */
export function reasonOf(result: AuthResult): string {
  if (result === true) return 'it matched';
  if (typeof result === 'function') return result();
  return typeof result === 'string' ? result : result.challenge.reason;
}

/** A server that answers 200 with its name when its definition passes, on a free port. */
export interface AuthServer {
  readonly url: string;
  /** What each request's test gave: `true`, or why not. */
  readonly results: string[];
  readonly connections: Set<Socket>;
  close(): Promise<void>;
}

/** Starts a plain node server that asks for credentials as a plugin does; the first that passes answers. */
export async function startServer(...definitions: readonly AuthDefinition[]): Promise<AuthServer> {
  const auths = definitions.map(compile);
  const states = new WeakMap<Socket, ConnectionAuth>();
  const connections = new Set<Socket>();
  const results: string[] = [];
  const server = createServer((message, answer) => {
    void readAll(message).then((body) => {
      const connection = states.get(message.socket) ?? newConnectionAuth();
      states.set(message.socket, connection);
      connections.add(message.socket);
      const input: AuthInput = {
        headers: message.headers as AuthInput['headers'],
        query: {},
        method: message.method ?? '',
        target: message.url ?? '',
        connection,
        body,
      };
      const outcomes = auths.map((auth) => auth.test(input));
      const passed = outcomes.indexOf(true);
      results.push(passed === -1 ? reasonOf(outcomes[0] ?? '') : 'passed');
      if (passed !== -1) {
        answer.writeHead(200).end(`welcome ${passed} ${message.method} ${body.toString()}`);
        return;
      }
      const values = outcomes.flatMap((outcome) => challengesOf(outcome) ?? []);
      answer.writeHead(
        values.length > 0 ? 401 : 404,
        values.length > 0 ? { 'www-authenticate': values } : {},
      );
      answer.end('no');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    results,
    connections,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) {
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

/** Runs curl, without its own configuration; gives what it printed, with the last status at the end. */
export function curl(...options: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const all = ['-q', '-s', '--max-time', '10', '-w', ' %{http_code}', ...options];
    execFile('curl', all, (error, output) => (error === null ? resolve(output) : reject(error)));
  });
}

/** Whether there is a curl with a feature such as `NTLM`. */
export function curlHas(feature: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('curl', ['-q', '-V'], (error, output) => resolve(error === null && output.includes(feature)));
  });
}
