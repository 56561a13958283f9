import { runInSlices } from '@backlot/core/plugin';
import { JsonDecoder } from '../../codec/decode-json.js';
import { MessageDecoder } from '../../codec/decode.js';
import { asWritten } from '../../codec/made-message.js';
import type { MakeDecoder } from '../../requests.js';
import type { Method } from '../../schema/model.js';

/** So many values are written as JSON before others may be let in. */
const AT_ONCE = 5_000;

/** How the messages of a call are written on its wire. */
export interface MessageForm {
  readonly name: 'proto' | 'json';
  /** Reads those of requests, where that is not by the bytes of protobuf. */
  readonly makeDecoder?: MakeDecoder;
  /** Turns a message of an answer from protobuf into this form. */
  encode(bytes: Buffer): Buffer | Promise<Buffer>;
}

const PROTO: MessageForm = { name: 'proto', encode: (bytes) => bytes };
/** Without a schema a message is JSON anyway. */
const FREE_JSON: MessageForm = { name: 'json', encode: (bytes) => bytes };

/** The form of a call's messages. @param method - the method, when a schema has it */
export function messageForm(isJson: boolean, method: Method | undefined): MessageForm {
  if (!isJson) return PROTO;
  if (method === undefined) return FREE_JSON;
  return {
    name: 'json',
    makeDecoder: (type, bytes) => new JsonDecoder(type, bytes),
    encode: (bytes) => runInSlices(writeJson(new MessageDecoder(method.response, bytes, asWritten))),
  };
}

function* writeJson(decoder: MessageDecoder): Generator<void, Buffer> {
  while (!decoder.run(AT_ONCE)) yield;
  return Buffer.from(JSON.stringify(decoder.value));
}
