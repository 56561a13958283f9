import { describe, expect, it } from '@jest/globals';
import { fits } from '../src/jetstream/filters.js';
import { allSteps, json, StreamBench } from './jetstream-units.js';

describe('long work', () => {
  it('a purge goes in steps, and what comes meanwhile stays', () => {
    const bench = new StreamBench();
    const consumer = bench.consumer('c', { filter_subject: 's.*.x' });
    for (let n = 0; n < 1_000; n += 1) bench.publish(`s.${n % 10}.x`);
    expect(consumer.unread).toBe(1_000);
    const steps = bench.streamApi.purge('s', json({ filter: 's.3.*' }));
    for (let n = 0; n < 50; n += 1) expect(steps.next().done).toBe(false);
    expect(bench.stream.messages.size).toBe(950);
    bench.publish('s.3.x');
    expect(consumer.unread).toBe(951);
    expect(allSteps(steps).result).toEqual({ success: true, purged: 100 });
    expect(consumer.unread).toBe(901);
    const kept = allSteps(bench.streamApi.purge('s', json({ filter: 's.4.x', keep: 1 })));
    expect(kept.result).toEqual({ success: true, purged: 99 });
    expect(bench.stream.messages.subjects.get('s.4.x')?.first?.sequence).toBe(995);
    expect(consumer.unread).toBe(802);
  });

  it('what a consumer leaves behind goes in steps, once for all that leave meanwhile', () => {
    const bench = new StreamBench({ retention: 'interest' });
    for (const name of ['a', 'b', 'c']) bench.consumer(name, { filter_subject: `s.${name}` });
    for (let n = 0; n < 300; n += 1) bench.publish(`s.${'abc'[n % 3]}`);
    bench.consumerApi.delete('s', 'a');
    bench.consumerApi.delete('s', 'b');
    expect(bench.stream.messages.size).toBe(300);
    expect(bench.running).toHaveLength(1);
    for (const steps of bench.running) expect(allSteps(steps).count).toBeGreaterThan(200);
    expect([...bench.stream.messages.subjects.keys()]).toEqual(['s.c']);
    bench.consumerApi.delete('s', 'c');
    for (const steps of bench.running.slice(1)) allSteps(steps);
    expect(bench.stream.messages.size).toBe(0);
  });

  it('lists of subjects and of consumers are made in steps', () => {
    const bench = new StreamBench();
    for (let n = 0; n < 200; n += 1) bench.publish(`s.${n}`);
    for (let n = 0; n < 20; n += 1) bench.consumer(`c${n}`);
    const info = allSteps(bench.streamApi.info('s', json({ subjects_filter: 's.*', offset: 190 })));
    expect(info.count).toBe(200);
    expect(info.result).toMatchObject({ total: 200, offset: 190 });
    expect(Object.keys((info.result['state'] as { subjects: object }).subjects)).toHaveLength(10);
    expect(allSteps(bench.consumerApi.list('s', json({}))).count).toBe(20);
  });

  it('messages go by their age in steps, and what comes meanwhile stays', () => {
    const bench = new StreamBench({ max_age: 60e9 });
    for (let n = 0; n < 500; n += 1) bench.publish('s.a');
    bench.time.pass(60_000);
    expect(bench.running).toHaveLength(1);
    expect(bench.stream.messages.size).toBe(500);
    const [aging] = bench.running;
    for (let n = 0; n < 100; n += 1) expect(aging?.next().done).toBe(false);
    bench.publish('s.b');
    expect(bench.stream.messages.size).toBe(401);
    expect(allSteps(aging as Generator).count).toBe(400);
    expect([...bench.stream.messages.subjects.keys()]).toEqual(['s.b']);
    bench.time.pass(60_000);
    for (const steps of bench.running.slice(1)) allSteps(steps as Generator);
    expect(bench.stream.messages.size).toBe(0);
  });

  it('what a snapshot holds is built in steps beside what is there, and takes its place at once', () => {
    const bench = new StreamBench();
    const { streams } = bench;
    const store = (n: number): void =>
      void bench.stream.store({
        subject: `s.${n}`,
        reply: '',
        headerBytes: Buffer.from(`NATS/1.0\r\nNats-Msg-Id: id${n}\r\n\r\n`),
        payload: Buffer.from(`${n}`),
      });
    for (let n = 1; n <= 300; n += 1) store(n);
    for (const seq of [1, 5, 300]) bench.streamApi.deleteMessage('s', json({ seq }));
    bench.consumer('c', { filter_subject: 's.7' });
    const list = (): unknown => bench.streamApi.list(json({}));
    const before = list();
    const saved = streams.save();
    const { usage } = streams.around;
    const counts = [usage.messages, usage.bytes];
    allSteps(bench.streamApi.purge('s', json({})));
    for (let n = 301; n < 400; n += 1) store(n);
    const steps = streams.build(saved);
    for (let n = 0; n < 400; n += 1) expect(steps.next().done).toBe(false);
    store(400);
    expect([streams.get('s').messages.size, usage.messages]).toEqual([100, 100]);
    const { count, result } = allSteps(steps);
    expect(count).toBe(300 + 297 - 400);
    streams.restore(saved, result);
    const { messages, duplicates } = streams.get('s');
    expect([usage.messages, usage.bytes]).toEqual(counts);
    expect([messages.size, messages.firstSequence, messages.lastSequence, messages.deleted]).toEqual([
      297, 2, 300, 2,
    ]);
    expect([messages.get(7)?.payload.toString(), messages.get(5), messages.subjects.size]).toEqual([
      '7',
      undefined,
      297,
    ]);
    expect([duplicates.find('id7', 1e12), duplicates.find('id350', 1e12)]).toEqual([7, undefined]);
    expect(streams.get('s').consumers.get('c')?.unread).toBe(1);
    expect(list()).toEqual(before);
    // A second time, and in one step, it is the same.
    streams.restore(saved);
    expect([usage.messages, usage.bytes, list()]).toEqual([...counts, before]);
  });

  it('what is unread is counted from any place, beside gaps', () => {
    const bench = new StreamBench();
    for (let n = 1; n <= 100; n += 1) bench.publish(`s.${n % 4}.x`);
    for (const sequence of [60, 62, 64, 70]) bench.streamApi.deleteMessage('s', json({ seq: sequence }));
    const from = { deliver_policy: 'by_start_sequence', opt_start_seq: 51 };
    expect(bench.consumer('all', from).unread).toBe(46);
    expect(bench.consumer('only', { ...from, filter_subject: 's.0.x' }).unread).toBe(11);
    expect(bench.consumer('some', { ...from, filter_subject: 's.*.x' }).unread).toBe(46);
    expect(bench.consumer('few', { ...from, opt_start_seq: 99, filter_subject: 's.*.x' }).unread).toBe(2);
  });

  it('filters name their subjects', () => {
    const yes = ['a.*', 'a.>', '*.b', '>', 'a.b', '*.>', '*.*'];
    const no = ['a', 'a.*.c', 'a.b.>', 'b.*', 'a.bb', 'a.b.c', '*', 'a.*b', 'aa.>'];
    expect(yes.filter((filter) => !fits(filter, 'a.b'))).toEqual([]);
    expect(no.filter((filter) => fits(filter, 'a.b'))).toEqual([]);
  });
});
