import { afterEach, expect, it } from '@jest/globals';
import { auditServer } from 'graphql-http';
import { startGraphql, stopAll } from './support/graphql-host.js';

afterEach(stopAll);

/** What a server without a schema cannot know, by the name of the audit. */
const NOT_MET: ReadonlyMap<string, string> = new Map([
  [
    'SHOULD use a status code of 400 on variable coercion failure when accepting application/graphql-response+json',
    'the values of variables are not checked: most of their types are those of a schema, and there is none',
  ],
]);

it('meets every audit of graphql-http that needs no schema', async () => {
  const { url } = await startGraphql();
  const results = await auditServer({ url });
  expect(results.length).toBeGreaterThan(50);
  const failed = results.filter(({ status }) => status !== 'ok').map(({ name }) => name);
  expect(failed).toEqual([...NOT_MET.keys()]);
});
