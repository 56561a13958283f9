import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { processCertificate } from '@backlot/kit';
import { OWN_PROTOS } from '../src/schema/services.js';
import { ACME } from './support/acme.js';
import { folderWith, startHost } from './support/grpc-host.js';

const CLIENT = readFileSync(new URL('./support/client.py', import.meta.url), 'utf8');

const MOCKS = [
  {
    method: 'Get',
    match: { id: '404' },
    error: { code: 'NOT_FOUND', message: 'no user' },
    trailers: { 'x-late': 'yes' },
  },
  {
    method: 'Get',
    headers: { 'X-Tag': 'again', 'grpc-previous-rpc-attempts': { absent: true } },
    error: { code: 'UNAVAILABLE' },
    trailers: { 'grpc-retry-pushback-ms': '1' },
  },
  {
    method: 'Get',
    headers: { 'x-tag': 'again' },
    deadline: { gt: 60_000 },
    response: { name: '{{request.headers.grpc-previous-rpc-attempts}}' },
  },
  {
    method: 'Get',
    headers: { 'x-tag': 'never' },
    deadline: { absent: true },
    error: { code: 'UNAVAILABLE', message: 'not now' },
    trailers: { 'grpc-retry-pushback-ms': '-1' },
  },
  { id: 'slow', method: 'Get', match: { id: '1' }, response: {}, delay: '1h' },
  {
    method: 'Get',
    response: {
      id: '9007199254740993',
      name: '{{request.headers.x-tag}}',
      role: 'GUEST',
      labels: { a: 'b' },
      phone: '1',
      photo: 'AP8=',
      created_at: '2026-01-31T12:00:00.5Z',
    },
    metadata: { 'x-early': 'yes' },
  },
  {
    method: 'Watch',
    stream: [{ response: { name: 'one' } }, { response: { name: '{{request.body.name}}' } }],
  },
  { method: 'Add', response: { count: 2, names: ['{{request.messages.1.name}}'] } },
  {
    method: 'Chat',
    match: { name: 'talk' },
    trailers: { 'x-late': 'talked' },
    on_message: [
      { match: { name: 'bye' }, respond: { name: 'see you' }, close: true },
      { match: { name: 'quiet' } },
      {
        respond: [
          { response: { name: '{{request.body.name}}' } },
          { response: { name: '{{length request.messages}}' } },
        ],
      },
    ],
  },
  { method: 'Chat', stream: [{ response: { name: 'hi {{request.body.name}}' } }] },
];

async function run(
  settings: object,
  makeArguments: (folder: string) => Promise<string[]>,
): Promise<Record<string, unknown>> {
  const folder = folderWith({
    'acme.proto': ACME,
    'health.proto': OWN_PROTOS['grpc/health/v1/health.proto'] ?? '',
    'reflection.proto': OWN_PROTOS['grpc/reflection/v1alpha/reflection.proto'] ?? '',
    'client.py': CLIENT,
  });
  const files = ['acme.proto', 'health.proto', 'reflection.proto'];
  execFileSync(
    PYTHON,
    [...['-m', 'grpc_tools.protoc', '-I.', '--python_out=.', '--grpc_python_out=.'], ...files],
    { cwd: folder },
  );
  const { port } = await startHost({ ...settings, mocks: MOCKS });
  const { out, err } = await runTool(PYTHON, [
    join(folder, 'client.py'),
    String(port),
    ...(await makeArguments(folder)),
  ]);
  expect(err).toBe('');
  return Object.assign(
    {},
    ...out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ) as Record<string, unknown>;
}

describe('python', () => {
  itWithTool(
    'python3:grpc_tools python3:pkg_resources',
    'does all four kinds of calls with generated code',
    async () => {
      const got = await run({}, async () => []);
      expect(got).toMatchObject({
        unary: {
          id: '9007199254740993',
          name: 't',
          role: 'GUEST',
          labels: { a: 'b' },
          phone: '1',
          photo: 'AP8=',
          created_at: '2026-01-31T12:00:00.500Z',
        },
        initial: { 'x-early': 'yes' },
        server: ['one', 'w'],
        client: { count: 2, names: ['b'] },
        bidi: ['hi c'],
        talk: ['talk', '1', 'more', '3', 'see you', 'OK', { 'x-late': 'talked' }],
        gzip: '',
        again: '1',
        never: { code: 'UNAVAILABLE', details: 'not now' },
        error: { code: 'NOT_FOUND', details: 'no user', trailers: { 'x-late': 'yes' } },
        late: 'DEADLINE_EXCEEDED',
        health: { status: 'SERVING' },
        reflected: ['Get', 'Watch', 'Add', 'Chat'],
        same: true,
      });
    },
  );

  itWithTool('python3:grpc_tools python3:pkg_resources', 'does so over TLS', async () => {
    const got = await run({ tls: { self_signed: true } }, async (folder) => {
      const { cert } = await processCertificate();
      const file = join(folder, 'ca.pem');
      writeFileSync(file, cert);
      return [file];
    });
    expect(got).toMatchObject({ server: ['one', 'w'], late: 'DEADLINE_EXCEEDED', same: true });
  });
});
