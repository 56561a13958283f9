import { LEVEL } from '../users.js';
import { encodeElement, encodeInteger, encodeSequence } from './ber.js';
import type { SnmpEngine } from './engine.js';
import type {
  GlobalData,
  LibraryMessage,
  LibraryPdu,
  LibraryUser,
  NetSnmp,
  SecurityParameters,
} from './net-snmp.js';
import { encodeResponse, type Response } from './response.js';
import { countElements } from './structure.js';
import { PDU, TAG } from './tags.js';
import { encodeBinding } from './value.js';

/** What fits into one datagram over IPv4. */
const MAX_DATAGRAM = 65_507;
/** What every engine takes (RFC 3412 section 6.4). */
const MIN_MAX_SIZE = 484;
const FLAG = { auth: 1, priv: 2, reportable: 4 } as const;
const USM = 3;
/** More than the headers of a message ever take beside names and engine IDs. */
const HEADERS = 200;

/** On which level the bindings of a message stand; in v3 inside of a scoped PDU. */
const BINDINGS = 3;
const V3_BINDINGS = 4;

/** The reports of RFC 3414 section 5, by the last number of their counters. */
const REPORT = {
  unsupportedSecurityLevels: 1,
  notInTimeWindows: 2,
  unknownUserNames: 3,
  unknownEngineIds: 4,
  wrongDigests: 5,
  decryptionErrors: 6,
} as const;

/** A message that may pass. */
export interface IncomingPdu {
  readonly version: '1' | '2c' | '3';
  /** The community, or the user name of v3. */
  readonly principal: string;
  readonly pdu: LibraryPdu;
  /** False when it is sent with less security than its user asks for (RFC 3413 section 3.2: authorizationError). */
  readonly isAuthorized: boolean;
  /** Octets that the bindings of the answer may take. */
  readonly room: number;
  /** Makes the message that answers it. */
  answer(response: Response): Buffer;
}

/** Who may pass. */
export interface MessageProcessorOptions {
  readonly community: string;
  readonly users: ReadonlyMap<string, LibraryUser>;
  /** Whether credentials count as wrong, whatever they are. */
  readonly areWrong?: () => boolean;
}

/** Reads messages and checks communities, users, signatures and time. */
export class MessageProcessor {
  readonly #snmp: NetSnmp;
  readonly #engine: SnmpEngine;
  readonly #options: MessageProcessorOptions;
  readonly #reports = new Map<number, number>();
  /** What messages of v1 and v2c begin with. */
  readonly #version1: Buffer;
  readonly #version2c: Buffer;

  constructor(snmp: NetSnmp, engine: SnmpEngine, options: MessageProcessorOptions) {
    this.#snmp = snmp;
    this.#engine = engine;
    this.#options = options;
    const community = encodeElement(TAG.octetString, Buffer.from(options.community));
    this.#version1 = Buffer.concat([encodeInteger(0), community]);
    this.#version2c = Buffer.concat([encodeInteger(1), community]);
  }

  /**
   * @returns the message; octets to send back when the security model refuses it; `undefined` for what is not answered
   * @throws whatever net-snmp throws for octets that are no message
   */
  open(octets: Buffer): IncomingPdu | Buffer | undefined {
    const counts = countElements(octets);
    if (counts === undefined) return undefined;
    const message = this.#snmp.read(octets);
    // net-snmp leaves out what it cannot read in a list of bindings, and what follows.
    const level = message.version === 3 ? V3_BINDINGS : BINDINGS;
    if (message.pdu !== null && message.pdu.varbinds.length !== (counts[level] ?? 0)) return undefined;
    if (message.version === 0 || message.version === 1) return this.#openCommunity(message);
    return message.version === 3 ? this.#openV3(message) : undefined;
  }

  #openCommunity({ version, community, pdu }: LibraryMessage): IncomingPdu | undefined {
    if (community !== this.#options.community || pdu === null) return undefined;
    if (this.#options.areWrong?.() === true) return undefined;
    return {
      version: version === 0 ? '1' : '2c',
      principal: community,
      pdu,
      isAuthorized: true,
      room: MAX_DATAGRAM - HEADERS - Buffer.byteLength(community),
      answer: (response) => encodeResponse(response, version === 0 ? this.#version1 : this.#version2c),
    };
  }

  /** RFC 3414 section 3.2, in its order. */
  #openV3(message: LibraryMessage): IncomingPdu | Buffer | undefined {
    const { msgGlobalData: global, msgSecurityParameters: security } = message;
    if (global === undefined || security === undefined || global.msgSecurityModel !== USM) return undefined;
    const { msgFlags: flags } = global;
    const isSigned = (flags & FLAG.auth) !== 0;
    const isEncrypted = (flags & FLAG.priv) !== 0;
    if (isEncrypted && !isSigned) return undefined;
    const refuse = (report: number, user?: LibraryUser): Buffer | undefined =>
      (flags & FLAG.reportable) === 0 ? undefined : this.#report(global, report, user);
    if (!this.#engine.id.equals(security.msgAuthoritativeEngineID)) return refuse(REPORT.unknownEngineIds);
    const user = this.#userOf(security.msgUserName ?? '');
    if (user === undefined) return refuse(REPORT.unknownUserNames);
    const level = isEncrypted ? LEVEL.authPriv : isSigned ? LEVEL.authNoPriv : LEVEL.noAuthNoPriv;
    if (level > user.level) return refuse(REPORT.unsupportedSecurityLevels);
    if (isSigned) {
      const isRight = message.checkAuthentication(user, ignore) && this.#options.areWrong?.() !== true;
      if (!isRight) return refuse(REPORT.wrongDigests);
      if (!this.#engine.isInTimeWindow(security)) return refuse(REPORT.notInTimeWindows, user);
    }
    if (isEncrypted && !message.decryptPdu(user, ignore)) return refuse(REPORT.decryptionErrors);
    return this.#admit(message, global, user, level);
  }

  #admit(
    { pdu }: LibraryMessage,
    global: GlobalData,
    user: LibraryUser,
    level: number,
  ): IncomingPdu | undefined {
    if (pdu === null) return undefined;
    const contextEngineID = pdu.contextEngineID ?? this.#engine.id;
    const contextName = pdu.contextName ?? '';
    const names = Buffer.byteLength(user.name) + Buffer.byteLength(contextName) + contextEngineID.length;
    const largest = Math.min(Math.max(global.msgMaxSize, MIN_MAX_SIZE), MAX_DATAGRAM);
    const header = { ...global, msgMaxSize: MAX_DATAGRAM, msgFlags: global.msgFlags & ~FLAG.reportable };
    return {
      version: '3',
      principal: user.name,
      pdu,
      isAuthorized: level === user.level,
      room: largest - HEADERS - names - this.#engine.id.length,
      answer: (response) =>
        this.#snmp.writeV3(user, header, this.#engine.parameters, {
          pdu: encodeResponse(response),
          contextEngineID,
          contextName,
        }),
    };
  }

  #userOf(name: string): LibraryUser | undefined {
    const { users } = this.#options;
    return users.size === 0 ? { name, level: LEVEL.noAuthNoPriv } : users.get(name);
  }

  /** A Report-PDU with the counter that says what was wrong; signed when there is a user to sign for. */
  #report(global: GlobalData, report: number, user: LibraryUser | undefined): Buffer {
    const count = ((this.#reports.get(report) ?? 0) + 1) % 2 ** 32;
    this.#reports.set(report, count);
    const { octets } = encodeBinding(`1.3.6.1.6.3.15.1.1.${report}.0`, { tag: TAG.counter32, native: count });
    const pdu = encodeElement(
      PDU.report,
      encodeInteger(0),
      encodeInteger(0),
      encodeInteger(0),
      encodeSequence([octets]),
    );
    const header = { ...global, msgMaxSize: MAX_DATAGRAM, msgFlags: user === undefined ? 0 : FLAG.auth };
    const sender = user ?? { name: '', level: LEVEL.noAuthNoPriv };
    const security: SecurityParameters = this.#engine.parameters;
    const scoped = { pdu, contextEngineID: this.#engine.id, contextName: '' };
    return this.#snmp.writeV3(sender, header, security, scoped);
  }
}

function ignore(): void {
  // What was wrong is told by the report.
}
