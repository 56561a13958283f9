// What toxics cost where none is set: an echo through the kit that nobody could give any, one that could, one that had some
// until just now, and one that has some for another client. Messages per second, and ratios of the same run. Run by `pnpm bench kit`.
import { compareServers } from '@backlot/tooling/bench';
import { createStreamServer } from '../dist/index.js';
import { echoLoad } from './lib/echo-load.mjs';

await compareServers(import.meta.url, {
  name: 'echo',
  unit: 'message',
  servers: {
    without: () => serve(undefined),
    none: () => serve(feedOf()),
    removed: async () => {
      const feed = feedOf(latency(() => true));
      const port = await serve(feed);
      feed.set();
      return port;
    },
    others: () => serve(feedOf(latency((host) => host === '203.0.113.9'))),
  },
  cases: [
    { label: 'takes no toxics', server: 'without' },
    { label: 'none is set', server: 'none' },
    { label: 'one was removed', server: 'removed' },
    { label: 'one for another client', server: 'others' },
  ],
  load: { '64 bytes, 16 under way': echoLoad(64, 16), '65,536 bytes, 1 under way': echoLoad(65_536, 1) },
  ratios: [{ what: 'none is set', of: 'takes no toxics', least: 0.9 }],
});

function latency(isFor) {
  return {
    ...{ name: 'one', type: 'latency', stream: 'downstream', toxicity: 1 },
    ...{ attributes: { latency: 100, jitter: 0 }, onStreams: true, onDatagrams: false, isFor },
  };
}

/** Toxics of a kind, set by hand. */
function feedOf(...first) {
  const listeners = new Set();
  return {
    current: first,
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    nextNumber: () => 1,
    random: () => ({ next: () => 0.5, int: (min) => min, float: () => 0 }),
    set(...toxics) {
      this.current = toxics;
      for (const listener of listeners) listener();
    },
  };
}

async function serve(toxics) {
  const server = createStreamServer({
    host: '127.0.0.1',
    port: 0,
    limits: { idleTimeout: 30_000 },
    ...(toxics === undefined ? {} : { toxics }),
    onConnection: (connection) => connection.onData((chunk) => connection.write(chunk)),
  });
  return (await server.start()).port;
}
