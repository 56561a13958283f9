import { S3, type S3ClientConfig } from '@aws-sdk/client-s3';
import { afterEach } from '@jest/globals';

// It tells of the end of support for versions of Node.js on the console.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

const open: S3[] = [];

afterEach(() => {
  for (const client of open.splice(0)) client.destroy();
});

/** The client as applications make it, and nothing but its address, credentials and region changed. */
export function connect(endpoint: string, options: S3ClientConfig = {}): S3 {
  const credentials = { accessKeyId: 'backlot', secretAccessKey: 'backlot' };
  const client = new S3({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1, ...options });
  open.push(client);
  return client;
}
