import { Redis } from 'ioredis';
import { createTransport } from 'nodemailer';

/** How long somebody stays signed in, in seconds. */
const SESSION_SECONDS = 3600;

/** Where the services are that the shop needs; told by the environment. */
export interface Services {
  readonly paymentsUrl: string;
  readonly mailUrl: string;
  readonly redisUrl: string;
}

export function readServices({ PAYMENTS_URL, SMTP_URL, REDIS_URL }: NodeJS.ProcessEnv): Services {
  if (!PAYMENTS_URL || !SMTP_URL || !REDIS_URL)
    throw new Error('PAYMENTS_URL, SMTP_URL, REDIS_URL must be set');
  return { paymentsUrl: PAYMENTS_URL, mailUrl: SMTP_URL, redisUrl: REDIS_URL };
}

/** Takes customers in: they pay, get a mail, and stay signed in for an hour. */
export class Shop {
  readonly #redis: Redis;
  readonly #mail: ReturnType<typeof createTransport>;
  readonly #paymentsUrl: string;

  constructor({ paymentsUrl, mailUrl, redisUrl }: Services) {
    this.#paymentsUrl = paymentsUrl;
    this.#mail = createTransport(mailUrl);
    this.#redis = new Redis(redisUrl);
  }

  /** @returns the id of the session */
  async signUp(name: string, address: string): Promise<string> {
    const payment = await this.#pay(address);
    const session = `session:${payment}`;
    await this.#redis.set(session, name, 'EX', SESSION_SECONDS);
    await this.#mail.sendMail({
      from: 'shop@example.com',
      to: address,
      subject: `Welcome, ${name}`,
      text: `Your payment is ${payment}.`,
    });
    return session;
  }

  /** @returns the name of who is signed in */
  async whoIs(session: string): Promise<string | null> {
    return this.#redis.get(session);
  }

  close(): void {
    this.#redis.disconnect();
    this.#mail.close();
  }

  /** Tries once more when the bank is busy. */
  async #pay(address: string, triesLeft = 1): Promise<string> {
    const answer = await fetch(`${this.#paymentsUrl}/payments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ address, amount: 5 }),
    });
    if (answer.ok) return ((await answer.json()) as { id: string }).id;
    if (answer.status === 503 && triesLeft > 0) return this.#pay(address, triesLeft - 1);
    throw new Error(`the payment failed with ${answer.status}`);
  }
}
