import type { MailParameters } from '../mail-transactions.js';
import type { Reply } from '../reply.js';
import type { SmtpLine } from './line.js';

/** The extensions by which a parameter of MAIL is passed on. */
const EXTENSIONS: Readonly<Record<string, string>> = { BODY: '8BITMIME', SMTPUTF8: 'SMTPUTF8' };

/** A mail as the upstream is told of it: all at once, or what it was not told yet at the end. */
export class PassingMail {
  readonly #line: SmtpLine;
  readonly #from: string;
  readonly #parameters: MailParameters;
  /** The recipients, and whether the upstream has taken them. */
  readonly #recipients = new Map<string, boolean>();
  #hasBegun = false;

  constructor(line: SmtpLine, from: string, parameters: MailParameters) {
    this.#line = line;
    this.#from = from;
    this.#parameters = parameters;
  }

  /** Whether a recipient was taken, by the upstream or to be told of later. */
  get hasRecipients(): boolean {
    return this.#recipients.size > 0;
  }

  /** Takes a recipient that the upstream is told of with the data, if at all. */
  keep(address: string): void {
    this.#recipients.set(address, false);
  }

  /** Tells the upstream of the sender, unless it was. @returns its refusal @throws Error when it gives no answer */
  async begin(): Promise<Reply | undefined> {
    if (this.#hasBegun) return undefined;
    const features = await this.#line.features();
    const rest = Object.entries(this.#parameters).map(([name, value]) =>
      features.has(EXTENSIONS[name] ?? '') ? ` ${value === true ? name : `${name}=${value}`}` : '',
    );
    const { code, text } = await this.#line.ask(`MAIL FROM:<${this.#from}>${rest.join('')}`);
    this.#hasBegun = code < 300;
    return code < 300 ? undefined : { code, text };
  }

  /** Tells the upstream of a recipient. @returns its refusal @throws Error when it gives no answer */
  async add(address: string): Promise<Reply | undefined> {
    const refusal = await this.begin();
    if (refusal !== undefined) return refusal;
    const { code, text } = await this.#line.ask(`RCPT TO:<${address}>`);
    if (code >= 300) return { code, text };
    this.#recipients.set(address, true);
    return undefined;
  }

  /** Sends all that the upstream has not got. @returns its last reply @throws Error when it gives no answer */
  async send(raw: Buffer): Promise<Reply> {
    let refusal = await this.begin();
    for (const [address, isTold] of this.#recipients) if (!isTold) refusal ??= await this.add(address);
    if (refusal === undefined) {
      const { code, text } = await this.#line.ask('DATA');
      if (code === 354) return this.#line.send(raw);
      refusal = { code, text };
    }
    this.giveUp();
    return refusal;
  }

  /** The upstream forgets the mail. */
  giveUp(): void {
    if (!this.#hasBegun) return;
    this.#hasBegun = false;
    this.#line.ask('RSET').catch(() => undefined);
  }
}
