// Attacks on the gRPC kind, for a bench that plays each once and watches how long the server stands still. Every attack is
// bounded in count and in time, ends by itself and resolves however the server answers.
import { connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { gzipSync } from 'node:zlib';

const MAX_MS = 15_000;
const MESSAGE = 4 * 1024 * 1024 - 16;
const HEAD = 'syntax = "proto3"; package attack;';
const PROTO = `${HEAD}
import "google/protobuf/any.proto";
import "google/protobuf/struct.proto";
message M {
  repeated int32 n = 1; repeated M m = 2; string s = 3; map<string, M> map = 4; google.protobuf.Any any = 5;
  google.protobuf.Value value = 6; bytes b = 7; ${list(50, (n) => `int32 f${n} = ${n + 10};`)}
}
service S { rpc Unary(M) returns (M); rpc Take(stream M) returns (M); rpc Both(stream M) returns (stream M); }`;

/** @type {readonly { name: string, run(port: number, apiPort: number): Promise<void> }[]} */
export const attacks = [
  upload('a proto with 4,990 fields', `${HEAD} message F { ${fields(4990)} }`),
  upload('a proto with 10,000 fields', `${HEAD} message F { ${fields(10_000)} }`),
  upload('a proto with 100,000 fields', `${HEAD} message F { ${fields(100_000)} }`),
  upload('a proto with an enum of 4,990 values', `${HEAD} enum E { ${list(4990, (n) => `V${n} = ${n};`)} }`),
  upload('a proto nested 10,000 levels deep', `${HEAD} ${'message F {'.repeat(10_000)}${'}'.repeat(10_000)}`),
  upload('a proto with a comment of 2 MB', `${HEAD} /*${'x'.repeat(2_000_000)}*/`),
  upload('a proto with a comment of 9 MB', `${HEAD} /*${'x'.repeat(9_000_000)}*/`),
  upload('a proto with 600,000 comments', `${HEAD} ${'//\n'.repeat(600_000)}`),
  upload('a proto with 2,000,000 semicolons', `${HEAD} ${';'.repeat(2_000_000)}`),
  upload('a proto with 100,000 options', `${HEAD} ${list(100_000, (n) => `option o${n} = 1;`)}`),
  upload('a proto with 100,000 imports', `${HEAD} ${list(80_000, (n) => `import "${n}.proto";`)}`),
  upload('a proto with a text of 2 MB', `${HEAD} option java_package = "${'\\n'.repeat(1_000_000)}";`),
  upload('a proto that imports itself', `${HEAD} import "attack/self.proto";`, 'attack/self.proto'),
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((name) =>
    upload(
      `a proto of names like ${name}`,
      `syntax = "proto3"; package ${name}; message ${name}M { string ${name} = 1; } service ${name}S { rpc ${name}(${name}M) returns (${name}M); }`,
    ),
  ),
  {
    name: 'protos that import each other in pairs, 30 levels',
    run: (_port, apiPort) => uploadPairs(apiPort),
  },
  call('a packed list of 4 MiB', () => [packed(MESSAGE)]),
  call('two million empty messages within one', () => [Buffer.alloc(MESSAGE, Buffer.from([0x12, 0]))]),
  call('a message nested 10,000 levels deep', () => [nested(10_000)]),
  call('groups that nobody knows, 4 MiB', () => [
    Buffer.alloc(MESSAGE, Buffer.from([0xfb, 0x07, 0xfc, 0x07])),
  ]),
  call('groups without an end', () => [Buffer.alloc(MESSAGE, Buffer.from([0xfb, 0x07]))]),
  call('a map of a million entries', () => [Buffer.alloc(MESSAGE, Buffer.from([0x22, 2, 0x12, 0]))]),
  call('a text of 4 MiB', () => [field(0x1a, Buffer.alloc(MESSAGE - 8, 'x'))]),
  call('a text of 4 MiB that is no UTF-8', () => [field(0x1a, Buffer.alloc(MESSAGE - 8, 0xff))]),
  call('bytes of 4 MiB', () => [field(0x3a, Buffer.alloc(MESSAGE - 8, 1))]),
  call('an Any in an Any, 500 levels', () => [field(0x2a, anyInAny(500))]),
  call('an Any of 4 MiB, nested', () => [field(0x2a, anyInAny(90, MESSAGE - 8192))]),
  call('a message of 256 MiB, packed', () => [gzipSync(Buffer.alloc(256 * 1024 * 1024))], 'Unary', 1),
  call('a length of 4 GB', () => [Buffer.alloc(10)], 'Unary', 0, 0xffff_ffff),
  call('a stream of 500,000 empty messages', () => repeat(Buffer.alloc(0), 500_000), 'Take'),
  call('a stream of 500,000 small messages both ways', () => repeat(Buffer.from([0x08, 1]), 500_000), 'Both'),
  call('forty messages of 100,000 values', () => repeat(packed(100_000), 40), 'Take'),
  { name: '1,000 calls that are reset at once', run: resetCalls },
  { name: 'metadata of 60 KB in 2,000 keys', run: floodMetadata },
  { name: '200 connections that end in the middle of a call', run: abandonConnections },
  { name: 'frames of garbage behind the preface', run: sendGarbage },
];

function upload(name, content, file = `attack/${name.replaceAll(/[^a-z0-9]+/g, '-')}.proto`) {
  return {
    name,
    async run(_port, apiPort) {
      await api(apiPort, 'POST', '/api/grpc/protos', { name: file, content });
      await api(apiPort, 'DELETE', `/api/grpc/protos/${encodeURIComponent(file)}`);
    },
  };
}

async function uploadPairs(apiPort) {
  const names = [];
  for (let level = 0; level < 30; level += 1) {
    const imports =
      level === 0 ? '' : `import "pair/${level - 1}a.proto"; import "pair/${level - 1}b.proto";`;
    for (const side of 'ab') {
      const name = `pair/${level}${side}.proto`;
      names.unshift(name);
      const types = level === 0 ? '' : `P${level - 1}a a = 1; P${level - 1}b b = 2;`;
      await api(apiPort, 'POST', '/api/grpc/protos', {
        name,
        content: `${HEAD} ${imports} message P${level}${side} { ${types} }`,
      });
    }
  }
  for (const name of names) await api(apiPort, 'DELETE', `/api/grpc/protos/${encodeURIComponent(name)}`);
}

/** Sends messages to a method and waits for the status. */
function call(name, make, method = 'Unary', compressed = 0, length = undefined) {
  return {
    name,
    async run(port, apiPort) {
      await api(apiPort, 'POST', '/api/grpc/protos', { name: 'attack/calls.proto', content: PROTO });
      await session(port, async (client) => {
        const headers = compressed === 1 ? { 'grpc-encoding': 'gzip' } : {};
        const stream = request(client, `/attack.S/${method}`, headers);
        const over = ended(stream);
        await write(stream, make(), compressed, length);
        stream.end();
        await over;
      });
    },
  };
}

async function resetCalls(port) {
  await session(port, async (client) => {
    for (let count = 0; count < 1000; count += 1) {
      const stream = request(client, '/attack.S/Take', {});
      stream.write(frame(Buffer.alloc(10)));
      stream.close(constants.NGHTTP2_CANCEL);
    }
    await new Promise((resolve) => client.ping(resolve));
  });
}

async function floodMetadata(port) {
  await session(port, async (client) => {
    const headers = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`x-${n}`, 'y'.repeat(20)]));
    const stream = request(client, '/attack.S/Unary', headers);
    stream.end(frame(Buffer.alloc(0)));
    await ended(stream);
  });
}

async function abandonConnections(port) {
  for (let count = 0; count < 200; count += 1) {
    await session(port, async (client) => {
      request(client, '/attack.S/Take', {}).write(Buffer.from([0, 0, 0, 1, 0, 1]));
      await new Promise((resolve) => client.ping(resolve));
      client.socket?.resetAndDestroy?.();
    });
  }
}

function sendGarbage(port) {
  return within((resolve) => {
    const socket = connectTcp(port, '127.0.0.1', () => {
      socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
      socket.end(Buffer.alloc(1024 * 1024, 0xa5));
    });
    socket.on('error', resolve).on('close', resolve).resume();
    return () => socket.destroy();
  });
}

/** Opens a connection for as long as an attack takes. */
function session(port, play) {
  return within((resolve) => {
    const client = connectHttp2(`http://127.0.0.1:${port}`);
    client.on('error', resolve).on('close', resolve);
    client.once('connect', () => void play(client).then(resolve, resolve));
    return () => client.destroy();
  });
}

/** Resolves when `start` says so, or when it takes too long; cleans up in either case. */
async function within(start) {
  let clean = () => undefined;
  let timer;
  await new Promise((resolve) => {
    timer = setTimeout(resolve, MAX_MS);
    clean = start(() => resolve(undefined));
  });
  clearTimeout(timer);
  clean();
}

function request(client, path, headers) {
  const stream = client.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  stream.on('error', () => undefined);
  stream.resume();
  return stream;
}

function ended(stream) {
  return new Promise((resolve) => stream.on('close', resolve));
}

async function write(stream, messages, compressed, length) {
  let batch = [];
  let size = 0;
  for (const message of messages) {
    batch.push(frame(message, compressed, length));
    size += message.length + 5;
    if (size < 64 * 1024) continue;
    if (stream.destroyed) return;
    if (!stream.write(Buffer.concat(batch))) {
      await drained(stream);
    }
    batch = [];
    size = 0;
  }
  if (batch.length > 0 && !stream.destroyed) stream.write(Buffer.concat(batch));
}

function drained(stream) {
  return new Promise((resolve) => {
    const go = () => {
      stream.off('drain', go).off('close', go);
      resolve(undefined);
    };
    stream.on('drain', go).on('close', go);
  });
}

function frame(message, compressed = 0, length = message.length) {
  const head = Buffer.alloc(5);
  head.writeUInt8(compressed);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}

function varint(number) {
  const bytes = [];
  for (let rest = number; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 0x80);
  }
}

function field(tag, content) {
  return Buffer.concat([Buffer.from([tag]), varint(content.length), content]);
}

function packed(size) {
  return field(0x0a, Buffer.alloc(size - 8, 1));
}

function nested(levels) {
  let message = Buffer.alloc(0);
  for (let level = 0; level < levels && message.length < MESSAGE - 8; level += 1)
    message = field(0x12, message);
  return message;
}

function anyInAny(levels, size = 0) {
  const url = field(0x0a, Buffer.from('a/google.protobuf.Any'));
  let message = Buffer.concat([field(0x0a, Buffer.from('a/unknown')), field(0x12, Buffer.alloc(size))]);
  for (let level = 0; level < levels; level += 1) message = Buffer.concat([url, field(0x12, message)]);
  return message;
}

function fields(count) {
  return list(count, (n) => `int32 f${n} = ${n < 18_000 ? n + 1 : n + 5000};`);
}

function list(count, make) {
  return Array.from({ length: count }, (_, index) => make(index)).join('\n');
}

function* repeat(value, count) {
  for (let index = 0; index < count; index += 1) yield value;
}

async function api(port, method, path, body) {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(MAX_MS),
    });
    await answer.arrayBuffer();
  } catch {
    // A refusal, or none at all: what counts is how the server fares meanwhile.
  }
}
