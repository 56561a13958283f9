import { describe, expect, it, jest } from '@jest/globals';
import {
  DelimiterFramer,
  FramingError,
  Gathered,
  LengthPrefixFramer,
  LineFramer,
  isFramingError,
  type Framer,
} from '../src/framing.js';

/** Feeds bytes in chunks of one size and gives the frames as latin1. */
function cut(framer: Framer, bytes: Buffer | string, size: number): string[] {
  const all = Buffer.from(bytes as string, 'latin1');
  const frames: string[] = [];
  for (let at = 0; at < all.length; at += size) {
    // A copy of its own, as a socket gives it.
    framer.push(Buffer.from(all.subarray(at, at + size)), (frame) => frames.push(frame.toString('latin1')));
  }
  return frames;
}

function codeOf(action: () => void): string {
  try {
    action();
  } catch (error) {
    return isFramingError(error) ? error.code : `not a framing error: ${String(error)}`;
  }
  return 'nothing thrown';
}

const SIZES = [1, 2, 3, 5, 7, 1000];

describe('Gathered', () => {
  it('keeps what came byte by byte in few pieces', () => {
    const gathered = new Gathered();
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, n) => n % 256));
    for (let at = 0; at < bytes.length; at += 1) gathered.append(bytes.subarray(at, at + 1));
    gathered.append(Buffer.alloc(10_000, 'x'));
    gathered.append(Buffer.from('end'));
    expect(gathered.count).toBeLessThanOrEqual(12);
    expect(
      gathered.take().equals(Buffer.concat([bytes, Buffer.alloc(10_000, 'x'), Buffer.from('end')])),
    ).toBe(true);
  });

  it('puts very many bytes together in steps of a megabyte', () => {
    const gathered = new Gathered();
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, n) => n % 251));
    for (let n = 0; n < 40; n += 1) gathered.append(bytes);
    const steps = gathered.takeSteps();
    gathered.append(Buffer.from('of the next time'));
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count += 1;
    expect(count).toBe(3);
    expect(Buffer.concat(Array.from({ length: 40 }, () => bytes)).equals(step.value)).toBe(true);
    expect(String(gathered.take())).toBe('of the next time');
  });

  it('gives a piece that is alone as it is', () => {
    const gathered = new Gathered();
    const piece = Buffer.alloc(5_000_000);
    gathered.append(piece);
    expect(gathered.takeSteps().next()).toEqual({ done: true, value: piece });
  });
});

describe('LineFramer', () => {
  it.each(SIZES)('ends lines with LF or CR LF, in chunks of %i', (size) => {
    const framer = new LineFramer({ maxLength: 20 });
    expect(cut(framer, 'one\r\n\ntwo\nthr\ree\r\r\n\r\nrest', size)).toEqual([
      'one',
      '',
      'two',
      'thr\ree\r',
      '',
    ]);
    expect(framer.waiting).toBe(4);
    expect(framer.takeRest().toString()).toBe('rest');
    expect(framer.waiting).toBe(0);
  });

  it.each(SIZES)('ends lines with CR LF only, in chunks of %i', (size) => {
    const framer = new LineFramer({ maxLength: 20, ending: 'crlf' });
    expect(cut(framer, 'a\n.\nb\r\n\n\r\n\r\n\r\r\nx\r', size)).toEqual(['a\n.\nb', '\n', '', '\r']);
    expect(framer.waiting).toBe(2);
  });

  it('takes lines of 64 KiB, and no longer ones, when it is not told', () => {
    const longest = 'a'.repeat(64 * 1024);
    expect(cut(new LineFramer(), `${longest}\n`, 1000)).toEqual([longest]);
    expect(codeOf(() => cut(new LineFramer(), `${longest}a\n`, 1000))).toBe('too_long');
  });

  it('keeps a CR where only LF ends a line', () => {
    expect(cut(new LineFramer({ maxLength: 20, ending: 'lf' }), 'a\r\nb\n', 1)).toEqual(['a\r', 'b']);
  });

  it.each(SIZES)('takes a line of the greatest length and refuses a longer one, in chunks of %i', (size) => {
    for (const ending of ['any', 'crlf'] as const) {
      expect(cut(new LineFramer({ maxLength: 5, ending }), '12345\r\n12345\r\n', size)).toEqual([
        '12345',
        '12345',
      ]);
      for (const text of ['123456', '123456\r\n', '12\r\n123456\r\n']) {
        const framer = new LineFramer({ maxLength: 5, ending });
        expect(codeOf(() => cut(framer, text, size))).toBe('too_long');
        expect(framer.waiting).toBe(0);
      }
    }
    expect(codeOf(() => cut(new LineFramer({ maxLength: 5, ending: 'lf' }), '12345\r\n', size))).toBe(
      'too_long',
    );
  });

  it('hands over counted bytes between lines', () => {
    for (const size of SIZES) {
      const framer = new LineFramer({ maxLength: 100 });
      const frames: string[] = [];
      const onFrame = (frame: Buffer): void => {
        const text = frame.toString('latin1');
        frames.push(text);
        if (text.startsWith('PUB ')) framer.expectBytes(Number(text.slice(4)));
      };
      const all = Buffer.from('PUB 5\r\na\r\nb\n\r\nPUB 0\r\n\r\nPING\r\n');
      for (let at = 0; at < all.length; at += size) framer.push(all.subarray(at, at + size), onFrame);
      expect(frames).toEqual(['PUB 5', 'a\r\nb\n', '', 'PUB 0', '', '', 'PING']);
    }
    const framer = new LineFramer({ maxLength: 100 });
    expect(codeOf(() => framer.expectBytes(-1))).toBe('malformed');
    expect(codeOf(() => framer.expectBytes(Number.NaN))).toBe('malformed');
  });

  it('halts when asked to, and goes on where it stopped', () => {
    const framer = new LineFramer({ maxLength: 100 });
    const frames: string[] = [];
    const one = (frame: Buffer): string => {
      frames.push(frame.toString());
      return 'halt';
    };
    framer.push(Buffer.from('a\nb\nc\nd'), one);
    expect(frames).toEqual(['a']);
    expect(framer.isHalted).toBe(true);
    framer.push(Buffer.from('e\n'), one);
    expect(frames).toEqual(['a']);
    framer.resume(one);
    framer.resume(one);
    expect(frames).toEqual(['a', 'b', 'c']);
    framer.resume(one);
    expect(frames).toEqual(['a', 'b', 'c', 'de']);
    framer.resume(one);
    expect(framer.isHalted).toBe(false);
    expect(framer.waiting).toBe(0);
  });

  it('takes more bytes from within a frame, and survives a handler that throws', () => {
    const framer = new LineFramer({ maxLength: 100 });
    const frames: string[] = [];
    const onFrame = (frame: Buffer): void => {
      const text = frame.toString();
      frames.push(text);
      if (text === 'a') framer.push(Buffer.from('later\n'), onFrame);
      if (text === 'throw') throw new Error('handler');
    };
    framer.push(Buffer.from('a\nb\n'), onFrame);
    expect(frames).toEqual(['a', 'b', 'later']);
    expect(() => framer.push(Buffer.from('throw\nnext\n'), onFrame)).toThrow('handler');
    framer.push(Buffer.from('last\n'), onFrame);
    expect(frames.slice(3)).toEqual(['throw', 'next', 'last']);
  });

  it('leaves the frames it handed over as they were', () => {
    const framer = new LineFramer({ maxLength: 100 });
    const kept: Buffer[] = [];
    const texts: string[] = [];
    for (let count = 0; count < 500; count += 1) {
      for (const part of [`line ${count}`, ' goes on', '\nand', ` ${count}\nbegin `]) {
        framer.push(Buffer.from(part), (frame) => {
          kept.push(frame);
          texts.push(frame.toString());
        });
      }
    }
    expect(kept).toHaveLength(1000);
    expect(kept.map(String)).toEqual(texts);
    expect(texts.slice(0, 3)).toEqual(['line 0 goes on', 'and 0', 'begin line 1 goes on']);
  });
});

describe('DelimiterFramer', () => {
  it.each(SIZES)('ends frames with a sequence of bytes, in chunks of %i', (size) => {
    const text = 'a--b---c----\n--';
    expect(cut(new DelimiterFramer({ delimiter: '--', maxLength: 20 }), text, size)).toEqual([
      'a',
      'b',
      '-c',
      '',
      '\n',
    ]);
    expect(
      cut(new DelimiterFramer({ delimiter: Buffer.from([0]), maxLength: 9 }), 'a\0\0b\0c', size),
    ).toEqual(['a', '', 'b']);
    expect(
      cut(new DelimiterFramer({ delimiter: '\r\n.\r\n', maxLength: 20 }), 'x\r\n.\r\r\n.\r\n', size),
    ).toEqual(['x\r\n.\r']);
  });

  it.each(SIZES)('refuses what is too long, in chunks of %i', (size) => {
    const make = (): DelimiterFramer => new DelimiterFramer({ delimiter: '||', maxLength: 3 });
    expect(cut(make(), 'abc||', size)).toEqual(['abc']);
    expect(codeOf(() => cut(make(), 'abcd||', size))).toBe('too_long');
    expect(codeOf(() => cut(make(), 'abcd|', size))).toBe('too_long');
  });

  it('must have a delimiter', () => {
    expect(() => new DelimiterFramer({ delimiter: '', maxLength: 3 })).toThrow('at least one byte');
  });
});

describe('LengthPrefixFramer', () => {
  it.each(SIZES)('reads lengths of one, two and four bytes, in chunks of %i', (size) => {
    const one = new LengthPrefixFramer({ lengthBytes: 1, maxLength: 300 });
    expect(cut(one, '\x03abc\x00\x01d\x05xy', size)).toEqual(['abc', '', 'd']);
    const two = new LengthPrefixFramer({ lengthBytes: 2, maxLength: 300 });
    expect(cut(two, `\x01\x00${'y'.repeat(256)}\x00\x01z\x00`, size)).toEqual(['y'.repeat(256), 'z']);
    const four = new LengthPrefixFramer({ lengthBytes: 4, maxLength: 300 });
    expect(cut(four, '\0\0\0\x02hi\0\0\0\0', size)).toEqual(['hi', '']);
  });

  it('fits headers with more in them, and trailers', () => {
    // Type, channel, length; payload; an end mark.
    const frame = '\x01\x00\x07\x00\x00\x00\x03abc\xce';
    const framer = new LengthPrefixFramer({
      lengthBytes: 4,
      lengthOffset: 3,
      adjustment: 1,
      strip: 0,
      maxLength: 99,
    });
    expect(cut(framer, frame + frame, 4)).toEqual([frame, frame]);
    const inclusive = new LengthPrefixFramer({ lengthBytes: 2, adjustment: -2, maxLength: 99 });
    expect(cut(inclusive, '\x00\x05abc\x00\x02', 3)).toEqual(['abc', '']);
    expect(codeOf(() => cut(inclusive, '\x00\x01', 1))).toBe('malformed');
  });

  it('refuses a length that lies before it gathers anything', () => {
    const framer = new LengthPrefixFramer({ lengthBytes: 4, maxLength: 1000 });
    const allocate = jest.spyOn(Buffer, 'allocUnsafeSlow');
    expect(codeOf(() => framer.push(Buffer.from('ffffffff00', 'hex'), () => undefined))).toBe('too_long');
    expect(codeOf(() => framer.push(Buffer.from('000003e500', 'hex'), () => undefined))).toBe('too_long');
    expect(allocate).not.toHaveBeenCalled();
    // One that is within the limit costs no more than what has come.
    framer.push(Buffer.from('000003e4', 'hex'), () => undefined);
    framer.push(Buffer.from('00', 'hex'), () => undefined);
    expect(allocate.mock.calls.every(([bytes]) => bytes <= 256)).toBe(true);
    allocate.mockRestore();
    expect(
      codeOf(() => new LengthPrefixFramer({ lengthBytes: 1, maxLength: 3 }).push(Buffer.from([3]), () => 0)),
    ).toBe('too_long');
  });
});

describe('a frame in very many tiny chunks', () => {
  const CHUNKS = 100_000;
  const chunk = Buffer.from('0123456789');

  it.each<[string, Framer, Buffer, Buffer]>([
    ['line', new LineFramer({ maxLength: 2_000_000 }), Buffer.alloc(0), Buffer.from('\r\n')],
    [
      'strict line',
      new LineFramer({ maxLength: 2_000_000, ending: 'crlf' }),
      Buffer.alloc(0),
      Buffer.from('\r\n'),
    ],
    [
      'delimiter',
      new DelimiterFramer({ delimiter: '\0\0', maxLength: 2_000_000 }),
      Buffer.alloc(0),
      Buffer.alloc(2),
    ],
    [
      'length',
      new LengthPrefixFramer({ lengthBytes: 4, maxLength: 2_000_000 }),
      Buffer.from([0, 15, 66, 64]),
      Buffer.alloc(0),
    ],
  ])('%s: costs in proportion to its bytes', (_name, framer, before, after) => {
    let length = 0;
    const onFrame = (frame: Buffer): void => {
      length = frame.length;
    };
    // The work of this process: other processes may want the machine too.
    const start = process.cpuUsage().user;
    framer.push(before, onFrame);
    for (let count = 0; count < CHUNKS; count += 1) framer.push(chunk, onFrame);
    framer.push(after, onFrame);
    expect(length).toBe(CHUNKS * chunk.length);
    // Copying all at each chunk would move 50 GB.
    expect((process.cpuUsage().user - start) / 1000).toBeLessThan(3000);
    expect(framer.waiting).toBe(0);
  });

  it('lets go of the memory of a large frame', () => {
    const framer = new LineFramer({ maxLength: 2_000_000 });
    const move = jest.spyOn(Buffer, 'allocUnsafeSlow');
    framer.push(Buffer.alloc(1_000_000, 'a'), () => undefined);
    framer.push(Buffer.from('\nsmall rest'), () => undefined);
    expect(framer.waiting).toBe(10);
    expect(move.mock.calls.at(-1)?.[0]).toBeLessThan(1000);
    move.mockRestore();
  });
});

describe('FramingError', () => {
  it('is known by its name, also from another copy of the package', () => {
    expect(isFramingError(new FramingError('malformed', 'x'))).toBe(true);
    expect(isFramingError(Object.assign(new Error('x'), { name: 'FramingError' }))).toBe(true);
    expect(isFramingError(new Error('x'))).toBe(false);
    expect(isFramingError('FramingError')).toBe(false);
  });
});
