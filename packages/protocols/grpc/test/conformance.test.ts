import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  Client,
  credentials,
  Metadata,
  status,
  type ClientUnaryCall,
  type ServiceDefinition,
  type ServiceError,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import {
  describeConformance,
  type ListenAddress,
  type ProbeClient,
  type StreamReader,
} from '@backlot/conformance';
import { grpc } from '../src/index.js';
import { CHANNELZ, channelzImage } from './support/channelz.js';

const METHOD = 'test.Probe/Ask';
const ask = (text: string): object => ({ method: METHOD, match: { text } });

const PROTO = fileURLToPath(new URL('support/probe.proto', import.meta.url));
/** Without the message `other`, and without the other answers. */
const CONTRACT = readFileSync(PROTO, 'utf8').replaceAll(/^ *(?:other|two|three) = .*$/gm, '');

describeConformance(grpc, {
  mocks: {
    simple: { ...ask('simple'), response: { text: 'one' } },
    changed: { ...ask('simple'), response: { text: 'two' } },
    other: { ...ask('other'), response: { text: 'three' } },
    template: { ...ask('simple'), response: { text: '{{upper request.body.text}}' } },
    bad: [
      { response: { text: 'no method' } },
      { method: 'a', error: { code: 'NO_SUCH_CODE' } },
      { method: 'a', error: { code: 0 } },
      { method: 'a', error: { code: 5, details: [{ '@type': 'acme.Nobody' }] } },
      { method: 'a', metadata: { 'grpc-status': '1' } },
      { method: 'a', metadata: { 'x y': '1' } },
      { method: 'a', metadata: { x: 'a\nb' } },
      { method: 'a', trailers: { 'x-bin': 'no base64!' } },
      { method: 'a', response: { text: '{{#open}}' } },
      { method: 'a', response: 'text' },
      { method: 'a', stream: [{ response: {}, delay: 'soon' }] },
      { method: 'a', keep_open: true, error: { code: 5 } },
      { method: 'a', match: { id: 're:(' } },
    ],
  },
  answers: {
    simple: 'one',
    changed: 'two',
    other: 'three',
    template: 'SIMPLE',
    unmatched: 'UNIMPLEMENTED',
    fault: 'UNAVAILABLE',
  },
  logged: { method: 'Ask', path: `/${METHOD}` },
  stream: {
    mock: { method: 'test.Probe/Listen', stream: [{ response: { text: 'opened' } }], keep_open: true },
    open: openStream,
    data: { text: 'more' },
    pushed: '{"text":"more"}',
    ended: 'OK',
    failed: 'ABORTED: boom',
  },
  contract: {
    name: 'probe.proto',
    content: CONTRACT,
    refused: 'INVALID_ARGUMENT',
    settings: { protos: [PROTO] },
    connect: (address) => connect(address, undefined, typedForm()),
    sendLong: (address) =>
      new Promise<void>((resolve) => {
        const client = clientOf(address);
        const { write } = typedForm();
        // The same field again and again, of which the last counts.
        const field = write('simple');
        const request = Buffer.alloc(300_000, field);
        client.makeUnaryRequest(`/${METHOD}`, identity, identity, request, () => {
          client.close();
          resolve();
        });
      }),
  },
  connect: (address, space) => connect(address, space),
  imports: [
    { format: 'proto', name: 'channelz.proto', content: CHANNELZ },
    { format: 'descriptors', name: 'channelz.binpb', content: channelzImage('binpb') },
  ],
  namesSpaces: true,
});

/** How messages of a text are written, and read. */
interface TextForm {
  write(text: string): Buffer;
  read(bytes: Buffer): string;
}

const JSON_FORM: TextForm = {
  write: (text) => Buffer.from(JSON.stringify({ text })),
  read: (bytes) => (JSON.parse(String(bytes)) as { text: string }).text,
};

/** By its types, as clients have them that are made from the file. */
function typedForm(): TextForm {
  const { Ask } = loadSync(PROTO, { enums: String })['test.Probe'] as ServiceDefinition;
  return {
    write: (text) => Ask?.requestSerialize({ text }) as Buffer,
    read: (bytes) => (Ask?.responseDeserialize(bytes) as { text: string }).text,
  };
}

const identity = (bytes: Buffer): Buffer => bytes;

function clientOf({ host, port }: ListenAddress): Client {
  // Each client has a connection of its own, as one in another process would.
  return new Client(`${host}:${port}`, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
}

async function connect(
  address: ListenAddress,
  space?: string,
  { write, read }: TextForm = JSON_FORM,
): Promise<ProbeClient> {
  const client = clientOf(address);
  await new Promise<void>((resolve, reject) =>
    client.waitForReady(Infinity, (error) => (error === undefined ? resolve() : reject(error))),
  );
  const calls = new Set<ClientUnaryCall>();
  return {
    send: (message) =>
      new Promise((resolve) => {
        const metadata = new Metadata();
        if (space !== undefined) metadata.set('backlot-space', space);
        const call = client.makeUnaryRequest(
          `/${METHOD}`,
          identity,
          identity,
          write(message),
          metadata,
          (error, answer) => {
            calls.delete(call);
            resolve(error === null && answer !== undefined ? read(answer) : nameOf(error));
          },
        );
        calls.add(call);
      }),
    close() {
      for (const call of calls) call.cancel();
      client.close();
    },
  };
}

function nameOf(error: ServiceError | null): string {
  return status[error?.code ?? status.OK];
}

async function openStream(address: ListenAddress): Promise<StreamReader> {
  const client = clientOf(address);
  const call = client.makeServerStreamRequest('/test.Probe/Listen', identity, identity, Buffer.from('{}'));
  const parts: string[] = [];
  let wake: (() => void) | undefined;
  const add = (part: string): void => {
    parts.push(part);
    wake?.();
  };
  call.on('data', (bytes: Buffer) => add(bytes.toString()));
  call.on('error', () => undefined);
  call.on('status', ({ code, details }: { code: number; details: string }) =>
    add(code === 0 ? 'OK' : `${status[code]}: ${details}`),
  );
  const next = async (): Promise<string> => {
    if (parts.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return parts.shift() ?? '';
  };
  await next();
  return {
    next,
    close() {
      call.cancel();
      client.close();
    },
  };
}
