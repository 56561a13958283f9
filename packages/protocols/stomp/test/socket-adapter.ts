import type net from 'node:net';

/** A plain socket in the shape of a WebSocket, for stompjs. */
export class SocketAdapter {
  onopen?: (event: unknown) => unknown;
  onclose?: (event: unknown) => unknown;
  onmessage?: (event: { data: ArrayBuffer }) => unknown;
  onerror?: (event: unknown) => unknown;
  binaryType = 'arraybuffer';
  readyState = 0;
  readonly url = 'tcp';
  readonly #socket: net.Socket;

  constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.on('connect', () => {
      this.readyState = 1;
      this.onopen?.({});
    });
    socket.on('data', (data: Buffer) => this.onmessage?.({ data: Uint8Array.from(data).buffer }));
    socket.on('error', (error) => this.onerror?.(error));
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      this.readyState = 3;
      this.onclose?.({ code: 1000, reason: '', wasClean: true });
    });
  }

  send(data: string | ArrayBuffer): void {
    this.#socket.write(typeof data === 'string' ? data : Buffer.from(data));
  }

  close(): void {
    this.readyState = 2;
    this.#socket.end();
  }

  terminate(): void {
    this.#socket.destroy();
  }
}
