import { nextTurn } from '@backlot/core/plugin';
import { eventually } from '@backlot/conformance';
import { expect, it } from '@jest/globals';
import { Client, clientFrame, Raw, startHost } from './support.js';

it('lets others in between the messages of one chunk, and answers all of them in order', async () => {
  const { port, url, host } = await startHost([
    { path: '/', on_message: [{ respond: '{{request.raw_body}} {{rand_string 20000}}' }] },
  ]);
  const other = await Client.connect(url);
  const raw = await Raw.upgrade(port, '/');
  const count = 1000;
  raw.send(Buffer.concat(Array.from({ length: count }, (_, n) => clientFrame(0x81, `${n}`))));
  const handled = (): number => host.journal.count({ protocol: 'websocket' }).count - 2;
  const steps: number[] = [];
  while (handled() < count) {
    const before = handled();
    await nextTurn();
    steps.push(handled() - before);
  }
  expect(Math.max(...steps)).toBeLessThan(count);
  expect(await other.ask('7')).toContain('7 ');
  await eventually(() => raw.received.length >= count * 20_000);
  const numbers = Array.from(raw.received.toString('latin1').matchAll(/(\d+) [A-Za-z0-9]{20000}/g), ([, n]) =>
    Number(n),
  );
  expect(numbers).toHaveLength(count);
  expect(numbers.map((n) => n % count)).toEqual(Array.from({ length: count }, (_, n) => n));
});
