import { startKind } from '@backlot/conformance';
import { importFile, readImport, type ImportReport, type Json } from '@backlot/core';
import { runAtOnce } from '@backlot/core/plugin';
import { credentials, loadPackageDefinition, type Client, type ServiceError } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { describe, expect, it } from '@jest/globals';
import { importers } from '../src/imports/importers.js';
import { grpc } from '../src/index.js';
import { CHANNELZ, CHANNELZ_FILE, channelzImage } from './support/channelz.js';
import { later, startHost } from './support/grpc-host.js';

function convert(
  name: string,
  content: string | Uint8Array,
  tree?: unknown,
): { block: Json; report: ImportReport } {
  const read = runAtOnce(readImport(importFile({ name, content, tree }), importers, { seed: 1 }));
  return { block: read.imported.protocols?.['grpc'] ?? {}, report: read.report };
}

type Ask = (request: object, callback: (error: ServiceError | null, answer: Json) => void) => void;

/** Asks the service of channelz that is made of a block. */
async function askChannelz(block: Json): Promise<Json> {
  const { port } = await startKind(grpc, later, block);
  const { grpc: loaded } = loadPackageDefinition(loadSync(CHANNELZ_FILE)) as never as {
    grpc: { channelz: { v1: { Channelz: new (...given: unknown[]) => Client & { GetChannel: Ask } } } };
  };
  const client = new loaded.channelz.v1.Channelz(`127.0.0.1:${port}`, credentials.createInsecure());
  later(() => client.close());
  return new Promise((resolve, reject) => {
    client.GetChannel({ channelId: 7 }, (error, answer) =>
      error === null ? resolve(answer) : reject(error),
    );
  });
}

describe('imported protos', () => {
  it('answers calls by the types of a .proto file', async () => {
    const { block, report } = convert('channelz.proto', CHANNELZ);
    expect(report).toMatchObject({ format: 'proto', taken: { 'grpc sources': 1 } });
    expect(await askChannelz(block)).toMatchObject({
      channel: { ref: { name: 'name' }, data: { target: 'target', state: { state: 1 } } },
    });
  });

  it('answers calls by the types of an image of buf, as bytes and as JSON', async () => {
    const binary = convert('image.binpb', channelzImage('binpb'));
    expect(binary.report.format).toBe('descriptors');
    expect(await askChannelz(binary.block)).toMatchObject({ channel: { ref: { name: 'name' } } });
    const text = channelzImage('json').toString('utf8');
    const json = convert('image.json', text, JSON.parse(text));
    expect(await askChannelz(json.block)).toMatchObject({ channel: { ref: { name: 'name' } } });
  });

  it('takes what a file imports from beside it, and says what is not there', () => {
    const user = 'syntax = "proto3";\npackage acme;\nmessage User { string name = 1; }\n';
    const service =
      'syntax = "proto3";\npackage acme;\nimport "acme/user.proto";\nimport "google/api/annotations.proto";\nservice Users { rpc Get(User) returns (User) { option (google.api.http) = { get: "/x" }; } }\n';
    const near = (path: string): ReturnType<typeof importFile> | undefined =>
      path === '../acme/user.proto' ? importFile({ name: 'user.proto', content: user }) : undefined;
    const file = importFile({ name: 'users.proto', content: service, near });
    const { imported, report } = runAtOnce(readImport(file, importers, { seed: 1 }));
    expect(imported.protocols?.['grpc']?.['sources']).toMatchObject([
      { name: 'users.proto' },
      { name: 'google/api/annotations.proto' },
      { name: 'acme/user.proto' },
    ]);
    expect(report.approximated[0]?.message).toBe(
      'imports "google/api/annotations.proto", which is not beside it; nothing of it is known',
    );
  });

  it('refuses files without services, and those that do not fit together', () => {
    expect(() => convert('a.proto', 'syntax = "proto3";\nmessage A { string b = 1; }\n')).toThrow(
      'no service is defined',
    );
    expect(() => convert('a.proto', 'syntax = "proto3";\nservice S { rpc Get(A) returns (A); }\n')).toThrow(
      'A',
    );
  });
});

describe('unmatched: made', () => {
  it('answers streams of clients at their end, mocks first, and is not unmatched in the log', async () => {
    const running = await startHost({
      unmatched: 'made',
      mocks: [{ method: 'Watch', stream: [{ response: { name: 'Ada' } }] }],
    });
    const { users, host } = running;
    later(() => users.close());
    const added = new Promise((resolve, reject) => {
      const call = users.Add((error, answer) => (error === null ? resolve(answer) : reject(error)));
      call.write({ name: 'a' });
      call.end();
    });
    expect(await added).toEqual({ count: expect.any(Number), names: ['names'] });
    expect(host.journal.list({ unmatched: true })).toEqual([]);
    const watched: Json[] = [];
    for await (const one of users.Watch({})) watched.push(one as Json);
    expect(watched).toMatchObject([{ name: 'Ada' }]);
  });
});
