import { Metadata } from '@grpc/grpc-js';
import { messageOf } from '@backlot/core/plugin';
import { decodeMessage } from '../codec/decode.js';
import { encodeMessage } from '../codec/encode.js';
import type { MessageType, Method } from '../schema/model.js';
import { readOn } from '../wire/read-on.js';
import type { RpcCall } from '../wire/rpc-call.js';

type Plain = Readonly<Record<string, unknown>>;

/** A call to a service that the server has of its own. */
export interface OwnCall {
  /** Sends a message; the next request is read once it was handed to the connection. */
  reply(message: Plain): void;
  end(code: number, message?: string): void;
}

/** What answers such a call. */
export interface OwnHandler {
  receive(request: Plain): void;
  /** The client has sent its last message. */
  finish?(): void;
  /** The call is over. */
  stop?(): void;
}

/** Serves one call. Such calls are no exchanges: no mock, no fault and no journal knows of them. */
export function serveOwn(
  { rpc, malformed, makeDecoder }: RpcCall,
  method: Method,
  handle: (call: OwnCall) => OwnHandler,
): void {
  const handler = handle({
    reply: (message) =>
      rpc.sendMessage(encodeMessage(method.response, message), () => {
        if (method.takesStream) readOn(rpc);
      }),
    end: (code, message = '') => rpc.sendStatus({ code, details: message, metadata: null }),
  });
  const decode = (type: MessageType, bytes: Buffer): unknown => {
    const decoder = makeDecoder?.(type, bytes);
    if (decoder === undefined) return decodeMessage(type, bytes);
    decoder.run(Number.POSITIVE_INFINITY);
    return decoder.value;
  };
  const receive = (bytes: Buffer): void => {
    let request: Plain;
    try {
      request = decode(method.request, bytes) as Plain;
    } catch (thrown) {
      const details = `the request is no ${method.request.fullName}: ${messageOf(thrown)}`;
      rpc.sendStatus({ code: malformed, details, metadata: null });
      return;
    }
    handler.receive(request);
    if (!method.takesStream) rpc.startRead();
  };
  rpc.start({
    onReceiveMetadata: () => {
      if (method.givesStream) rpc.sendMetadata(new Metadata());
      rpc.startRead();
    },
    onReceiveMessage: receive,
    onReceiveHalfClose: () => handler.finish?.(),
    onCancel: () => handler.stop?.(),
  });
}
