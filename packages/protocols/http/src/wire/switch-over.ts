import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Connection } from '@backlot/kit';
import { joinSockets } from '@backlot/kit/upstream';

/** An upgrade that the server behind has made. */
export interface SwitchedOver {
  readonly answer: IncomingMessage;
  /** The connection to the server. */
  readonly far: Socket;
  /** What has come on it behind the answer. */
  readonly farHead: Buffer;
  /** The connection of the client. */
  readonly socket: Socket;
  /** What has come on that behind the request. */
  readonly head: Buffer;
  readonly connection: Connection;
}

/** Gives a client the answer by which a server switches to another protocol, and from then on the bytes of both to each other. */
export function switchOver({ answer, far, farHead, socket, head, connection }: SwitchedOver): void {
  const { statusCode = 101, rawHeaders } = answer;
  const lines = [`HTTP/1.1 ${statusCode} ${answer.statusMessage ?? STATUS_CODES[statusCode] ?? ''}`];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    lines.push(`${rawHeaders[index] ?? ''}: ${rawHeaders[index + 1] ?? ''}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (farHead.length > 0) far.unshift(farHead);
  if (head.length > 0) socket.unshift(head);
  joinSockets(socket, far, connection);
}
