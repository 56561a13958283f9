// The cost of one message on its way through core, journal on, nobody reading. Run by `pnpm bench core`.
import { createHost } from '../dist/index.js';
import { Type, defineProtocol } from '../dist/plugin.js';

const ROUNDS = 7;
const MESSAGES = 1_000_000;

let context;
const protocol = defineProtocol({
  kind: 'bench',
  meta: {
    title: 'Bench',
    summary: 'A plugin without a wire.',
    transport: 'stream',
    defaultPort: 1,
    url: 'bench://{host}:{port}',
  },
  config: Type.Object({}, { additionalProperties: false }),
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: Type.Object({ match: Type.String() }, { additionalProperties: false }),
    examples: [{ match: 'a' }],
    compile: (mock, tools) => {
      const pattern = tools.pattern(mock.match, '/match');
      return {
        key: pattern.exact ?? '*',
        test: (message) => pattern.test(message.path) || (() => pattern.reason('path', message.path)),
      };
    },
    keys: (message) => [message.path, '*'],
  },
  create: (made) => {
    context = made;
    return { start: async () => ({ host: '', port: 0 }), stop: async () => undefined };
  },
});

async function measure(mocks) {
  const host = await createHost({
    protocols: [protocol],
    settings: {
      bench: { mocks: Array.from({ length: mocks }, (_, i) => ({ id: `m${i}`, match: `key-${i}` })) },
    },
  });
  await host.start();
  const paths = Array.from({ length: mocks }, (_, i) => `key-${i}`);
  const reply = { status: 200 };
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = process.hrtime.bigint();
    for (let i = 0; i < MESSAGES; i += 1) {
      const exchange = context.receive({
        method: 'GET',
        path: paths[(i * 7919) % mocks],
        remote: '127.0.0.1:1',
      });
      if (exchange.resolve().type !== 'matched') throw new Error('no match');
      exchange.done(reply);
    }
    best = Math.min(best, Number(process.hrtime.bigint() - start) / MESSAGES);
  }
  const counted = host.journal.count().count;
  if (counted !== ROUNDS * MESSAGES) throw new Error(`journal counted ${counted}`);
  await host.stop(0);
  return best / 1000;
}

console.log('| mocks | microseconds a message |');
console.log('| ---: | ---: |');
for (const mocks of process.argv[2] ? [Number(process.argv[2])] : [1, 100, 10_000])
  console.log(`| ${mocks} | ${(await measure(mocks)).toFixed(3)} |`);
