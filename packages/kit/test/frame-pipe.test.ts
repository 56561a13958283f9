import { describe, expect, it } from '@jest/globals';
import { FramePipe, MAX_WATCHED_FRAME, type FrameFate } from '../src/upstream/frame-pipe.js';

interface Piped {
  readonly pipe: FramePipe;
  readonly taken: string[];
  readonly passed: () => string;
  readonly told: string[];
}

/** A pipe of frames with one byte for their length in front; `answer` says what becomes of each. */
function pipeOf(
  answer: (text: string) => FrameFate | Promise<FrameFate>,
  length = (size: number) => size,
): Piped {
  const taken: string[] = [];
  const told: string[] = [];
  const out: Buffer[] = [];
  const pipe = new FramePipe(
    {
      measure(bytes, start) {
        const size = bytes[start] ?? 0;
        if (size === 0) throw new Error('no frame is empty');
        return 1 + length(size);
      },
      take(frame) {
        const text = frame.toString('latin1', 1);
        taken.push(text);
        return answer(text);
      },
    },
    {
      write: (data) => out.push(Buffer.from(data)),
      hold: (isHeld) => told.push(isHeld ? 'held' : 'goes on'),
      lost: (problem) => told.push(`lost: ${problem.message}`),
      ended: () => told.push('ended'),
    },
  );
  return { pipe, taken, told, passed: () => Buffer.concat(out).toString('latin1') };
}

const frame = (text: string): Buffer => Buffer.from(`${String.fromCharCode(text.length)}${text}`, 'latin1');

describe('a pipe that looks at frames', () => {
  it('passes, drops and replaces them, however they are cut', () => {
    const all = Buffer.concat(['one', 'two', 'three'].map(frame));
    for (let size = 1; size <= all.length; size += 1) {
      const { pipe, taken, passed } = pipeOf((text) =>
        text === 'one' ? 'pass' : text === 'two' ? 'drop' : frame('other'),
      );
      for (let at = 0; at < all.length; at += size) pipe.push(all.subarray(at, at + size));
      expect(taken).toEqual(['one', 'two', 'three']);
      expect(passed()).toBe('\u0003one\u0005other');
    }
  });

  it('lets what comes behind a frame wait until that is decided about', async () => {
    let decide: (fate: FrameFate) => void = () => undefined;
    const { pipe, taken, told, passed } = pipeOf((text) =>
      text === 'slow' ? new Promise((resolve) => (decide = resolve)) : 'pass',
    );
    pipe.push(Buffer.concat([frame('slow'), frame('next')]));
    pipe.end();
    expect([taken, passed(), told]).toEqual([['slow'], '', ['held']]);
    decide('pass');
    await new Promise((resolve) => setImmediate(resolve));
    expect([taken, passed(), told]).toEqual([
      ['slow', 'next'],
      '\u0004slow\u0004next',
      ['held', 'ended', 'goes on'],
    ]);
  });

  it('passes everything when it has lost its place, and says so once', async () => {
    for (const answer of [
      () => {
        throw new Error('not understood');
      },
      () => Promise.reject(new Error('not understood')),
    ]) {
      const { pipe, told, passed } = pipeOf(answer);
      pipe.push(frame('odd'));
      pipe.push(Buffer.from('\u0000rest'));
      await new Promise((resolve) => setImmediate(resolve));
      expect(passed()).toBe('\u0003odd\u0000rest');
      expect(told.filter((text) => text.startsWith('lost'))).toEqual(['lost: not understood']);
    }
    const { pipe, taken, told, passed } = pipeOf(() => 'pass');
    pipe.push(Buffer.concat([frame('good'), Buffer.from('\u0000bad')]));
    pipe.push(frame('late'));
    expect([taken, passed(), told]).toEqual([
      ['good'],
      '\u0004good\u0000bad\u0004late',
      ['lost: no frame is empty'],
    ]);
  });

  it('passes a long frame as it comes, and looks at the next one', () => {
    const { pipe, taken, passed } = pipeOf(
      () => 'pass',
      (size) => (size === 255 ? MAX_WATCHED_FRAME : size),
    );
    const part = Buffer.alloc(MAX_WATCHED_FRAME / 4, 'x');
    pipe.push(Buffer.from([255]));
    for (let count = 1; count <= 4; count += 1) {
      pipe.push(part);
      expect(passed()).toHaveLength(1 + count * part.length);
    }
    pipe.push(frame('next'));
    expect(taken).toEqual(['next']);
  });

  it('passes what is no whole frame at the end', () => {
    const { pipe, told, passed } = pipeOf(() => 'drop');
    pipe.push(Buffer.from('\u0009half'));
    pipe.end();
    expect([passed(), told]).toEqual(['\u0009half', ['ended']]);
  });

  it('has what is inserted wait for the end of a long frame that passes as it comes', () => {
    const { pipe, taken, passed } = pipeOf(
      () => 'pass',
      (size) => (size === 9 ? MAX_WATCHED_FRAME + 1 : size),
    );
    pipe.insert(Buffer.from('first '));
    pipe.push(Buffer.from('\u0009begins'));
    pipe.insert(Buffer.from(' second'));
    expect(passed()).toBe('first \u0009begins');
    pipe.push(Buffer.alloc(MAX_WATCHED_FRAME - 5, 0x78));
    expect(passed().slice(-10)).toBe('xxx second');
    expect(taken).toEqual([]);
  });
});
