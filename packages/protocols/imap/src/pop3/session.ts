import type { Context, OutcomeFor, SpaceDoor } from '@backlot/core/plugin';
import { describeClient, enterSpace, PendingAnswers, readFrames, type Connection } from '@backlot/kit';
import { LineFramer } from '@backlot/kit/framing';
import type { UserMail } from '../mail/user-mail.js';
import { exchangeOf, logInAs } from '../session/placed.js';
import type { Services } from '../session/services.js';
import type { ImapShape } from '../shape.js';
import { BadCommand, Refusal } from '../wire/bad-command.js';
import { POP_COMMANDS } from './command-table.js';
import type { PopAnswer, PopCommand, PopContext, PopJob, PopResult } from './context.js';
import { Maildrop } from './maildrop.js';

const INBOX = 'INBOX';
/** Access tokens are longer than the 255 octets of RFC 2449. */
const MAX_LINE = 16 * 1024;
const LINE = /^([A-Za-z]{1,20})(?: (.*))?$/s;
const MAX_BAD = 10;
/** Real milliseconds without traffic; before the login, and after it as RFC 1939, section 3 asks. */
const LOGIN_TIMEOUT = 60_000;
const SESSION_TIMEOUT = 10 * 60_000;

type Fault = Extract<OutcomeFor<ImapShape>, { readonly type: 'fault' }>['fault'];

/** One connection of a POP3 client: reads commands and does them one after another. */
export class PopSession implements PopContext {
  readonly connection: Connection;
  context: Context<ImapShape>;
  logins: Services['logins'];
  readonly hasStartTls: boolean;
  named: string | undefined;
  maildrop: Maildrop | undefined;
  #mails: Services['store'];
  readonly #pending: PendingAnswers;
  #store: UserMail | undefined;
  #user: string | undefined;
  #job: PopJob | undefined;
  #onLine: ((line: string) => void) | undefined;
  #bad = 0;

  constructor(connection: Connection, { context, store, hasStartTls, logins }: Services) {
    this.connection = connection;
    this.context = context;
    this.#mails = store;
    this.hasStartTls = hasStartTls;
    this.logins = logins;
    this.#pending = new PendingAnswers(connection);
    connection.setIdleTimeout(LOGIN_TIMEOUT, () => connection.end());
    describeClient(connection, () => ({ user: this.#user }));
    connection.onClose(() => this.#job?.exchange.abort());
    connection.onSecure(() => {
      this.named = undefined;
    });
    readFrames(
      connection,
      new LineFramer({ maxLength: MAX_LINE }),
      (frame) => this.#take(frame.toString('utf8')),
      (error) => this.bye(error.message),
    );
    connection.write('+OK Backlot POP3 is ready\r\n');
  }

  bye(text: string): void {
    this.connection.end(`-ERR ${text}\r\n`);
  }

  enter(door: SpaceDoor): Promise<void> {
    return enterSpace(door, this.connection, this, { stays: true, companion: 'pop3' });
  }

  /** Its client has named the world of these services, with the login that is being done. */
  moveTo({ context, store, logins }: Services): void {
    this.context = context;
    this.#mails = store;
    this.logins = logins;
  }

  logInAs<T>(name: string, goOn: (user: string) => T | Promise<T>): T | Promise<T> {
    return logInAs(this, name, goOn);
  }

  login(user: string): Maildrop {
    this.#user = user;
    this.#store = this.#mails.seenBy(user);
    this.maildrop = new Maildrop(this.#store);
    this.connection.setIdleTimeout(SESSION_TIMEOUT, () => this.connection.end());
    return this.maildrop;
  }

  ask(job: PopJob, challenge: string, take: (line: string) => PopResult): void {
    this.connection.write(`+ ${challenge}\r\n`);
    this.#onLine = (line) => {
      this.#attempt(job, () => take(line));
    };
  }

  #take(line: string): void {
    const onLine = this.#onLine;
    if (onLine !== undefined) {
      this.#onLine = undefined;
      onLine(line);
      return;
    }
    const [, word = '', argument = ''] = LINE.exec(line) ?? [];
    const name = word.toUpperCase();
    const command = POP_COMMANDS.get(name);
    const problem =
      command === undefined
        ? `there is no command ${JSON.stringify(word || line.slice(0, 20))}`
        : this.#problemOf(name, command);
    if (command === undefined || problem !== undefined) return this.#refuseBad(problem ?? '');
    this.#bad = 0;
    this.#start(name, command, argument);
  }

  #problemOf(name: string, { needs }: PopCommand): string | undefined {
    if (needs === 'login' && this.maildrop === undefined) return `${name} needs a login first`;
    if (needs === 'no login' && this.maildrop !== undefined) return `${name} is for before the login`;
    return undefined;
  }

  #start(name: string, command: PopCommand, argument: string): void {
    const isCovered = command.isCovered === true;
    const message = {
      method: name,
      path: isCovered ? INBOX : '',
      remote: this.connection.remote,
      ...(argument === '' || command.isSecret === true ? {} : { body: argument }),
      extras: { command: name, mailbox: isCovered ? INBOX : '', user: this.#user ?? '' },
    };
    const exchange = exchangeOf(this, message);
    const job: PopJob = {
      name,
      get exchange() {
        return exchange();
      },
    };
    this.#job = job;
    if (command.needs !== 'no login') exchange();
    const perform = (): void => this.#attempt(job, () => command.perform(this, argument, job));
    if (!isCovered) return perform();
    const outcome = job.exchange.resolve();
    if (outcome instanceof Promise) this.#pending.wait(outcome, (late) => this.#decide(job, late, perform));
    else this.#decide(job, outcome, perform);
  }

  #decide(job: PopJob, outcome: OutcomeFor<ImapShape>, perform: () => void): void {
    if (outcome.type === 'aborted') return;
    // A fault counts the mailbox as well.
    const mock = this.#store?.mockOf(INBOX);
    const match = mock === undefined ? undefined : job.exchange.used(mock);
    const goOn = (used: Awaited<typeof match>): void => {
      if (this.connection.isClosed) return;
      if (outcome.type === 'fault') this.#fail(job, outcome.fault);
      else if (used?.type === 'fault') this.#fail(job, used.fault);
      // Another replica was the last that it was there for: there may be another one in its turn.
      else if (used?.type === 'unmatched') this.#decide(job, outcome, perform);
      else perform();
    };
    if (match instanceof Promise) this.#pending.wait(match, goOn);
    else goOn(match);
  }

  #attempt(job: PopJob, act: () => PopResult): void {
    const refuse = (error: unknown): undefined => {
      if (!(error instanceof Refusal) && !(error instanceof BadCommand)) throw error;
      this.#refuse(job, error.message);
    };
    try {
      const done = act();
      if (done instanceof Promise)
        this.#pending.wait(done.catch(refuse), (late) => late && this.#answer(job, late));
      else if (done !== undefined) this.#answer(job, done);
    } catch (error) {
      refuse(error);
    }
  }

  #answer(job: PopJob, { text, lines, isLast = false, startsTls = false }: PopAnswer): void {
    const { connection } = this;
    if (!connection.isEnded) {
      connection.write(`+OK${text === '' ? '' : ' '}${text}\r\n`);
      if (lines !== undefined) connection.write(lines);
    }
    job.exchange.answeredFromData();
    this.#end(job, 'OK', text);
    if (isLast) connection.end();
    // A handshake that fails ends the connection; that is the client's affair.
    if (startsTls) connection.startTls().catch(() => undefined);
  }

  #fail(job: PopJob, { response = 'NO', message = '' }: Fault): void {
    this.#refuse(job, message);
    if (response === 'BYE') this.connection.end();
  }

  #refuse(job: PopJob, text: string): void {
    // Who was said goodbye to is told nothing more.
    if (!this.connection.isEnded) this.connection.write(`-ERR ${text}\r\n`);
    this.#end(job, 'ERR', text);
  }

  #end({ exchange }: PopJob, status: string, text: string): void {
    this.#job = undefined;
    exchange.done({ status, body: text });
  }

  #refuseBad(text: string): void {
    this.#bad += 1;
    if (this.#bad >= MAX_BAD) this.bye(`${text}; too many bad commands`);
    else this.connection.write(`-ERR ${text}\r\n`);
  }
}
