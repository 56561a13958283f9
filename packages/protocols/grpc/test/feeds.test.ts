import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import type { ServiceError } from '@grpc/grpc-js';
import type { Json, RespondFunction } from '@backlot/core';
import { startHost } from './support/grpc-host.js';

/** What a call is answered with, and how it ends. */
async function drain(call: AsyncIterable<Json>): Promise<{ names: unknown[]; end: string }> {
  const names: unknown[] = [];
  try {
    for await (const { name } of call) names.push(name);
  } catch (thrown) {
    const { code, details } = thrown as ServiceError;
    return { names, end: `${code} ${details}` };
  }
  return { names, end: 'OK' };
}

const chat = (respond: RespondFunction): Json => ({
  id: 'chat',
  method: 'acme.Users/Chat',
  respond,
});

describe('a function that goes on sending', () => {
  it('reads the messages of the call as they come, and sends until it returns', async () => {
    const { users, add, host } = await startHost();
    add(
      chat(async function* ({ arriving }) {
        for await (const { name } of arriving) {
          if (name === 'bye') return;
          yield { name: `hello ${name}` };
          yield { name: 'and' };
        }
      }),
    );
    const call = users.Chat();
    const done = drain(call as AsyncIterable<Json>);
    for (const name of ['ann', 'bob', 'bye', 'late']) call.write({ name });
    expect(await done).toEqual({ names: ['hello ann', 'and', 'hello bob', 'and'], end: 'OK' });
    expect(host.streams.list()).toEqual([]);
    expect(host.journal.list()[0]).toMatchObject({ matched_id: 'chat', response: { status: 'OK' } });
  });

  it('sends what stands in its answer first, with metadata and trailers', async () => {
    const { users, add } = await startHost();
    add(
      chat(({ arriving }) => ({
        stream: [{ response: { name: 'first' } }],
        trailers: { 'x-late': 'yes' },
        feed: (async function* () {
          for await (const message of arriving) yield message;
        })(),
      })),
    );
    const call = users.Chat();
    const status = new Promise<{ metadata: { get(name: string): unknown } }>((resolve) =>
      call.on('status', resolve as never),
    );
    const done = drain(call as AsyncIterable<Json>);
    call.end({ name: 'echo' });
    expect(await done).toEqual({ names: ['first', 'echo'], end: 'OK' });
    expect((await status).metadata.get('x-late')).toEqual(['yes']);
  });

  it('ends the call with the code of what it throws, else with ABORTED', async () => {
    const { users, add, host } = await startHost();
    add(
      chat(async function* ({ arriving }) {
        for await (const { name } of arriving) {
          if (name === 'plain') throw new Error('no more');
          throw Object.assign(new Error('it is gone'), { code: 'NOT_FOUND' });
        }
        yield {};
      }),
    );
    for (const [name, end] of [
      ['coded', '5 it is gone'],
      ['plain', '10 no more'],
    ]) {
      const call = users.Chat();
      const done = drain(call as AsyncIterable<Json>);
      call.write({ name });
      expect(await done).toEqual({ names: [], end });
    }
    const failures = host.journal.list().map((entry) => String(entry['failure']));
    expect(failures.toSorted()).toEqual([
      'the function of mock "chat" has failed: it is gone',
      'the function of mock "chat" has failed: no more',
    ]);
  });

  it('says what does not fit the type of the answers', async () => {
    const { users, add } = await startHost();
    add(
      chat(async function* () {
        yield await Promise.resolve({ nam: 'x' });
      }),
    );
    const call = users.Chat();
    call.write({ name: 'go' });
    const { end } = await drain(call as AsyncIterable<Json>);
    expect(end).toMatch(/^10 data does not fit acme\.\w+: .*nam/);
  });

  it('is told when the client leaves', async () => {
    const { users, add, host } = await startHost();
    const seen: string[] = [];
    add(
      chat(async function* ({ arriving }, { clock, signal }) {
        signal.addEventListener('abort', () => seen.push('aborted'));
        yield { name: 'there' };
        seen.push(`waited: ${await clock.wait(3_600_000)}`);
        for await (const { name } of arriving) seen.push(`read ${name}`);
        seen.push('end of messages');
      }),
    );
    const call = users.Chat();
    call.on('error', () => undefined);
    call.write({ name: 'go' });
    await new Promise((resolve) => call.once('data', resolve));
    call.cancel();
    await eventually(() => seen.length === 4);
    expect(seen.toSorted()).toEqual(['aborted', 'end of messages', 'read go', 'waited: false']);
    expect(host.streams.list()).toEqual([]);
  });

  it('holds up a client that sends faster than it reads', async () => {
    const { users, add } = await startHost();
    let read = 0;
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    add(
      chat(async function* ({ arriving }) {
        await gate;
        for await (const { name } of arriving) read += String(name).length;
        yield { name: `read ${read}` };
      }),
    );
    const call = users.Chat();
    const done = drain(call as AsyncIterable<Json>);
    for (let count = 0; count < 500; count += 1) call.write({ name: 'x' });
    call.end();
    go();
    expect((await done).names).toEqual(['read 500']);
  });
});
