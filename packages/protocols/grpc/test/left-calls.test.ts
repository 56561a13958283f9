import { queryObjects } from 'node:v8';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { Call } from '../src/call.js';
import { get, startHost } from './support/grpc-host.js';

describe('a call that has ended', () => {
  it('is not held by the journal', async () => {
    const { users, host } = await startHost({ mocks: [{ method: 'Get', response: { name: 'well' } }] });
    for (let id = 0; id < 10; id += 1) expect(await get(users, { id })).toMatchObject({ code: 'OK' });
    expect(host.journal.list()).toHaveLength(10);
    // The last one may still be on the stack of what ended it.
    await eventually(() => queryObjects(Call, { format: 'count' }) < 3);
  });
});
