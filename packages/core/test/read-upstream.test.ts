import { describe, expect, it } from '@jest/globals';
import type { Protocol } from '../src/index.js';
import { readUpstream } from '../src/upstream/read-upstream.js';

function read(url: string, more: object = {}, own = 'ftp://{host}:{port}'): unknown {
  const meta = { url: own, transport: 'stream' } as Protocol['meta'];
  return readUpstream({ kind: 'x', meta }, { url, mode: 'passthrough', ...more });
}

describe('the setting upstream', () => {
  it.each([
    ['ftp://h:21', 21],
    ['ftp://h', 21],
    ['ftps://h:990', 990],
    ['tls://h:22', 22],
  ])('has in %s the port %i', (url, port) => expect(read(url)).toMatchObject({ host: 'h', port }));

  it.each([
    ['ftp://ann:top-secret@h:21', 'no user and password'],
    ['other://ann:top-secret@h:1', 'one of the schemes'],
    ['ann:top-secret@h', 'one of the schemes'],
    ['ftp://ann:top-secret@', 'one of the schemes'],
    ['ftp://ann:top/secret@top-secret/@h', 'one of the schemes'],
    ['ftp://h:21?key=top-secret', 'must end with its path'],
  ])('shows nothing secret of %s, which is refused', (url, message) => {
    expect(() => read(url)).toThrow(message);
    expect(() => read(url)).toThrow(
      expect.not.objectContaining({ message: expect.stringMatching(/top.secret/) }),
    );
  });

  it.each([{ ca: '/x.pem' }, { verify: false }])('has no %j without TLS', (more) => {
    expect(() => read('ftp://h:21', more)).toThrow(
      'stands only beside an url with TLS, which ftp:// has not',
    );
    expect(read('ftps://h:990', more)).toMatchObject(more);
  });

  it('has a scheme for TLS that begins by a command, where the kind reads what passes', () => {
    const meta = { url: 'mail://{host}:{port}', transport: 'stream' } as Protocol['meta'];
    const of = (startsTls: boolean, mode: 'passthrough' | 'spy'): unknown =>
      readUpstream(
        { kind: 'x', meta, recording: { modes: ['spy'], startsTls } },
        { url: 'mail+starttls://h:25', mode, verify: false },
      );
    expect(of(true, 'spy')).toMatchObject({ host: 'h', isSecure: false, startsTls: true, verify: false });
    expect(() => of(false, 'spy')).toThrow('one of the schemes');
    expect(() => of(true, 'passthrough')).toThrow('stands only beside a mode in which x reads what passes');
  });
});
