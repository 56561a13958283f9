import { isIPv4 } from 'node:net';
import { defineProtocol, invalid, readWords } from '@backlot/core/plugin';
import { COMMAND } from './command-line.js';
import { rangeOf } from './data/data-ports.js';
import { FileIndex } from './mock-index.js';
import { explainEntry } from './message.js';
import { compileFile } from './matcher.js';
import { FILES } from './sections/declaration.js';
import { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';

/** FTP (RFC 959, 2228, 2389, 2428, 3659, 4217): a tree of files in memory. */
export const ftp = defineProtocol({
  kind: 'ftp',
  meta: {
    title: 'FTP',
    summary: 'A file server in memory: configured files are downloaded, uploads are kept until reset.',
    transport: 'stream',
    defaultPort: 2121,
    url: 'ftp://{host}:{port}',
    tls: 'starttls',
  },
  config: ConfigSchema,
  checkConfig: ({ passive_host: host, passive_port_start: start, passive_port_end: end }) => {
    if (host !== undefined && !isIPv4(host)) {
      throw fault(
        '/passive_host',
        `must be an IPv4 address such as "192.0.2.1", got ${JSON.stringify(host)}`,
      );
    }
    if (start === undefined && end !== undefined) {
      throw fault('/passive_port_end', 'needs passive_port_start as well');
    }
    const range = rangeOf(start, end);
    if (range !== undefined && range.last < range.first) {
      throw fault(
        '/passive_port_end',
        `must not be below passive_port_start, ${range.first}; got ${range.last}`,
      );
    }
  },
  mocks: {
    noun: 'file',
    configKey: 'files',
    mode: 'items',
    schema: MockSchema,
    examples: [
      {
        id: 'report',
        path: '/reports/day.csv',
        content: 'id,total\n1,9.90\n',
        modified: '2024-05-01T12:00:00Z',
      },
      { id: 'stock', path: '/stock.json', json: { day: '{{date "2006-01-02"}}', left: 7 } },
      { id: 'logo', path: '/logo.png', content: 'iVBORw0KGgo=', encoding: 'base64', permissions: '444' },
    ],
    compile: (file, tools, index: FileIndex) => compileFile(file, tools, index),
    index: () => new FileIndex(),
    patchTargets: { body: ['/content'] },
    explain: explainEntry,
    explained: { line: { example: 'RETR /readme.txt', read: readWords(['method', 'path']) } },
  },
  data: { files: FILES },
  fault: { schema: FaultSchema, default: { code: 421, message: 'fault injected' }, login: true },
  command: COMMAND,
  imports: {
    formats: { folder: 'Folder of files' },
    load: async () => (await import('./imports/importers.js')).importers,
  },
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createFtpService } = await import('./server.js');
    return createFtpService(context);
  },
});

function fault(path: string, message: string): Error {
  return invalid(message, [{ path, message }]);
}
