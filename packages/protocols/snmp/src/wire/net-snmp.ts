import type * as Library from 'net-snmp';
import { addDes } from './des.js';

/** A PDU that is written from octets of our own; the library asks it for the context of v3. */
export interface OutgoingPdu {
  readonly contextEngineID: Buffer;
  readonly contextName: string;
  toBuffer(writer: { writeBuffer(octets: Buffer): void }): void;
}

/** A user as the library has it. */
export interface LibraryUser {
  readonly name: string;
  readonly level: number;
  readonly authProtocol?: number;
  readonly authKey?: string;
  readonly privProtocol?: number;
  readonly privKey?: string;
}

/** A PDU as the library reads it. */
export interface LibraryPdu {
  readonly type: number;
  readonly id: number;
  readonly varbinds: readonly { readonly oid: string; readonly type: number; readonly value: unknown }[];
  /** Of a response. */
  readonly errorStatus?: number;
  readonly nonRepeaters?: number;
  readonly maxRepetitions?: number;
  readonly contextName?: string | null;
  readonly contextEngineID?: Buffer | null;
}

/** The header of v3 (RFC 3412 section 6). */
export interface GlobalData {
  readonly msgID: number;
  readonly msgMaxSize: number;
  readonly msgFlags: number;
  readonly msgSecurityModel: number;
}

/** The fields of the user-based security model (RFC 3414 section 2.4). */
export interface SecurityParameters {
  readonly msgAuthoritativeEngineID: Buffer;
  readonly msgAuthoritativeEngineBoots: number;
  readonly msgAuthoritativeEngineTime: number;
}

/** A message as the library reads it. */
export interface LibraryMessage {
  readonly version: number;
  readonly community?: string | null;
  readonly pdu: LibraryPdu | null;
  readonly msgGlobalData?: GlobalData;
  readonly msgSecurityParameters?: SecurityParameters & { readonly msgUserName: string | null };
  checkAuthentication(user: LibraryUser, onFailure: () => void): boolean;
  decryptPdu(user: LibraryUser, onFailure: () => void): boolean;
  toBuffer(): Buffer;
}

interface MessageClass {
  createFromBuffer(octets: Buffer): LibraryMessage;
  createV3(
    user: LibraryUser,
    global: GlobalData,
    security: SecurityParameters,
    pdu: OutgoingPdu,
  ): LibraryMessage;
}

/** A request on its way out of a session, before it is written. */
export interface OutgoingRequest {
  readonly message: {
    readonly pdu: Record<string, unknown>;
    readonly msgSecurityParameters?: Record<string, unknown>;
  };
}

/** A GET of sysUpTime.0 in v2c with the community `public`: what makes the library show its class of messages. */
const GREETING = Buffer.from(
  '302602010104067075626c6963a01902010102010002010030' + '0e300c06082b060102010103000500',
  'hex',
);

/**
 * The part of net-snmp that it does not export: reading and writing messages without a socket of its own. Everything
 * that depends on its private names (pinned to 3.29.2) is in this file; test/library.test.ts checks them.
 */
export class NetSnmp {
  readonly library: typeof Library;
  readonly #messages: MessageClass;

  private constructor(library: typeof Library, messages: MessageClass) {
    this.library = library;
    this.#messages = messages;
  }

  /** Loads the library. */
  static async load(): Promise<NetSnmp> {
    const loaded = await import('net-snmp');
    // A CommonJS module: what the loader does not see by its names is in `default`.
    const library = (loaded as unknown as { default?: typeof Library }).default ?? loaded;
    addDes(library);
    return new NetSnmp(library, findMessageClass(library));
  }

  /** @throws whatever the library throws for octets that are no message */
  read(octets: Buffer): LibraryMessage {
    return this.#messages.createFromBuffer(octets);
  }

  /** Writes a message of v3, signed and encrypted as the flags say. */
  writeV3(
    user: LibraryUser,
    global: GlobalData,
    security: SecurityParameters,
    scoped: { readonly pdu: Buffer; readonly contextEngineID: Buffer; readonly contextName: string },
  ): Buffer {
    const { pdu, contextEngineID, contextName } = scoped;
    return this.#messages
      .createV3(user, global, security, wrap(pdu, contextEngineID, contextName))
      .toBuffer();
  }

  /** Opens a session that sends traps and informs; `adapt` may change what it sends. */
  openSession(
    target: string,
    principal: string | LibraryUser,
    options: Record<string, unknown>,
    adapt: (request: OutgoingRequest) => void,
  ): Library.Session {
    const session =
      typeof principal === 'string'
        ? this.library.createSession(target, principal, options)
        : this.library.createV3Session(target, principal, options);
    const open = session as unknown as { send(request: OutgoingRequest, noWait?: boolean): unknown };
    const send = open.send.bind(session);
    open.send = (request, noWait) => {
      adapt(request);
      return send(request, noWait);
    };
    // What it cannot read it emits, and without a listener that would end the process.
    session.on('error', () => undefined);
    return session;
  }
}

function wrap(octets: Buffer, contextEngineID: Buffer, contextName: string): OutgoingPdu {
  return { contextEngineID, contextName, toBuffer: (writer) => writer.writeBuffer(octets) };
}

function findMessageClass(library: typeof Library): MessageClass {
  const silent = { on: () => silent, bind: () => silent, close: () => silent, send: () => silent };
  const agent = library.createAgent({ dgramModule: { createSocket: () => silent } }, () => undefined) as {
    getAuthorizer(): { addCommunity(name: string): void };
    getRequest(socket: unknown, message: object): void;
    onMsg(socket: unknown, octets: Buffer, remote: unknown): void;
  };
  let found: unknown;
  agent.getAuthorizer().addCommunity('public');
  agent.getRequest = (_socket, message) => {
    found = message.constructor;
  };
  agent.onMsg(silent, GREETING, { address: '127.0.0.1', port: 1 });
  if (typeof found !== 'function')
    throw new Error('net-snmp does not show its messages: this package needs 3.29.2');
  return found as unknown as MessageClass;
}
