declare module 'stompit' {
  import type { EventEmitter } from 'node:events';
  import type { Writable } from 'node:stream';

  export interface Message {
    readonly headers: Readonly<Record<string, string>>;
    readString(encoding: string, callback: (error: Error | null, text?: string) => void): void;
  }
  export interface Transaction {
    send(headers: object): Writable;
    commit(): void;
    abort(): void;
  }
  export interface Client extends EventEmitter {
    send(headers: object, options?: { onReceipt?: () => void }): Writable;
    subscribe(
      headers: object,
      listener: (error: Error | null, message: Message) => void,
    ): { unsubscribe(): void };
    ack(message: Message): void;
    nack(message: Message): void;
    begin(): Transaction;
    disconnect(callback: (error: Error | null) => void): void;
    destroy(): void;
  }
  const stompit: {
    connect(options: object, callback: (error: Error | null, client: Client) => void): void;
  };
  export default stompit;
}
