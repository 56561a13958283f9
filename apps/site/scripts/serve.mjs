import { fileURLToPath } from 'node:url';
import { createServer } from 'vitepress';

const SITE = fileURLToPath(new URL('..', import.meta.url));

/** Serves the site on the loopback address until a signal ends the process. */
export async function serve() {
  const server = await createServer(SITE, { host: 'localhost' });
  await server.listen();
  console.log('the documentation:');
  server.printUrls();
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => server.close().then(() => process.exit(0)));
}
