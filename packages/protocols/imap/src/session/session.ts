import type { Context, OutcomeFor, SpaceDoor } from '@backlot/core/plugin';
import { PendingAnswers, type Connection, describeClient, enterSpace } from '@backlot/kit';
import type { Mailbox } from '../mail/mailbox.js';
import type { UserMail } from '../mail/user-mail.js';
import type { ImapShape } from '../shape.js';
import { BadCommand, Refusal } from '../wire/bad-command.js';
import { CommandReader, printable } from '../wire/command-reader.js';
import { capabilitiesOf } from './capabilities.js';
import { checkState } from './check-state.js';
import type { CommandContext } from './command-context.js';
import { COMMANDS } from './command-table.js';
import type { Command } from './command.js';
import { Intake, type IntakeOwner } from './intake.js';
import type { Done, Job, Prepared } from './job.js';
import { exchangeOf, logInAs } from './placed.js';
import { Selected } from './selected.js';
import type { Services } from './services.js';

const TAG = /^([^\x00-\x20\x7f-\xff(){%*"\\+]{1,100}) +/;
const HTTP = /^[A-Z]+ \S+ HTTP\/\d/;
const MAX_BAD = 10;
/** Real milliseconds without traffic; before the login, and after it as RFC 3501, section 5.4 asks. */
const LOGIN_TIMEOUT = 60_000;
const SESSION_TIMEOUT = 30 * 60_000;

type Fault = Extract<OutcomeFor<ImapShape>, { readonly type: 'fault' }>['fault'];

/** A job with the command that it does. */
interface CommandJob extends Job {
  readonly command: Command;
  prepared: Prepared;
  /** Reads the arguments anew. @throws BadCommand */
  readonly prepare: () => Prepared;
}

/** One connection: reads commands and does them one after another. */
export class Session implements CommandContext, IntakeOwner {
  readonly connection: Connection;
  context: Context<ImapShape>;
  /** The mailboxes as who has logged in sees them. */
  store: UserMail;
  #mails: Services['store'];
  readonly hasStartTls: boolean;
  logins: Services['logins'];
  user: string | undefined;
  selected: Selected | undefined;
  /** Takes the next line in place of a command: the client was asked for it. */
  onLine: ((line: string) => void) | undefined;
  /** While it is set, changes of the selected mailbox are sent at once. */
  isIdling = false;
  #unwatch: (() => void) | undefined;
  #job: CommandJob | undefined;
  readonly #pending: PendingAnswers;
  #bad = 0;

  constructor(connection: Connection, { context, store, hasStartTls, logins }: Services) {
    this.connection = connection;
    this.context = context;
    this.#mails = store;
    this.store = store.seenBy('');
    this.hasStartTls = hasStartTls;
    this.logins = logins;
    connection.setIdleTimeout(LOGIN_TIMEOUT, () => this.bye('nothing was said for too long'));
    this.#pending = new PendingAnswers(connection);
    describeClient(connection, () => ({ user: this.user }));
    new Intake(connection, this);
    connection.onClose(() => {
      this.unselect();
      this.#job?.exchange.abort();
    });
    this.send(`* OK [CAPABILITY ${capabilitiesOf(this)}] Backlot IMAP4rev1 is ready\r\n`);
  }

  get isLoggedIn(): boolean {
    return this.user !== undefined;
  }

  get isAsking(): boolean {
    return this.onLine !== undefined;
  }

  /** Sends latin1 text; `false` when the client has to read first. */
  send(text: string): boolean {
    return this.connection.write(text, 'latin1');
  }

  /** The last word to a client that is connected while the server stops. */
  sayStopping(): void {
    this.send('* BYE the server is stopping\r\n');
  }

  /** Ends the connection with a last word. */
  bye(text: string): void {
    this.connection.end(`* BYE ${text}\r\n`);
  }

  enter(door: SpaceDoor): Promise<void> {
    return enterSpace(door, this.connection, this, { stays: true });
  }

  /** Its client has named the world of these services, before it has logged in. */
  moveTo({ context, store, logins }: Services): void {
    this.context = context;
    this.#mails = store;
    this.store = store.seenBy('');
    this.logins = logins;
    this.connection.setIdleTimeout(LOGIN_TIMEOUT, () => this.bye('nothing was said for too long'));
  }

  logInAs<T>(name: string, goOn: (user: string) => T | Promise<T>): T | Promise<T> {
    return logInAs(this, name, goOn);
  }

  login(user: string): void {
    this.user = user;
    this.store = this.#mails.seenBy(user);
    this.connection.setIdleTimeout(SESSION_TIMEOUT, () => this.bye('nothing was said for too long'));
  }

  select(mailbox: Mailbox, isReadOnly: boolean): Selected {
    this.unselect();
    const { name } = mailbox;
    this.selected = new Selected(mailbox, isReadOnly);
    this.#unwatch = this.store.watchers.watch(
      name,
      this.connection.isolate(() => this.pushChanges()),
    );
    return this.selected;
  }

  unselect(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.selected = undefined;
  }

  /** Tells an idling client what has changed in its mailbox. */
  pushChanges(): void {
    const { selected } = this;
    if (!this.isIdling || selected === undefined) return;
    const lines = selected.sync(this.store.find(selected.name), 'expunge');
    if (lines !== '') this.connection.push(lines, 'latin1');
  }

  take(parts: readonly (string | Buffer)[]): void {
    const [first] = parts;
    const line = typeof first === 'string' ? first : '';
    const { onLine } = this;
    if (onLine !== undefined) {
      this.onLine = undefined;
      onLine(line);
      return;
    }
    if (HTTP.test(line)) return this.bye('this is IMAP, not HTTP');
    const tag = TAG.exec(line);
    if (tag === null) return this.#refuseBad('*', 'a command begins with a tag and a space');
    this.#begin(tag[1] ?? '', [line.slice(tag[0].length), ...parts.slice(1)]);
  }

  refuse(line: string, text: string): void {
    this.#refuseBad(TAG.exec(line)?.[1] ?? '*', text);
  }

  /** Ends a command that answers later. */
  complete(job: Job, { text, sync = 'expunge', withUid = false }: Done): void {
    const { selected } = this;
    let lines = '';
    if (selected !== undefined && sync !== 'nothing') {
      const own = job.prepared.mailbox;
      const mailbox = own?.name === selected.name ? own : this.store.find(selected.name);
      lines = selected.sync(mailbox, sync, withUid);
    }
    // Who was said goodbye to is told nothing more.
    if (!this.connection.isEnded) this.send(`${lines}${job.tag} ${text}\r\n`);
    this.#end(job, text);
  }

  attempt(job: Job, act: () => Done | undefined | Promise<Done | undefined>): void {
    try {
      const done = act();
      if (done instanceof Promise) {
        const answered = done.catch((error: unknown) => refusalOf(job, error));
        this.#pending.wait(answered, (late) => late && this.complete(job, late));
      } else if (done !== undefined) {
        this.complete(job, done);
      }
    } catch (error) {
      this.complete(job, refusalOf(job, error));
    }
  }

  #begin(tag: string, parts: readonly (string | Buffer)[]): void {
    let name = '';
    try {
      const reader = new CommandReader(parts);
      name = reader.word('a command');
      if (name === 'UID') {
        reader.space();
        name = `UID ${reader.word('a command')}`;
      }
      const command = COMMANDS.get(name);
      if (command === undefined) throw new BadCommand(`there is no command ${printable(name)}`);
      checkState(this, name, command);
      const { rest } = reader;
      const prepared = command.prepare(this, reader);
      this.#bad = 0;
      const prepare = (): Prepared => command.prepare(this, new CommandReader([rest, ...parts.slice(1)]));
      this.#start({ tag, name, command, prepare }, { body: rest.trimStart(), ...prepared });
    } catch (error) {
      if (!(error instanceof BadCommand)) throw error;
      const { remote } = this.connection;
      const exchange = this.context.receive({ method: printable(name), path: '', remote });
      this.#refuseBad(tag, error.message);
      exchange.done({ status: 'BAD', body: `BAD ${error.message}` });
    }
  }

  #start(given: Omit<CommandJob, 'prepared' | 'exchange'>, prepared: Prepared): void {
    const { name, command } = given;
    const message = {
      method: name,
      path: prepared.path ?? '',
      remote: this.connection.remote,
      ...(prepared.body === undefined || prepared.body.length === 0 ? {} : { body: prepared.body }),
      extras: { command: name, mailbox: prepared.path ?? '', user: this.user ?? '' },
    };
    const exchange = exchangeOf(this, message);
    const job: CommandJob = {
      ...given,
      prepared,
      get exchange() {
        return exchange();
      },
    };
    this.#job = job;
    if (command.isCovered !== true || prepared.isProbe === true) return this.#perform(job);
    const outcome = job.exchange.resolve();
    if (outcome instanceof Promise) this.#pending.wait(outcome, (late) => this.#decide(job, late));
    else this.#decide(job, outcome);
  }

  #decide(job: CommandJob, outcome: OutcomeFor<ImapShape>): void {
    if (outcome.type === 'aborted') return;
    const { exchange, prepared } = job;
    const { uses, mailbox } = prepared;
    // A fault counts the mailbox as well.
    const mock = uses === undefined || mailbox === undefined ? undefined : this.store.mockOf(uses);
    const match = mock === undefined ? undefined : exchange.used(mock);
    const goOn = (used: Awaited<typeof match>): void => {
      if (outcome.type === 'fault') this.#fail(job, outcome.fault);
      else if (used?.type === 'fault') this.#fail(job, used.fault);
      else if (used?.type === 'unmatched') this.#decideAnew(job, outcome);
      else this.#perform(job);
    };
    if (match instanceof Promise) this.#pending.wait(match, goOn);
    else goOn(match);
  }

  /** Decides once more: another replica was the last that a mock was there for, and there may be another one in its turn. */
  #decideAnew(job: CommandJob, outcome: OutcomeFor<ImapShape>): void {
    if (this.connection.isClosed) return;
    try {
      job.prepared = job.prepare();
    } catch (error) {
      this.complete(job, refusalOf(job, error));
      return;
    }
    this.#decide(job, outcome);
  }

  #fail(job: Job, { response = 'NO', message = '' }: Fault): void {
    if (this.connection.isClosed) return;
    const text = `${response} ${message}`;
    if (response === 'BYE') this.connection.end(`* ${text}\r\n`);
    else this.send(`${job.tag} ${text}\r\n`);
    this.#end(job, text);
  }

  #perform(job: CommandJob): void {
    const { command, prepared } = job;
    if (this.connection.isClosed) return;
    this.attempt(job, () => {
      const isCurrent = command.needs === 'no login' || job.exchange.isCurrent;
      if (command.isChange === true && !isCurrent) {
        throw new Refusal('[UNAVAILABLE] the server was reset before this was done');
      }
      return prepared.perform(job, isCurrent);
    });
  }

  #end({ exchange }: Job, text: string): void {
    this.#job = undefined;
    // What is there, with a mock or without one, misses none.
    if (text.startsWith('OK')) exchange.answeredFromData();
    exchange.done({ status: text.slice(0, text.indexOf(' ')), body: text });
  }

  #refuseBad(tag: string, text: string): void {
    this.#bad += 1;
    if (this.#bad >= MAX_BAD) this.connection.end(`${tag} BAD ${text}\r\n* BYE too many bad commands\r\n`);
    else this.send(`${tag} BAD ${text}\r\n`);
  }
}

/** How a command ends that was refused; what is no refusal is thrown again. */
function refusalOf({ name }: Job, error: unknown): Done {
  if (!(error instanceof Refusal) && !(error instanceof BadCommand)) throw error;
  const sync = name.startsWith('UID ') ? 'expunge' : 'no expunge';
  return { text: `${error instanceof Refusal ? 'NO' : 'BAD'} ${error.message}`, sync };
}
