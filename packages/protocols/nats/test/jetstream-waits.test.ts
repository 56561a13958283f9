import { describe, expect, it } from '@jest/globals';
import { json, StreamBench } from './jetstream-units.js';

describe('requests that wait', () => {
  it('end when their time is over, and hear heartbeats until then', () => {
    const bench = new StreamBench();
    const consumer = bench.consumer('c');
    consumer.pull('inbox', json({ batch: 2, expires: 5e9, idle_heartbeat: 2e9 }));
    bench.turn();
    bench.timers.pass(1_999);
    expect(bench.take()).toEqual([]);
    bench.timers.pass(1);
    expect(bench.take()).toEqual(['NATS/1.0 100 Idle Heartbeat']);
    bench.publish('s.1', 'one');
    bench.turn();
    expect(bench.take()).toEqual(['one']);
    bench.timers.pass(2_999);
    expect(bench.take()).toEqual(['NATS/1.0 100 Idle Heartbeat']);
    expect(consumer.pulls.size).toBe(1);
    bench.timers.pass(1);
    expect(bench.take()).toEqual(['NATS/1.0 408 Request Timeout']);
    expect(consumer.pulls.size).toBe(0);
  });

  it('are so many at most as max_waiting says', () => {
    const bench = new StreamBench();
    const consumer = bench.consumer('c', { max_waiting: 2 });
    for (const inbox of ['a', 'b', 'c']) consumer.pull(inbox, json({ expires: 1e9 }));
    expect(bench.take()).toEqual(['NATS/1.0 409 Exceeded MaxWaiting']);
  });
});

describe('replay as it was', () => {
  it('delivers with the gaps in which messages came', () => {
    const bench = new StreamBench();
    for (const gap of [0, 500, 3_000]) {
      bench.time.pass(gap);
      bench.publish('s.1', String(gap));
    }
    const consumer = bench.consumer('c', { replay_policy: 'original' });
    consumer.pull('inbox', json({ batch: 9 }));
    const passes = (milliseconds: number): readonly string[] => {
      bench.time.pass(milliseconds);
      bench.turn();
      return bench.take();
    };
    expect(passes(0)).toEqual(['0']);
    expect(passes(499)).toEqual([]);
    expect(passes(1)).toEqual(['500']);
    expect(passes(2_999)).toEqual([]);
    expect(passes(1)).toEqual(['3000']);
    bench.publish('s.1', 'new');
    expect(passes(0)).toEqual(['new']);
  });
});

describe('flow control', () => {
  it('holds back what is beyond the window until the client answers', () => {
    const bench = new StreamBench();
    const config = { deliver_subject: 'to', flow_control: true, idle_heartbeat: 1e9, max_ack_pending: 100 };
    const consumer = bench.consumer('c', config);
    for (let n = 0; n < 8; n += 1) bench.publish('s.1', 'x'.repeat(512 * 1024));
    bench.turn();
    const asked = bench.sent.find(([, { reply }]) => reply.startsWith('$JS.FC.s.c.'))?.[1].reply ?? '';
    expect(asked).not.toBe('');
    expect(bench.sent.filter(([, { payload }]) => payload.length > 0)).toHaveLength(4);
    bench.take();
    bench.timers.pass(1_000);
    const [beat] = bench.sent;
    expect(beat?.[1].headerBytes?.toString()).toContain(`Nats-Consumer-Stalled: ${asked}\r\n`);
    bench.take();
    consumer.flowAnswered('$JS.FC.s.c.other');
    bench.turn();
    expect(bench.take()).toEqual([]);
    consumer.flowAnswered(asked);
    bench.turn();
    expect(bench.take().length).toBeGreaterThan(3);
    expect(consumer.unread).toBe(0);
  });
});
