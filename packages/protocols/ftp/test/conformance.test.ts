import { Client, FTPError } from 'basic-ftp';
import { describeConformance } from '@backlot/conformance';
import { ftp } from '../src/index.js';
import { download } from './support.js';

describeConformance(ftp, {
  imports: [
    {
      format: 'folder',
      name: 'files',
      content: '',
      files: {
        'readme.txt': 'Hello {{name}}\n',
        'images/pixel.gif': Buffer.from('R0lGODlhAQABAAAAACw=', 'base64'),
      },
    },
  ],
  mocks: {
    simple: { path: '/simple', content: 'one' },
    changed: { path: '/simple', content: 'two' },
    other: { path: '/other', content: 'three' },
    template: { path: '/simple', content: '{{request.method}} {{request.path}} {{request.username}}' },
    bad: [
      {},
      { path: 5 },
      { path: '' },
      { path: '/' },
      { path: '/a/' },
      { path: '/a/../b' },
      { path: '/a\r\nb' },
      { path: `/${'a'.repeat(256)}` },
      { path: '/a'.repeat(65) },
      { path: '/a', content: '{{#open}}' },
      { path: '/a', content: 'a', encoding: 'hex' },
      { path: '/a', content: '***', encoding: 'base64' },
      { path: '/a', content: 'aGVsbG8', encoding: 'base64' },
      { path: '/a', permissions: '999' },
      { path: '/a', permissions: 'rwx' },
      { path: '/a', size: 'large' },
      { path: '/a', modified: 'yesterday' },
      { path: '/a', modified: '2024-13-01T00:00:00Z' },
    ],
  },
  answers: {
    simple: 'one',
    changed: 'two',
    other: 'three',
    template: 'RETR /simple guest',
    unmatched: '550 no such file',
    fault: '421 fault injected',
  },
  logged: { method: 'RETR', path: '/simple' },
  login: {
    async attempt({ host, port }) {
      const client = new Client();
      try {
        await client.access({ host, port, user: 'guest', password: 'guest' });
        return 'accepted';
      } catch (thrown) {
        return (thrown as Error).message;
      } finally {
        client.close();
      }
    },
    refused: '530 login incorrect',
    custom: { fault: { code: 430, message: 'try again' }, refused: '430 try again' },
  },
  namesSpaces: true,
  async connect({ host, port }, space) {
    const client = new Client();
    const user = space === undefined ? 'guest' : `${space}+guest`;
    await client.access({ host, port, user, password: 'guest' });
    return {
      send: async (message) => {
        try {
          return await download(client, message);
        } catch (thrown) {
          return thrown instanceof FTPError ? thrown.message.replace(/ \/\w+:/, '') : 'closed';
        }
      },
      close: () => client.close(),
    };
  },
});
