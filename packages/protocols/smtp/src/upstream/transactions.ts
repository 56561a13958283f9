import type { Context, MatchOf } from '@backlot/core/plugin';
import { PendingAnswers, type Connection } from '@backlot/kit';
import { describeFailure, Differences, type UpstreamDesk } from '@backlot/kit/upstream';
import { CapturedMail } from '../captured-mail.js';
import type { Greylist } from '../greylist.js';
import type { Answer, MailParameters, MailTransactions, RawMail } from '../mail-transactions.js';
import { MailMessage, Question } from '../message.js';
import { isWhole, NOTHING_READ, readMail, type ReadMail } from '../read-mail.js';
import { FAILED, NO_TRANSACTION, renderReply, tooLarge, type Reply } from '../reply.js';
import type { SmtpExchange, SmtpOutcome, SmtpShape } from '../shape.js';
import {
  comparedOf,
  hasNumber,
  matchOfEnvelope,
  matchOfMail,
  recordingOf,
  redactMail,
  type RuleMatch,
} from './kept.js';
import { passLogin, type Login } from './logins.js';
import type { SmtpLine } from './line.js';
import { PassingMail } from './passing-mail.js';
import type { Relay } from './relay.js';

/** A mail without its secrets. */
interface KeptMail {
  readonly raw: Buffer;
  /** What was read of a long one; a short one is read when somebody looks. */
  readonly whole: ReadMail | undefined;
}

/** A mail that is under way. */
interface Open {
  readonly message: MailMessage;
  readonly mail: PassingMail;
  /** The rule that has decided about all of it. */
  readonly decided: MatchOf<SmtpShape> | undefined;
  /** Whether rules may still decide. */
  readonly asksRules: boolean;
  /** Its exchange, unless that was ended with the first recipient. */
  exchange: SmtpExchange | undefined;
}

/**
 * The mails of one client that go to an upstream, which is told of senders and recipients as they come. Where a rule may be for a
 * mail, it is told at the end of the data, when none was.
 */
export class RelayedTransactions implements MailTransactions {
  readonly connection: Connection;
  readonly #context: Context<SmtpShape>;
  readonly #desk: UpstreamDesk;
  readonly #relay: Relay;
  readonly #line: SmtpLine;
  readonly #greylist: Greylist;
  readonly #pending: PendingAnswers;
  #open: Open | undefined;

  constructor(connection: Connection, relay: Relay, greylist: Greylist, line: SmtpLine) {
    this.connection = connection;
    this.#context = relay.context;
    this.#desk = relay.desk;
    this.#relay = relay;
    this.#line = line;
    this.#greylist = greylist;
    this.#pending = new PendingAnswers(connection, { pauses: false });
    connection.onClose(() => this.cancel());
  }

  get isWaiting(): boolean {
    return !this.#pending.isEmpty;
  }

  begin(from: string, answer: Answer, parameters: MailParameters): void {
    this.#pending.wait(this.#begin(from, parameters), answer);
  }

  addRecipient(address: string, answer: Answer): void {
    this.#pending.wait(this.#addRecipient(address), answer);
  }

  finish(recipients: readonly string[], raw: RawMail | undefined, answer: (reply: Reply) => void): void {
    this.#pending.wait(this.#finish(recipients, raw), answer);
  }

  /** Passes a login on. @returns the reply of the upstream, or one that says that there is none */
  logIn(login: Login): Promise<Reply> {
    return passLogin(this.#line, login).catch((thrown: unknown) => this.#failed(thrown));
  }

  refuseSize(from: string, reply: Reply): void {
    end(this.#receive(from).exchange, reply);
  }

  moveTo(): void {
    this.cancel();
  }

  cancel(): void {
    this.#open?.exchange?.abort();
    this.#open?.mail.giveUp();
    this.#open = undefined;
  }

  async #begin(from: string, parameters: MailParameters): Promise<Reply | undefined> {
    const { exchange, message } = this.#receive(from);
    const mail = new PassingMail(this.#line, from, parameters);
    const match = matchOfEnvelope(from);
    const asksRules = this.#desk.asksMocks(undefined);
    const isRecorded = !this.#desk.asksMocks(match.key);
    const outcome = await exchange.resolve(asksRules && !isRecorded ? { final: false } : { mocks: false });
    const isOwn = outcome.type === 'matched' && this.#desk.answererOf(outcome) !== 'upstream';
    const refusal = this.#refusalOf(outcome);
    if (refusal !== undefined && (isOwn || outcome.type === 'fault')) {
      if (isOwn) await this.#compare(exchange, refusal, () => mail.begin());
      mail.giveUp();
      return end(exchange, refusal);
    }
    const decided = isOwn && outcome.type === 'matched' ? outcome : undefined;
    const isLate = decided !== undefined || outcome.type === 'undecided';
    const theirs = isLate ? undefined : await this.#ask(() => mail.begin());
    if (theirs !== undefined) return this.#refuse(exchange, match, theirs);
    if (!exchange.ended) this.#open = { message, mail, decided, asksRules, exchange };
    this.#relay.taken(match.key);
    return undefined;
  }

  async #addRecipient(address: string): Promise<Reply | undefined> {
    const open = this.#open;
    if (open === undefined) return NO_TRANSACTION;
    const { message, mail, decided } = open;
    const { from } = message;
    const deferral = this.#greylist.refusal(this.connection.remoteAddress, from, address);
    if (deferral !== undefined) return end(this.#exchangeFor(open, address), deferral);
    const match = matchOfEnvelope(from, address);
    const isRecorded = !this.#desk.asksMocks(match.key);
    const question = new Question(from, this.connection.remote, [address]);
    const isAsked = open.asksRules && !isRecorded && this.#context.mocks.matches(question);
    if (decided !== undefined || (isAsked && question.isRefused !== true)) {
      mail.keep(address);
      return undefined;
    }
    if (isAsked) {
      const exchange = this.#exchangeFor(open, address);
      const refusal = this.#refusalOf(await exchange.resolve({ final: false })) ?? FAILED;
      await this.#compare(exchange, refusal, () => mail.add(address));
      return end(exchange, refusal);
    }
    const refusal = await this.#ask(() => mail.add(address));
    if (refusal !== undefined) return this.#refuse(this.#exchangeFor(open, address), match, refusal);
    this.#relay.taken(match.key);
    return undefined;
  }

  async #finish(recipients: readonly string[], given: RawMail | undefined): Promise<Reply> {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return NO_TRANSACTION;
    const { mail, decided } = open;
    const { exchange, message } =
      open.exchange === undefined ? this.#receive(open.message.from) : { ...open, exchange: open.exchange };
    if (given === undefined) {
      mail.giveUp();
      message.complete(recipients, undefined, NOTHING_READ);
      return end(exchange, tooLarge(this.#context.config.max_message_bytes));
    }
    const raw = await given;
    message.complete(recipients, raw, await readMail(raw));
    const match = matchOfMail(message);
    const asksRules = open.asksRules && this.#desk.asksMocks(match.key);
    const outcome = decided ?? (await exchange.resolve(asksRules ? {} : { mocks: false }));
    const kept = await this.#keep(exchange, message, raw);
    const answerer = outcome.type === 'fault' ? 'own' : this.#desk.answererOf(outcome);
    if (answerer === 'own') {
      mail.giveUp();
      return this.#answer(exchange, outcome, kept);
    }
    const theirs = await mail.send(raw).catch((thrown: unknown) => this.#failed(thrown));
    if (answerer === 'both') {
      exchange.noteUpstream({ differences: differencesOf(this.#replyOf(outcome), theirs) });
      return this.#answer(exchange, outcome, kept);
    }
    this.#record(exchange, match, theirs);
    if (theirs.code < 400) this.#capture(exchange, kept);
    return end(exchange, theirs);
  }

  #receive(from: string): { readonly exchange: SmtpExchange; readonly message: MailMessage } {
    const message = new MailMessage(from, this.connection.remote);
    return { exchange: this.#context.receive(message), message };
  }

  /** The first recipient is refused in the name of the mail; a later one must not end that of the others. */
  #exchangeFor(open: Open, address: string): SmtpExchange {
    const first = open.mail.hasRecipients ? undefined : open.exchange;
    if (first !== undefined) open.exchange = undefined;
    const { exchange, message } =
      first === undefined ? this.#receive(open.message.from) : { exchange: first, message: open.message };
    message.address([address]);
    return exchange;
  }

  /** The log has a mail without its secrets. @returns the mail without them, which is captured as well */
  async #keep(exchange: SmtpExchange, message: MailMessage, raw: Buffer): Promise<KeptMail> {
    const kept = redactMail(raw);
    const read = await readMail(kept);
    const shown = new MailMessage(message.from, message.remote);
    shown.complete(message.recipients ?? [], kept, read);
    exchange.noteUpstream({}, shown);
    return { raw: kept, whole: isWhole(read) ? read : undefined };
  }

  /** Asks the upstream about a sender or a recipient. */
  #ask(ask: () => Promise<Reply | undefined>): Promise<Reply | undefined> {
    return ask().catch((thrown: unknown) => this.#failed(thrown));
  }

  /** Says where the upstream answers a sender or a recipient otherwise than the rule that refuses it. */
  async #compare(exchange: SmtpExchange, own: Reply, ask: () => Promise<Reply | undefined>): Promise<void> {
    if (this.#desk.mode !== 'diff') return;
    const theirs = (await this.#ask(ask)) ?? { code: 250, text: '' };
    exchange.noteUpstream({ differences: differencesOf(own, theirs) });
  }

  #failed(thrown: unknown): Reply {
    this.#desk.upstreamLog.failed(thrown);
    return { code: 451, text: `4.4.1 the upstream gave no answer: ${describeFailure(thrown)}`, isOwn: true };
  }

  #refuse(exchange: SmtpExchange, match: RuleMatch, refusal: Reply): Reply {
    this.#record(exchange, match, refusal);
    return end(exchange, refusal);
  }

  #record(exchange: SmtpExchange, match: RuleMatch, reply: Reply): void {
    if (reply.isOwn === true || exchange.ended) return;
    this.#desk.record(
      exchange,
      this.#desk.records ? [recordingOf(match, reply)] : [],
      hasNumber(reply) ? [...match.patterns, 'reply: number of the mail'] : match.patterns,
    );
    if (reply.code >= 400 && reply.code < 500) this.#relay.deferred(match.key);
  }

  /** The reply of a rule or a fault that refuses. */
  #refusalOf(outcome: SmtpOutcome): Reply | undefined {
    if (outcome.type === 'fault')
      return { code: outcome.fault.code ?? 421, text: outcome.fault.message ?? '' };
    if (outcome.type !== 'matched' || outcome.mock.compiled.action === 'accept') return undefined;
    const { reply } = outcome.mock.compiled;
    return reply && renderReply(reply, outcome);
  }

  #replyOf(outcome: SmtpOutcome): Reply {
    const refusal = this.#refusalOf(outcome);
    if (refusal !== undefined) return refusal;
    const rule = outcome.type === 'matched' ? outcome.mock.compiled.reply : undefined;
    if (rule === undefined || outcome.type !== 'matched')
      return { code: 250, text: `OK: queued as ${this.#context.newId()}` };
    try {
      return renderReply(rule, outcome);
    } catch (thrown) {
      this.#context.log.error(`the reply of rule "${outcome.mock.id}" could not be made`, thrown);
      return FAILED;
    }
  }

  #answer(exchange: SmtpExchange, outcome: SmtpOutcome, kept: KeptMail): Reply {
    const reply = this.#replyOf(outcome);
    if (reply.code < 400) this.#capture(exchange, kept);
    return end(exchange, reply);
  }

  #capture(exchange: SmtpExchange, { raw, whole }: KeptMail): void {
    const { clock, captures } = this.#context;
    const { from, recipients = [] } = exchange.message;
    const facts = { id: this.#context.newId(), from, to: recipients, raw, receivedAt: clock.now() };
    const mail = new CapturedMail(facts, whole);
    captures.add(mail, mail.bytes, exchange);
  }
}

function end(exchange: SmtpExchange, reply: Reply): Reply {
  exchange.done({ status: reply.code, body: reply.text });
  return reply;
}

function differencesOf(own: Reply, theirs: Reply): readonly string[] {
  const differences = new Differences();
  differences.compare('reply', comparedOf(own), comparedOf(theirs));
  return differences.found;
}
