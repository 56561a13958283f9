import type { RemoteInfo } from 'node:dgram';
import type { AddressInfo, Socket } from 'node:net';

/**
 * Which of several processes takes what comes to a port that they share. `any`: each in its turn. `client`: the same one for all that comes from the same
 * client. `home`: the one that keeps the data.
 */
export type PortShare = 'any' | 'client' | 'home';

/** A port that a process asks for. */
export interface AskedPort {
  /**
   * Names who asks, the same in each process, and nobody else in one: the kind, such as `mail`; `mail+web` for a further listener of it; in a space
   * `mail of space` and `mail+web of space`.
   */
  readonly name: string;
  /** An IP literal. */
  readonly address: string;
  /** 0 takes a free one: the same in all processes. */
  readonly port: number;
  readonly share: PortShare;
}

/** What a datagram server uses of a socket. */
export interface SharedDatagrams {
  address(): AddressInfo;
  on(event: 'message', listener: (data: Buffer, remote: RemoteInfo) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'close', listener: () => void): unknown;
  /** @param sent - called once it has been passed on, or has failed */
  send(data: Uint8Array, port: number, address: string, sent: (error: Error | null) => void): void;
  setRecvBufferSize?(bytes: number): void;
  close(closed: () => void): unknown;
}

/**
 * Takes a connection of which nothing has been read.
 *
 * @param isByStreams - whether it is to be read and written by the streams of the socket alone, TLS included, since its addresses and what becomes
 * of its bytes are those of this object
 */
export type TakeConnection = (socket: Socket, isByStreams?: boolean) => void;

/** Listens for a process together with others that take what comes to the same ports. */
export interface SharedPorts {
  /**
   * Listens for connections.
   *
   * @param take - is given those that are for this process
   * @throws the system's error when the port cannot be had
   */
  listen(asked: AskedPort, take: TakeConnection): Promise<{ readonly port: number; close(): Promise<void> }>;
  /** Listens for datagrams. @throws the system's error when the port cannot be had */
  bind(asked: AskedPort): Promise<SharedDatagrams>;
}

/** What listens for one service in place of the service itself. */
export interface ServicePorts {
  listen(address: string, port: number, take: TakeConnection): ReturnType<SharedPorts['listen']>;
  /** @param isPerClient - whether the datagrams of one client must come to the same process */
  bind(address: string, port: number, isPerClient: boolean): Promise<SharedDatagrams>;
  /** What listens for a further listener of the service, by its name among those of the service: what comes to one is not for the other. */
  of(listener: string): ServicePorts;
}
