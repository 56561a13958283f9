import { describe, expect, it } from '@jest/globals';
import { mulberry32 } from '@backlot/conformance';
import { newConnectionAuth, type AuthResult } from '../src/auth/index.js';
import { AUTHENTICATE, challengesOf, compile, NEGOTIATE, reasonOf, request } from './auth-support.js';

const PIECES = [
  '"',
  '\\',
  ',',
  '=',
  ' ',
  '\t',
  '\u00ff',
  '\u0000',
  '%',
  "''",
  'NTLM ',
  'Digest ',
  '====',
  'nonce="',
];

function mutateText(text: string, pick: (below: number) => number): string {
  const at = pick(text.length + 1);
  const to = Math.min(text.length, at + pick(12));
  switch (pick(5)) {
    case 0:
      return text.slice(0, at) + text.slice(to);
    case 1:
      return text.slice(0, at) + (PIECES[pick(PIECES.length)] ?? '') + text.slice(at);
    case 2:
      return text.slice(0, at) + String.fromCharCode(pick(256)) + text.slice(at + 1);
    case 3:
      return text.slice(0, at) + text.slice(at, to).repeat(1 + pick(20)) + text.slice(to);
    default:
      return text.slice(0, at);
  }
}

function mutateToken(header: string, pick: (below: number) => number): string {
  const [scheme, token = ''] = header.split(' ');
  const bytes = Buffer.from(token, 'base64');
  for (let count = 1 + pick(4); count > 0 && bytes.length > 0; count -= 1) {
    bytes[pick(bytes.length)] = [0, 0xff, 0x7f, pick(256)][pick(4)] ?? 0;
  }
  return `${scheme} ${bytes.subarray(0, pick(4) === 0 ? pick(bytes.length + 1) : bytes.length).toString('base64')}`;
}

function expectLegal(result: AuthResult): void {
  if (result === true) return;
  expect(reasonOf(result)).toMatch(/./);
  for (const value of challengesOf(result) ?? []) {
    expect(value).toMatch(/^[\x20-\x7e]+$/);
  }
}

describe('hostile headers', () => {
  const ntlm = compile({ type: 'ntlm', username: 'ann', password: 'secret' });
  const auths = [
    compile({ type: 'bearer', token: 'abc', challenge: true }),
    compile({ type: 'basic', username: 'ann', password: 'secret', challenge: true }),
    compile({ type: 'digest', username: 'ann', password: 'secret' }),
    compile({
      type: 'digest',
      username: 'ann',
      password: 'secret',
      algorithm: 'SHA-256-sess',
      qop: 'auth-int',
    }),
    ntlm,
    compile({ type: 'ntlm' }),
  ];
  const good = [
    'Bearer abc',
    'Basic YW5uOnNlY3JldA==',
    'Digest username="ann", realm="backlot", nonce="AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", uri="/", algorithm=SHA-256, ' +
      'response="6629fae49393a05397450978507c4ef1", qop=auth, nc=00000001, cnonce="0a4f113b", opaque="x"',
    'Digest username*=UTF-8\'\'J%C3%A4, realm="backlot", nonce="x", uri="/", response="y"',
    `NTLM ${NEGOTIATE}`,
    `NTLM ${AUTHENTICATE.toString('base64')}`,
    `Negotiate ${NEGOTIATE}`,
  ];

  it('never make a test throw, nor an answer that cannot be sent', () => {
    const pick = mulberry32(7616);
    for (let round = 0; round < 5000; round += 1) {
      let authorization = good[pick(good.length)] ?? '';
      if (/^(NTLM|Negotiate) /.test(authorization) && pick(2) === 0) {
        authorization = mutateToken(authorization, pick);
      } else {
        for (let count = 1 + pick(3); count > 0; count -= 1) {
          authorization = mutateText(authorization, pick);
        }
      }
      const connection = newConnectionAuth();
      if (pick(2) === 0) {
        ntlm.test(request({ connection, authorization: `NTLM ${NEGOTIATE}` }));
      }
      const input = request({ connection, authorization });
      for (const auth of auths) {
        expectLegal(auth.test(input));
      }
    }
  });

  it('of great length are read in linear time', () => {
    const long = 200_000;
    for (const authorization of [
      `Digest ${'a'.repeat(long)}`,
      `Digest a="${'\\'.repeat(long)}`,
      `Digest username*=UTF-8'${"'".repeat(long)}`,
      `Digest ${'a=1,'.repeat(long)}`,
      `Digest ${', '.repeat(long)}`,
      `Basic ${'A'.repeat(long)}!`,
      `NTLM ${'A'.repeat(long)}`,
      ' '.repeat(long),
    ]) {
      const input = request({ authorization });
      for (const auth of auths) {
        expectLegal(auth.test(input));
      }
    }
  });
});
