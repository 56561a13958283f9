import type { Reply } from '@backlot/core/plugin';
import { COMMANDS } from '../commands.js';
import { MemcachedMessage } from '../message.js';
import type { Result } from '../result.js';
import { makeStats } from '../stats/stats.js';
import { VERSION } from '../version.js';
import {
  BINARY_REQUEST,
  BINARY_STATUS,
  BINARY_TEXTS,
  encodeResponse,
  HEADER_SIZE,
  readHeader,
  type BinaryStatus,
  type RequestHeader,
  type Response,
} from '../wire/binary-header.js';
import { OPCODES, type Opcode } from '../wire/opcodes.js';
import { answerBinary } from './binary-answers.js';
import type { Dialect, DialectContext } from './dialect.js';
import { MAX_KEY } from './text-commands.js';
import { replyFor, replyOf } from './words.js';

/** Counting with this expiry makes nothing where there is nothing. */
const NEVER_MAKE = 0xffffffff;
/** What an upstream is asked that mocks cannot answer. */
const PASSED_ON = /^(?:version|sasl_list_mechs|sasl_auth|sasl_step|unknown)$/;
const UNKNOWN: Opcode = {
  command: 'unknown',
  isQuiet: false,
  extras: [],
  hasKey: false,
  hasValue: false,
  repeatsKey: false,
};

/** The binary protocol (memcached wiki, BinaryProtocolRevamped). */
export class BinaryDialect implements Dialect {
  readonly #connection: DialectContext;
  #header: RequestHeader | undefined;
  #opcode: Opcode = UNKNOWN;
  frame: string | undefined;

  constructor(connection: DialectContext) {
    this.#connection = connection;
  }

  take(): boolean {
    const { inbox } = this.#connection;
    if (inbox.length < HEADER_SIZE) {
      inbox.need(HEADER_SIZE);
      return false;
    }
    const header = readHeader(inbox.bytes, inbox.start);
    const opcode = OPCODES.get(header.opcode) ?? UNKNOWN;
    this.#header = header;
    this.#opcode = opcode;
    if (header.magic !== BINARY_REQUEST) return this.#close();
    if (!this.#isSound(header, opcode)) return this.#close(BINARY_STATUS.invalid);
    const isTooLarge = this.#isTooLarge(header, opcode);
    const size = HEADER_SIZE + (isTooLarge ? header.extrasLength + header.keyLength : header.bodyLength);
    if (inbox.length < size) {
      inbox.need(size);
      return false;
    }
    const { bytes, start } = inbox;
    if (isTooLarge) {
      this.#dropTooLarge(header, opcode, bytes, start + HEADER_SIZE);
      return true;
    }
    inbox.start = start + size;
    if (this.#connection.isRelayed) this.frame = bytes.toString('latin1', start, start + size);
    this.#obey(header, opcode, bytes, start + HEADER_SIZE);
    return true;
  }

  perform(message: MemcachedMessage): Result {
    const { server } = this.#connection;
    return message.method === 'stats' ? makeStats(server, message.key) : server.perform(message);
  }

  answer(message: MemcachedMessage, result: Result): Reply {
    const { opcode = 0, opaque = 0 } = this.#header ?? {};
    this.#connection.out += answerBinary(opcode, opaque, this.#opcode, message, result);
    return replyFor(message, result);
  }

  /** Whether the lengths fit each other and the command. */
  #isSound({ keyLength, extrasLength, bodyLength }: RequestHeader, opcode: Opcode): boolean {
    if (keyLength > MAX_KEY || keyLength + extrasLength > bodyLength) return false;
    if (opcode === UNKNOWN) return bodyLength <= this.#connection.server.store.limits.maxItem;
    if (!opcode.extras.includes(extrasLength)) return false;
    if (opcode.command === 'stats') return keyLength === bodyLength;
    if (opcode.hasKey ? keyLength === 0 : keyLength > 0) return false;
    return opcode.hasValue || bodyLength === keyLength + extrasLength;
  }

  /** Whether it has a value that can never be stored. */
  #isTooLarge({ keyLength, extrasLength, bodyLength }: RequestHeader, { hasValue }: Opcode): boolean {
    const { store } = this.#connection.server;
    return hasValue && store.isTooLarge(keyLength, bodyLength - keyLength - extrasLength);
  }

  /** Throws away what cannot be stored, what has not come yet included. */
  #dropTooLarge(
    { extrasLength, keyLength, bodyLength }: RequestHeader,
    { command }: Opcode,
    bytes: Buffer,
    at: number,
  ): void {
    const { inbox, server } = this.#connection;
    const keyAt = at + extrasLength;
    const key = command === 'set' ? bytes.toString('latin1', keyAt, keyAt + keyLength) : undefined;
    inbox.drop(HEADER_SIZE + bodyLength);
    server.store.refuseTooLarge(key);
    this.#refuse(BINARY_STATUS.tooLarge);
  }

  #obey(header: RequestHeader, opcode: Opcode, bytes: Buffer, at: number): void {
    if (!COMMANDS.has(opcode.command)) return this.#answerAlone(opcode);
    const keyAt = at + header.extrasLength;
    const valueAt = keyAt + header.keyLength;
    const { command } = opcode;
    const method = header.cas !== 0 && (command === 'set' || command === 'replace') ? 'cas' : command;
    const message = new MemcachedMessage(
      method,
      bytes.toString('latin1', keyAt, valueAt),
      this.#connection.remote,
    );
    message.cas = header.cas;
    message.pads = false;
    if (opcode.hasValue) message.carry(bytes.toString('latin1', valueAt, at + header.bodyLength));
    readExtras(message, header.extrasLength, bytes, at);
    this.#connection.ask(message, this);
  }

  /** What no mock answers. */
  #answerAlone({ command, isQuiet }: Opcode): void {
    if (this.frame !== undefined && PASSED_ON.test(command))
      return this.#connection.passOn(command, this.frame);
    switch (command) {
      case 'noop':
      case 'verbosity':
        return this.#note(command, {});
      case 'version':
        return this.#note(command, { value: VERSION });
      case 'sasl_list_mechs':
        return this.#note(command, { value: 'PLAIN' });
      // Any login passes.
      case 'sasl_auth':
      case 'sasl_step':
        return this.#note(command, { value: 'Authenticated' });
      case 'quit':
        if (isQuiet) this.#connection.note(command, '', replyOf('closed'));
        else this.#note(command, {});
        return this.#connection.end();
      default:
        return this.#refuse(BINARY_STATUS.unknown);
    }
  }

  #note(method: string, response: Response): void {
    const { opcode = 0, opaque = 0 } = this.#header ?? {};
    const { status = BINARY_STATUS.ok } = response;
    this.#connection.out += encodeResponse(opcode, opaque, response);
    this.#connection.note(
      method,
      '',
      replyOf(status === BINARY_STATUS.ok ? 'OK' : (BINARY_TEXTS[status] ?? 'ERROR')),
    );
  }

  #refuse(status: BinaryStatus): void {
    this.#note(this.#opcode.command, { status, value: BINARY_TEXTS[status] ?? '' });
  }

  #close(status?: BinaryStatus): false {
    if (status !== undefined) this.#refuse(status);
    this.#connection.end();
    return false;
  }
}

function readExtras(message: MemcachedMessage, length: number, bytes: Buffer, at: number): void {
  if (length === 8) {
    message.flags = bytes.readUInt32BE(at);
    message.exptime = bytes.readUInt32BE(at + 4);
  } else if (length === 4) {
    message.exptime = bytes.readUInt32BE(at);
  } else if (length === 20) {
    message.delta = bytes.readBigUInt64BE(at);
    const exptime = bytes.readUInt32BE(at + 16);
    message.exptime = exptime;
    if (exptime !== NEVER_MAKE) message.initial = bytes.readBigUInt64BE(at + 8);
  }
}
