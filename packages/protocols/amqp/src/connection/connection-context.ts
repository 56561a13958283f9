import type { CaptureMoments, Connection, Job } from '@backlot/kit';
import type { Broker } from '../broker/broker.js';
import type { Owner } from '../broker/owner.js';
import type { AmqpContext } from '../shape.js';
import type { AmqpError } from '../wire/amqp-error.js';
import type { HeldPublisher } from './blockade.js';
import type { UnderWay } from './under-way.js';

/** What channels, and what is done on them, may see and do of their connection. */
export interface ConnectionContext extends Owner, Pick<Connection, 'remote' | 'isolate'> {
  /** What core gives the service. */
  readonly context: AmqpContext;
  /** When what is captured here has come. */
  readonly moments: CaptureMoments;
  /** The broker, which all connections share. */
  readonly broker: Broker;
  /** The messages whose answers wait for a delay. */
  readonly underWay: UnderWay;
  /** What is to be told when a message begins. */
  readonly held: HeldPublisher;
  /** The virtual host of connection.open. */
  readonly virtualHost: string;
  /** Who has logged in. */
  readonly username: string;
  /** Whether the client wants to know when a queue that it consumes from is gone. */
  readonly wantsCancelNotices: boolean;
  /** Most bytes of a frame's payload. */
  readonly maxPayload: number;
  /** Whether consumers of this connection get messages now: a client that does not read is not sent any. */
  readonly takesDeliveries: boolean;
  /**
   * Does what may take long for a channel: at once when it does not, else in steps while nothing more is read of the client.
   * What the client has left is done all the same.
   *
   * @param channel - told of an AmqpError that a step throws
   */
  work(channel: { failLater(error: AmqpError): void }, steps: Job): void;
  /** Sends what the client has asked for. */
  send(frames: Buffer): void;
  /** Sends a message to a consumer. */
  deliver(frames: Buffer): void;
  /**
   * Counts bytes that are held for a message that is not published yet.
   *
   * @throws AmqpError 506 when they are too many
   */
  countPartial(bytes: number): void;
  /**
   * The channel of this number is closed.
   *
   * @param hasFailed - whether this side closed it: then parts of a large message may still come behind the client's answer
   */
  forget(channel: { readonly number: number }, hasFailed: boolean): void;
  /** Ends the connection with an error; the client has a moment to answer. */
  fail(error: AmqpError): void;
}
