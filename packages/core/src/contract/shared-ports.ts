import type { RemoteInfo } from 'node:dgram';
import type { AddressInfo, Socket } from 'node:net';

/**
 * Which of several processes takes what comes to a port that they share. `any`: each in its turn. `client`: the same one for all that comes from the same
 * client. `home`: the one that keeps the data.
 */
export type PortShare = 'any' | 'client' | 'home';

/** A port that a process asks for. */
export interface AskedPort {
  /** Names who asks: the same in each process, and of nobody else in one. */
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

/** Listens for a process together with others that take what comes to the same ports. */
export interface SharedPorts {
  /**
   * Listens for connections.
   *
   * @param take - is given those that are for this process; they have been read nothing of
   * @throws the system's error when the port cannot be had
   */
  listen(
    asked: AskedPort,
    take: (socket: Socket) => void,
  ): Promise<{ readonly port: number; close(): Promise<void> }>;
  /** Listens for datagrams. @throws the system's error when the port cannot be had */
  bind(asked: AskedPort): Promise<SharedDatagrams>;
}

/** What listens for one service in place of the service itself. */
export interface ServicePorts {
  listen(address: string, port: number, take: (socket: Socket) => void): ReturnType<SharedPorts['listen']>;
  /** @param isPerClient - whether the datagrams of one client must come to the same process */
  bind(address: string, port: number, isPerClient: boolean): Promise<SharedDatagrams>;
}
