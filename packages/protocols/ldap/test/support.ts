import net from 'node:net';
import {
  abandon,
  collectCleanups,
  eventually,
  runTool,
  startKind,
  type RunningKind,
  type ToolResult,
} from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { Client, ResultCodeError } from 'ldapts';
import { ldap } from '../src/index.js';

const afterThis = collectCleanups();

/** A running host and what tests need of it. */
export interface Running extends RunningKind {
  readonly url: string;
}

/** A host with a running LDAP kind; it is stopped after the test. */
export async function startHost(settings: Json = {}): Promise<Running> {
  const running = await startKind(ldap, afterThis, settings);
  return { ...running, url: `ldap://127.0.0.1:${running.port}` };
}

/** ldapts, as it comes. */
export function connect({ url }: Running, more: Record<string, unknown> = {}): Client {
  const client = new Client({ url, ...more });
  afterThis(() => client.unbind().catch(() => undefined));
  return client;
}

/** The result code a promise is rejected with, 0 when it is not. */
export async function codeOf(promise: Promise<unknown>): Promise<number> {
  try {
    await promise;
    return 0;
  } catch (error) {
    if (error instanceof ResultCodeError) return error.code;
    throw error;
  }
}

/** Runs a client of OpenLDAP, with simple binds and without lines of comments. */
export function run(
  { url }: Running,
  tool: string,
  args: readonly string[],
  input?: string,
): Promise<ToolResult> {
  const quiet = tool === 'ldapsearch' ? ['-LLL', '-o', 'ldif-wrap=no'] : [];
  return runTool(tool, ['-x', '-H', url, ...quiet, ...args], {
    ...(input === undefined ? {} : { input }),
    env: { LDAPNOINIT: '1' },
  });
}

/** A connection for bytes. */
export class RawClient {
  readonly socket: net.Socket;
  readonly #chunks: Buffer[] = [];
  isClosed = false;

  private constructor(socket: net.Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
    });
    afterThis(() => abandon(socket));
  }

  static async connect(port: number): Promise<RawClient> {
    const socket = net.connect({ host: '127.0.0.1', port });
    const client = new RawClient(socket);
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return client;
  }

  send(bytes: Buffer | string): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes.replace(/\s/g, ''), 'hex') : bytes);
  }

  /** How many bytes have come. */
  get size(): number {
    return this.#chunks.reduce((sum, { length }) => sum + length, 0);
  }

  get received(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** Resolves with so many whole messages. */
  async messages(count: number): Promise<Buffer[]> {
    let found: Buffer[] = [];
    await eventually(() => (found = splitMessages(this.received)).length >= count);
    return found;
  }

  async untilClosed(): Promise<Buffer> {
    await eventually(() => this.isClosed);
    return this.received;
  }
}

/** The messages in received bytes. */
export function splitMessages(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at + 2 <= bytes.length;) {
    const first = bytes[at + 1] ?? 0;
    const size = first < 0x80 ? 0 : first & 0x7f;
    if (at + 2 + size > bytes.length) break;
    const length = size === 0 ? first : bytes.readUIntBE(at + 2, size);
    const end = at + 2 + size + length;
    if (end > bytes.length) break;
    found.push(bytes.subarray(at, end));
    at = end;
  }
  return found;
}

/** A BER element, written by hand and apart from the code under test. */
export function ber(tag: number, ...parts: readonly (Buffer | string | number)[]): Buffer {
  const content = Buffer.concat(
    parts.map((part) =>
      typeof part === 'string' ? Buffer.from(part) : typeof part === 'number' ? Buffer.from([part]) : part,
    ),
  );
  const length = content.length;
  const head =
    length < 0x80 ? [tag, length] : [tag, 0x83, (length >> 16) & 0xff, (length >> 8) & 0xff, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

/** A search for everything below a name. */
export function rawSearch(id: number, base: string, filter: Buffer = ber(0x87, 'objectClass')): Buffer {
  const none = [ber(0x0a, 2), ber(0x0a, 0), ber(0x02, 0), ber(0x02, 0), ber(0x01, 0)];
  return ber(0x30, ber(0x02, id), ber(0x63, ber(0x04, base), ...none, filter, ber(0x30)));
}

/** Entries of a small company. */
export const COMPANY = {
  base_dn: 'dc=example,dc=com',
  entries: [
    {
      dn: 'dc=example,dc=com',
      attributes: { objectClass: ['top', 'dcObject', 'organization'], o: 'Example' },
    },
    { dn: 'ou=people,dc=example,dc=com', attributes: { objectClass: 'organizationalUnit' } },
    {
      dn: 'uid=ada,ou=people,dc=example,dc=com',
      attributes: {
        objectClass: ['inetOrgPerson', 'posixAccount'],
        cn: ['Ada Lovelace', 'Countess of Lovelace'],
        sn: 'Lovelace',
        mail: 'Ada@Example.com',
        uidNumber: 1000,
        telephoneNumber: '+44 20 1234-5678',
        'cn;lang-fr': 'Ada la comtesse',
        jpegPhoto: '/9j/AAECAw==',
        userPassword: 'Secret',
      },
    },
    {
      dn: 'uid=bob,ou=people,dc=example,dc=com',
      attributes: {
        objectClass: 'inetOrgPerson',
        cn: 'Bob Müller',
        sn: 'Müller',
        uidNumber: 200,
        manager: 'UID=ada, OU=people, DC=example, DC=com',
        userAccountControl: 514,
      },
    },
    { dn: 'ou=groups,dc=example,dc=com', attributes: { objectClass: 'organizationalUnit' } },
    {
      dn: 'cn=admins,ou=groups,dc=example,dc=com',
      attributes: { objectClass: 'groupOfNames', member: 'uid=ada,ou=people,dc=example,dc=com' },
    },
  ],
};
