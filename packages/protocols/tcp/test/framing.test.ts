import { describe, expect, it } from '@jest/globals';
import { DelimiterFramer } from '@backlot/kit/framing';
import { FrameFraming, MAX_MESSAGE, MockFraming, REST_WAIT } from '../src/framing.js';

/** Framing by one mock `ABCD`: waits for the rest of it, takes it, and takes all otherwise. */
function make(takes: (text: string) => boolean = () => true) {
  const taken: string[] = [];
  const timers: { ms: number; fire: () => void; isCancelled: boolean }[] = [];
  const framing = new MockFraming(
    (gathered, isFinal) => {
      const text = gathered.toString('latin1', 0, 5);
      if (text.startsWith('ABCD')) return 4;
      return 'ABCD'.startsWith(text) && !isFinal ? 0 : gathered.length;
    },
    (message) => {
      taken.push(message.toString());
      return takes(message.toString());
    },
    (ms, fire) => {
      const timer = { ms, fire, isCancelled: false };
      timers.push(timer);
      return { cancel: () => (timer.isCancelled = true) };
    },
  );
  return { framing, taken, timers, push: (text: string) => framing.push(Buffer.from(text)) };
}

describe('framing by the mocks', () => {
  it('gathers a message that comes in pieces, and starts the wait anew with each', () => {
    const { taken, timers, push } = make();
    for (const piece of ['A', 'B', 'C']) push(piece);
    expect(taken).toEqual([]);
    expect(timers.map(({ ms, isCancelled }) => [ms, isCancelled])).toEqual([
      [REST_WAIT, true],
      [REST_WAIT, true],
      [REST_WAIT, false],
    ]);
    push('DAB');
    expect(taken).toEqual(['ABCD']);
  });

  it('takes what is there when the rest does not come', () => {
    const { taken, timers, push } = make();
    push('AB');
    timers[0]?.fire();
    expect(taken).toEqual(['AB']);
    push('xyz');
    expect(taken).toEqual(['AB', 'xyz']);
  });

  it('takes what is there when the client ends', () => {
    const { framing, taken, timers, push } = make();
    push('ABCDAB');
    framing.finish();
    expect(taken).toEqual(['ABCD', 'AB']);
    expect(timers[0]?.isCancelled).toBe(true);
  });

  it('keeps apart what arrived apart while it was halted', () => {
    const { framing, taken, push } = make((text) => text !== 'slow');
    push('slow');
    expect(framing.isHalted).toBe(true);
    push('one');
    push('two');
    push('AB');
    push('CD');
    expect(taken).toEqual(['slow']);
    expect(framing.waiting).toBe(10);
    // Each piece takes more than its bytes.
    expect(framing.weight).toBeGreaterThan(4 * 100);
    framing.resume();
    expect(taken).toEqual(['slow', 'one', 'two', 'ABCD']);
    expect(framing.waiting).toBe(0);
  });

  it('gathers a mebibyte at most', () => {
    const taken: number[] = [];
    const framing = new MockFraming(
      (gathered, isFinal) => (isFinal ? gathered.length : 0),
      (message) => taken.push(message.length) > 0,
      () => ({ cancel: () => undefined }),
    );
    for (let index = 0; index < 17; index += 1) framing.push(Buffer.alloc(MAX_MESSAGE / 16));
    expect(taken).toEqual([MAX_MESSAGE]);
    expect(framing.waiting).toBe(MAX_MESSAGE / 16);
  });
});

describe('framing by a delimiter', () => {
  it('cuts frames, keeps the rest for the end, and halts', () => {
    const taken: string[] = [];
    const framing = new FrameFraming(
      new DelimiterFramer({ delimiter: '\r\n', maxLength: MAX_MESSAGE }),
      (message) => {
        taken.push(message.toString());
        return !message.toString().startsWith('slow');
      },
      'rest',
    );
    framing.push(Buffer.from('a\r'));
    framing.push(Buffer.from('\n\r\nslow\r\nb\r\nslow rest'));
    expect(taken).toEqual(['a', '', 'slow']);
    framing.resume();
    expect(taken).toEqual(['a', '', 'slow', 'b']);
    framing.finish();
    expect(taken.at(-1)).toBe('slow rest');
    expect(framing.isHalted).toBe(true);
    framing.resume();
    expect([framing.isHalted, framing.waiting]).toEqual([false, 0]);
  });

  it('refuses a frame beyond a mebibyte', () => {
    const framing = new FrameFraming(
      new DelimiterFramer({ delimiter: '\n', maxLength: MAX_MESSAGE }),
      () => true,
    );
    expect(() => framing.push(Buffer.alloc(MAX_MESSAGE + 1))).toThrow('1048576');
  });
});
