import { describe, expect, it } from '@jest/globals';
import { comparedContent, MessageRecordings, redactContent, redactNamed } from '../src/upstream.js';

const KEY = `ghp_${'x'.repeat(36)}`;
const BYTES = Buffer.from([0xff, 0]);

describe('recordings of messages', () => {
  const recordings = new MessageRecordings({
    content: 'payload',
    special: /[*>]/,
    bytes: 'which no pattern matches',
  });

  it('ask for addresses and contents as they came', () => {
    const asked = recordings.matchOf({ exchange: '', topic: 'a.*', subject: 'a.b' }, Buffer.from('hi'));
    expect(asked).toMatchObject({
      name: 'a.* a.b',
      match: { exchange: { equals: '' }, topic: { equals: 'a.*' }, subject: 'a.b', payload: 'hi' },
      patterns: [],
    });
  });

  it('compare nothing that is secret, long or no text, and say so', () => {
    const secret = recordings.matchOf({ subject: `of ${KEY}` }, Buffer.from(KEY));
    expect(secret).toMatchObject({
      name: 'of REDACTED',
      match: { payload: { present: true } },
      patterns: ['payload: secret'],
    });
    const [fits, long] = [64 * 1024, 64 * 1024 + 1].map((length) =>
      recordings.matchOf({ subject: 'a' }, Buffer.alloc(length, 'a')),
    );
    expect(fits).toMatchObject({ patterns: [] });
    expect(long).toMatchObject({
      match: { payload: { present: true } },
      patterns: ['payload: it is longer than 64 KiB and not compared'],
    });
    expect(recordings.matchOf({ subject: 'a' }, BYTES)).toBe(
      'its payload is not UTF-8, which no pattern matches',
    );
  });

  it('answer with texts that are no templates and without secrets, with bytes, and with nothing that is too long', () => {
    expect(recordings.answerOf(Buffer.from(`{{x}} ${KEY}`))).toEqual({
      payload: expect.stringMatching(/^[^]*x[^]* REDACTED$/),
    });
    expect(recordings.answerOf(Buffer.from('{{x}}'))).not.toEqual({ payload: '{{x}}' });
    expect(recordings.answerOf(BYTES)).toEqual({ payload_base64: '/wA=' });
    expect(recordings.answerOf(Buffer.alloc(2 * 1024 * 1024 + 1))).toBe('it is longer than 2 MiB');
  });

  it('keep a copy of a content, and compare its JSON', () => {
    const chunk = Buffer.from('{"a": 1}');
    const kept = redactContent(chunk);
    chunk.fill(0);
    expect(kept.toString()).toBe('{"a": 1}');
    expect([kept, Buffer.from('no'), BYTES].map(comparedContent)).toEqual([{ a: 1 }, 'no', 'base64 /wA=']);
    expect([redactNamed('x-api-key', '1'), redactNamed('x', `1 ${KEY}`)]).toEqual(['REDACTED', '1 REDACTED']);
  });
});
