import { endsConnection, nameOfReply } from './reply-codes.js';

/** Something that ends a channel or, when its code is a hard one, the connection. */
export class AmqpError extends Error {
  readonly code: number;
  /** Whether it ends the connection. */
  readonly isHard: boolean;

  /** @param text - what stands behind the name of the code: `no queue 'a' in vhost '/'` */
  constructor(code: number, text: string) {
    super(`${nameOfReply(code)} - ${text}`);
    this.name = 'AmqpError';
    this.code = code;
    this.isHard = endsConnection(code);
  }
}
