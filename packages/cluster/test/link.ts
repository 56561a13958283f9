import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** The way of one replica to the engine, which can be cut and held. */
export interface Link {
  readonly url: string;
  /** Ends all connections and takes no more, or takes them again. */
  cut(isCut: boolean): void;
  /** Lets nothing through, as when packets are lost; connections stay. */
  hold(isHeld: boolean): void;
  close(): Promise<void>;
}

/** Makes a way to an engine. */
export async function linkTo(url: string): Promise<Link> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isCut = false;
  let isHeld = false;
  const server = createServer((socket) => {
    if (isCut) {
      socket.destroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [socket, far],
      [far, socket],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('data', (data) => to.write(data));
      if (isHeld) from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${target.protocol}//127.0.0.1:${port}`,
    cut(now) {
      isCut = now;
      if (now) for (const socket of sockets) socket.destroy();
    },
    hold(now) {
      isHeld = now;
      for (const socket of sockets) {
        if (now) socket.pause();
        else socket.resume();
      }
    },
    async close() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
