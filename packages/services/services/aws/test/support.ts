import { afterEach } from '@jest/globals';

// It tells of the end of support for versions of Node.js on the console.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

interface Client {
  destroy(): void;
}

const open: Client[] = [];

afterEach(() => {
  for (const client of open.splice(0)) client.destroy();
});

/** What a client of any service is given: its address, and credentials and a region as every client has. */
export function optionsFor(endpoint: string, maxAttempts = 1): object {
  const credentials = { accessKeyId: 'backlot', secretAccessKey: 'backlot' };
  return { endpoint, region: 'us-east-1', credentials, maxAttempts };
}

/** Closes a client at the end of the test. */
export function closing<C extends Client>(client: C): C {
  open.push(client);
  return client;
}
