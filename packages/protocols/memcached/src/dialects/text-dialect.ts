import type { Reply } from '@backlot/core/plugin';
import { COMMANDS } from '../commands.js';
import { MemcachedMessage } from '../message.js';
import type { Result } from '../result.js';
import { makeStats } from '../stats/stats.js';
import { ERRORS, errorLine, type ProtocolError } from '../wire/error-text.js';
import { fromWire } from '../wire/latin.js';
import { parseSigned, parseSize } from '../wire/numbers.js';
import { MetaFlags, parseMetaFlags } from '../wire/meta-flags.js';
import { answerAdmin } from './admin.js';
import type { Dialect, DialectContext } from './dialect.js';
import { readKeysLine, type KeysLine, type WordReader } from './keys-line.js';
import { answerMeta, decodeKey } from './meta-answers.js';
import { answerText } from './text-answers.js';
import {
  GET,
  isPlainGet,
  MAX_KEY,
  readCommand,
  readStorage,
  wantsNoReply,
  type Storage,
} from './text-commands.js';
import { replyFor, replyOf } from './words.js';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** A line that has not ended by then never will; memcached's own limit. */
const MAX_LINE = 2048;
/** Commands with many keys have longer lines. */
const MAX_KEYS_LINE = 1024 * 1024;
const KEYS_LINE = /^ {0,100}(?:gets?|gats?) /;
/**
 * The keys of longer lines are cut out one by one, and copied, so that what remembers a key does not hold on to the
 * line.
 */
const SHORT_LINE = 512;
const MAX_NOTED = 32;
const RETRIEVALS = new Set(['get', 'gets', 'bget', 'gat', 'gats']);
const META = new Set(['mg', 'ms', 'md', 'ma', 'me']);

/** What is answered here also where there is an upstream: its answers would be these, or none. */
const OWN = /^(?:mn|quit|verbosity|shutdown|)$/;

/** A retrieval whose keys are answered one by one. */
interface Retrieval {
  readonly command: string;
  readonly keys: readonly string[];
  /** The keys behind those, on a long line. */
  readonly others?: WordReader;
  readonly exptime: number;
  /** What waited to be sent when it began: an error takes the place of what was found so far. */
  readonly before: string;
  readonly flushes: number;
  next: number;
}

/** The text protocol with its meta commands (memcached, doc/protocol.txt, "Commands" and "Meta Commands"). */
export class TextDialect implements Dialect {
  readonly #connection: DialectContext;
  #storage: Storage | undefined;
  #retrieval: Retrieval | undefined;
  /** What is still to be sent of a long answer. */
  #parts: Iterator<string> | undefined;
  #meta: MetaFlags | undefined;
  #isQuiet = false;

  constructor(connection: DialectContext) {
    this.#connection = connection;
  }

  take(): boolean {
    if (this.#retrieval !== undefined) return this.#retrieveNext(this.#retrieval);
    if (this.#storage !== undefined) return this.#takeData(this.#storage);
    if (this.#parts !== undefined) return this.#sendPart(this.#parts);
    const { inbox } = this.#connection;
    const { bytes, start } = inbox;
    const end = bytes.indexOf(LINE_FEED, start);
    if (end === -1) return this.#awaitLine();
    const isCrlf = end > start && bytes[end - 1] === CARRIAGE_RETURN;
    const stop = isCrlf ? end - 1 : end;
    inbox.start = end + 1;
    if (isPlainGet(bytes, start, stop)) this.#getOne(bytes.toString('latin1', start + GET.length, stop));
    else this.#obey(bytes.toString('latin1', start, stop));
    return true;
  }

  perform(message: MemcachedMessage): Result {
    const { server } = this.#connection;
    if (message.method === 'stats') return makeStats(server, message.key);
    return server.perform(message, this.#meta);
  }

  answer(message: MemcachedMessage, result: Result): Reply {
    const connection = this.#connection;
    const retrieval = this.#retrieval;
    if (this.#meta !== undefined) {
      connection.out += answerMeta(message, result, this.#meta, connection.server.store.clock.now());
    } else if (retrieval !== undefined && result.error !== undefined) {
      if (retrieval.flushes === connection.flushes) connection.out = retrieval.before;
      connection.out += `${errorLine(result.error)}\r\n`;
      this.#retrieval = undefined;
    } else if (!this.#isQuiet) {
      connection.out += answerText(message, result);
    }
    return replyFor(message, result);
  }

  #awaitLine(): boolean {
    const { inbox } = this.#connection;
    if (inbox.length > MAX_LINE) {
      const isKeysLine = KEYS_LINE.test(inbox.bytes.toString('latin1', inbox.start, inbox.start + 110));
      if (!isKeysLine || inbox.length > MAX_KEYS_LINE) {
        this.#complain('', ERRORS.lineTooLong);
        this.#connection.end();
        return false;
      }
    }
    inbox.needLine();
    return false;
  }

  #obey(line: string): void {
    this.#isQuiet = false;
    this.#meta = undefined;
    const keysLine = line.length > SHORT_LINE ? readKeysLine(line) : undefined;
    if (keysLine !== undefined) return this.#retrieveMany(keysLine);
    let words: readonly string[] = line.split(' ');
    if (words.includes('')) words = words.filter((word) => word !== '');
    const command = words[0] ?? '';
    if (RETRIEVALS.has(command)) return this.#retrieve(command, words);
    if (META.has(command)) return this.#obeyMeta(command, words);
    if (COMMANDS.has(command)) return this.#obeyClassic(command, words);
    if (this.#connection.isRelayed && !OWN.test(command))
      return this.#connection.passOn(command, `${line}\r\n`);
    const answer = answerAdmin(words, this.#connection.server);
    if (answer === undefined) {
      this.#connection.note('quit', '', replyOf('closed'));
      return this.#connection.end();
    }
    this.#connection.note(fromWire(command.slice(0, MAX_NOTED)), '', replyOf(answer.status));
    this.#connection.out += answer.text;
    this.#parts = answer.parts;
  }

  #sendPart(parts: Iterator<string>): boolean {
    const part = parts.next();
    if (part.done === true) this.#parts = undefined;
    else this.#connection.out += part.value;
    return true;
  }

  #obeyClassic(command: string, words: readonly string[]): void {
    this.#isQuiet = command !== 'stats' && wantsNoReply(words);
    if (COMMANDS.get(command)?.operation === 'store') {
      const { server, inbox, remote } = this.#connection;
      const storage = readStorage(command, words, remote);
      if ('type' in storage) return this.#complain(command, storage);
      const { message, size } = storage;
      if (!server.store.isTooLarge(message.key.length, size)) {
        this.#storage = storage;
        return;
      }
      inbox.drop(size + 2);
      server.store.refuseTooLarge(command === 'set' ? message.key : undefined);
      return this.#complain(command, ERRORS.tooLarge);
    }
    const message = readCommand(command, words, this.#connection.remote);
    if (!(message instanceof MemcachedMessage)) return this.#complain(command, message);
    this.#connection.ask(message, this);
  }

  #obeyMeta(command: string, words: readonly string[]): void {
    const { server, inbox, remote } = this.#connection;
    const [, key = ''] = words;
    const isStorage = command === 'ms';
    if (words.length < 2 && command !== 'me') return this.#complain(command, ERRORS.unknown);
    if (words.length < 2 || key.length > MAX_KEY) return this.#complain(command, ERRORS.badLine);
    const size = isStorage ? parseSize(words[2] ?? '') : 0;
    if (size === undefined) return this.#complain(command, ERRORS.badLine);
    const flags = parseMetaFlags(command, words.slice(isStorage ? 3 : 2));
    const decoded = flags instanceof MetaFlags ? decodeKey(key, flags) : flags;
    if (!(flags instanceof MetaFlags) || typeof decoded !== 'string') {
      if (isStorage) inbox.drop(size + 2);
      return this.#complain(command, typeof decoded === 'string' ? ERRORS.badLine : decoded);
    }
    const message = new MemcachedMessage(command, decoded, remote);
    message.metaFlags = flags.sent;
    message.exptime = flags.exptime ?? 0;
    message.flags = flags.clientFlags;
    message.delta = flags.delta;
    this.#meta = flags;
    if (!isStorage) return this.#connection.ask(message, this);
    if (server.store.isTooLarge(decoded.length, size)) {
      inbox.drop(size + 2);
      server.store.refuseTooLarge(decoded);
      return this.#complain(command, ERRORS.tooLarge);
    }
    this.#storage = { message, size };
  }

  #takeData({ message, size }: Storage): boolean {
    const { inbox } = this.#connection;
    if (inbox.length < size + 2) {
      inbox.need(size + 2);
      return false;
    }
    const { bytes, start } = inbox;
    const end = start + size;
    this.#storage = undefined;
    inbox.start = end + 2;
    if (bytes[end] !== CARRIAGE_RETURN || bytes[end + 1] !== LINE_FEED) {
      this.#complain(message.method, ERRORS.badChunk);
    } else {
      message.carry(bytes.toString('latin1', start, end));
      this.#connection.ask(message, this);
    }
    return true;
  }

  #retrieve(command: string, words: readonly string[]): void {
    const touches = command === 'gat' || command === 'gats';
    const keys = words.slice(touches ? 2 : 1);
    if (words.length < 2) return this.#complain(command, ERRORS.unknown);
    const exptime = touches ? parseSigned(words[1] ?? '') : 0;
    if (exptime === undefined) return this.#complain(command, ERRORS.badExptime);
    if (keys.some(({ length }) => length > MAX_KEY)) return this.#complain(command, ERRORS.badLine);
    this.#begin({ command, keys, exptime });
  }

  #retrieveMany(line: KeysLine | ProtocolError): void {
    if ('type' in line) this.#complain('get', line);
    else this.#begin(line);
  }

  #begin({ command, ...asked }: Pick<Retrieval, 'command' | 'keys' | 'others' | 'exptime'>): void {
    const { out: before, flushes } = this.#connection;
    const name = command === 'bget' ? 'get' : command;
    this.#retrieveNext((this.#retrieval = { command: name, ...asked, before, flushes, next: 0 }));
  }

  /** `get` with one key: what nearly all clients send. */
  #getOne(key: string): void {
    this.#isQuiet = false;
    this.#meta = undefined;
    const { out: before, flushes } = this.#connection;
    this.#retrieval = { command: 'get', keys: [key], exptime: 0, before, flushes, next: 0 };
    this.#retrieveNext(this.#retrieval);
  }

  /** Asks for the next key; after the last one the answer ends. */
  #retrieveNext(retrieval: Retrieval): boolean {
    const connection = this.#connection;
    for (;;) {
      const key = retrieval.keys[retrieval.next] ?? retrieval.others?.next();
      if (key === undefined) {
        this.#retrieval = undefined;
        connection.out += 'END\r\n';
        return true;
      }
      retrieval.next += 1;
      const message = new MemcachedMessage(retrieval.command, key, connection.remote);
      message.exptime = retrieval.exptime;
      connection.ask(message, this);
      if (this.#retrieval === undefined) return true;
      if (connection.mustStop || connection.isFull) return true;
    }
  }

  /** Writes an error, unless no reply is wanted, and notes it. */
  #complain(command: string, error: ProtocolError): void {
    const line = errorLine(error);
    if (!this.#isQuiet) this.#connection.out += `${line}\r\n`;
    this.#connection.note(command, '', replyOf(line));
  }
}
