import { runInSlices, type Context, type MatchOf } from '@backlot/core/plugin';
import { isReplay, PendingAnswers, type Connection } from '@backlot/kit';
import { CapturedMail } from './captured-mail.js';
import type { Greylist } from './greylist.js';
import type { Answer, MailTransactions, RawMail } from './mail-transactions.js';
import { MailMessage, Question } from './message.js';
import { isWhole, NOTHING_READ, readMail, type ReadMail } from './read-mail.js';
import { FAILED, renderReply, tooLarge, type Reply } from './reply.js';
import type { SmtpExchange, SmtpOutcome, SmtpShape } from './shape.js';

/** A transaction that no rule has refused so far. */
interface Open {
  readonly exchange: SmtpExchange;
  readonly message: MailMessage;
  /** Whether core has decided, so that recipients and data are not asked about any more. */
  readonly isDecided: boolean;
  /** The rule that accepts; none when no rule matches. */
  readonly match?: MatchOf<SmtpShape> | undefined;
}

/**
 * The mail transactions of one connection, one after the other. Rules decide in their order and as early as they can: at
 * MAIL when the first that may match asks for nothing more, at RCPT for each recipient that is refused, else at the end
 * of the data for the whole mail.
 */
export class Transactions implements MailTransactions {
  readonly connection: Connection;
  #context: Context<SmtpShape>;
  #from = '';
  #open: Open | undefined;
  #hasRecipients = false;
  #greylist: Greylist;
  readonly #pending: PendingAnswers;

  constructor(connection: Connection, context: Context<SmtpShape>, greylist: Greylist) {
    this.connection = connection;
    this.#context = context;
    this.#greylist = greylist;
    this.#pending = new PendingAnswers(connection, { pauses: false });
    connection.onClose(() => this.cancel());
  }

  /** From now on they are those of another world. */
  moveTo(context: Context<SmtpShape>, greylist: Greylist): void {
    this.cancel();
    this.#context = context;
    this.#greylist = greylist;
  }

  /** Whether an answer is being made. */
  get isWaiting(): boolean {
    return !this.#pending.isEmpty;
  }

  /** MAIL came. */
  begin(from: string, answer: Answer): void {
    this.#from = from;
    this.#hasRecipients = false;
    const { exchange, message } = this.#receive();
    this.#settle(exchange, exchange.resolve({ final: false }), (outcome) => {
      const refusal = this.#refuse(exchange, outcome);
      this.#open = refusal === undefined ? openBy(exchange, message, outcome, this.#isReplay) : undefined;
      answer(refusal);
    });
  }

  /** RCPT came. */
  addRecipient(address: string, answer: Answer): void {
    const open = this.#open;
    const deferral = this.#greylist.refusal(this.connection.remoteAddress, this.#from, address);
    if (deferral !== undefined) return this.#defer(address, deferral, answer);
    const fate = open?.isDecided === true ? 'taken' : this.#fateOf(address);
    if (fate === 'taken') {
      this.#hasRecipients = true;
      answer();
      return;
    }
    // The first recipient is refused in the name of the transaction; a later one must not end that of the others.
    const isFirst = open !== undefined && !this.#hasRecipients;
    const { exchange, message } = isFirst ? open : this.#receive();
    if (isFirst) this.#open = undefined;
    message.address([address]);
    this.#settle(exchange, exchange.resolve({ final: false }), (outcome) => {
      const refusal =
        this.#refuse(exchange, outcome) ??
        (fate === 'unknown' ? refuseWith(exchange, unrecorded(`a mail to ${address}`)) : undefined);
      if (refusal === undefined) {
        if (outcome.type !== 'matched') exchange.answeredFromData();
        exchange.done();
        this.#hasRecipients = true;
      }
      answer(refusal);
    });
  }

  /** As with a recipient that a rule refuses, the first one in the name of the transaction. */
  #defer(address: string, reply: Reply, answer: Answer): void {
    const isFirst = this.#open !== undefined && !this.#hasRecipients;
    const { exchange, message } = isFirst && this.#open !== undefined ? this.#open : this.#receive();
    if (isFirst) this.#open = undefined;
    message.address([address]);
    answer(refuseWith(exchange, reply));
  }

  /**
   * The data ended.
   *
   * @param raw - the message without its dot-stuffing; undefined when it was too large to be kept
   * @param answer - told the reply, whatever it is
   */
  finish(recipients: readonly string[], raw: RawMail | undefined, answer: (reply: Reply) => void): void {
    this.connection.isolate(() => this.#finish(recipients, raw, answer))();
  }

  async #finish(
    recipients: readonly string[],
    given: RawMail | undefined,
    answer: (reply: Reply) => void,
  ): Promise<void> {
    const { exchange, message, isDecided, match } = this.#open ?? { ...this.#receive(), isDecided: false };
    this.#open = undefined;
    if (given === undefined) {
      message.complete(recipients, undefined, NOTHING_READ);
      answer(refuseWith(exchange, tooLarge(this.#context.config.max_message_bytes)));
      return;
    }
    const raw = given instanceof Promise ? await this.#wait(given, exchange) : given;
    if (exchange.ended) return;
    const reading = readMail(raw);
    const mail = reading instanceof Promise ? await this.#wait(reading, exchange) : reading;
    if (exchange.ended) return;
    message.complete(recipients, raw, mail);
    // Of a short mail the rest is read when somebody looks.
    const whole = isWhole(mail) ? mail : undefined;
    if (isDecided) {
      answer(this.#take(exchange, raw, whole, match));
      message.settle();
      return;
    }
    if (whole?.long !== undefined && this.#context.mocks.index.asksForTexts(message)) {
      const making = runInSlices(message.makeTexts());
      if (making instanceof Promise) await this.#wait(making, exchange);
      if (exchange.ended) return;
    }
    this.#settle(exchange, exchange.resolve(), (outcome) => {
      const accepted = outcome.type === 'matched' ? outcome : undefined;
      const refusal =
        this.#refuse(exchange, outcome) ??
        (accepted === undefined && this.#isReplay
          ? refuseWith(exchange, unrecorded(`this mail to ${recipients.join(', ')}`))
          : undefined);
      answer(refusal ?? this.#take(exchange, raw, whole, accepted));
      message.settle();
    });
  }

  /** MAIL announced more bytes than are taken (RFC 1870). */
  refuseSize(from: string, reply: Reply): void {
    this.#from = from;
    refuseWith(this.#receive().exchange, reply);
  }

  /** The client gave the transaction up. */
  cancel(): void {
    this.#open?.exchange.abort();
    this.#open = undefined;
  }

  #receive(): Pick<Open, 'exchange' | 'message'> {
    const message = new MailMessage(this.#from, this.connection.remote);
    return { exchange: this.#context.receive(message), message };
  }

  /** What is known of a recipient before the data: `unknown` is one for which nothing was recorded, in a replay. */
  #fateOf(address: string): 'taken' | 'refused' | 'unknown' {
    const { mocks } = this.#context;
    if (!this.#isReplay && !mocks.index.canRefuse(this.#from, address)) return 'taken';
    const question = new Question(this.#from, this.connection.remote, [address]);
    if (!mocks.matches(question)) return this.#isReplay ? 'unknown' : 'taken';
    return question.isRefused === true ? 'refused' : 'taken';
  }

  /** Whether only what was recorded is taken. */
  get #isReplay(): boolean {
    return isReplay(this.#context.config);
  }

  async #wait<T>(late: Promise<T>, exchange: SmtpExchange): Promise<T> {
    const release = this.#pending.hold(exchange);
    try {
      return await late;
    } finally {
      release();
    }
  }

  /** Goes on with the outcome, once its delay is over; never when the client leaves first. */
  #settle(
    exchange: SmtpExchange,
    outcome: SmtpOutcome | Promise<SmtpOutcome>,
    goOn: (outcome: SmtpOutcome) => void,
  ): void {
    if (!(outcome instanceof Promise)) {
      goOn(outcome);
      return;
    }
    this.#pending.wait(
      outcome,
      (late) => {
        if (late.type !== 'aborted') goOn(late);
      },
      exchange,
    );
  }

  /** Ends the exchange when the outcome refuses the mail. */
  #refuse(exchange: SmtpExchange, outcome: SmtpOutcome): Reply | undefined {
    if (outcome.type === 'fault') {
      const { code = 421, message = '' } = outcome.fault;
      return refuseWith(exchange, { code, text: message });
    }
    if (outcome.type !== 'matched') return undefined;
    const compiled = this.#ruleOf(outcome);
    if (compiled === undefined) return refuseWith(exchange, FAILED);
    const { action, reply } = compiled;
    return action === 'accept' || reply === undefined
      ? undefined
      : refuseWith(exchange, renderReply(reply, outcome));
  }

  /** What a rule says; `undefined` when it could not be made. */
  #ruleOf(match: MatchOf<SmtpShape>): MatchOf<SmtpShape>['mock']['compiled'] | undefined {
    try {
      return match.mock.compiled;
    } catch (thrown) {
      this.#context.log.error(`the reply of rule "${match.mock.id}" could not be made`, thrown);
      return undefined;
    }
  }

  #take(
    exchange: SmtpExchange,
    raw: Buffer,
    whole: ReadMail | undefined,
    match: MatchOf<SmtpShape> | undefined,
  ): Reply {
    const { clock, captures } = this.#context;
    const { from, recipients = [] } = exchange.message;
    const id = this.#context.newId();
    const mail = new CapturedMail({ id, from, to: recipients, raw, receivedAt: clock.now() }, whole);
    const rule = match?.mock.compiled.reply;
    const reply =
      rule === undefined || match === undefined
        ? { code: 250, text: `OK: queued as ${id}` }
        : renderReply(rule, match);
    // Taking mail is what an inbox is for: one that no rule names misses none.
    if (match === undefined) exchange.answeredFromData();
    captures.add(mail, mail.bytes, exchange);
    exchange.done({ status: reply.code, body: reply.text });
    return reply;
  }
}

/** The reply to what no recording is for (RFC 3463: a policy of this server). */
function unrecorded(what: string): Reply {
  return { code: 550, text: `5.7.1 ${what} was not recorded, and only recordings are replayed` };
}

/** @param onlyRecorded - whether it is not taken yet when no rule is for its sender */
function openBy(
  exchange: SmtpExchange,
  message: MailMessage,
  outcome: SmtpOutcome,
  onlyRecorded: boolean,
): Open {
  return {
    exchange,
    message,
    isDecided: outcome.type === 'matched' || (outcome.type !== 'undecided' && !onlyRecorded),
    match: outcome.type === 'matched' ? outcome : undefined,
  };
}

function refuseWith(exchange: SmtpExchange, reply: Reply): Reply {
  exchange.done({ status: reply.code, body: reply.text });
  return reply;
}
